import { createHash } from 'node:crypto'
import { type CertificateFacts, type ChainCertificate, DAY_MS, toTimestamp } from '@vedette/shared'
import type { CertificateRecorder } from '../src/monitoring/certificates/recorder.ts'
import type { SeenCertificate } from '../src/monitoring/certificates/sighting.ts'
import type { Db } from '../src/platform/db/index.ts'

export { monitorsOf } from '../src/monitoring/checks/test/monitors.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

export interface MadeCertificate {
  name?: string
  issuer?: string
  keyType?: string
  keyBits?: number | null
  signature?: string
  notBeforeMs?: number
  notAfterMs?: number
}

/** One instant for all, so that the same fields are the same certificate. */
const ISSUED_MS = Date.now() - 10 * DAY_MS

/** One certificate as a probe reports it; its SHA-256 follows from its fields. */
export function one(made: MadeCertificate = {}): ChainCertificate {
  const { name = 'shop.example.com', issuer = "E7, Let's Encrypt", keyType = 'ec', keyBits = 256 } = made
  const { notBeforeMs = ISSUED_MS, notAfterMs = notBeforeMs + 90 * DAY_MS } = made
  return {
    sha256: sha256(JSON.stringify([name, issuer, keyType, keyBits, notBeforeMs, notAfterMs])),
    subject: name,
    issuer,
    key_type: keyType,
    key_bits: keyBits,
    signature: made.signature ?? 'ecdsa-with-SHA384',
    not_before: toTimestamp(notBeforeMs),
    not_after: toTimestamp(notAfterMs),
  }
}

/** What a probe reports of a target that sends this leaf and these intermediates. */
export function factsOf(
  leaf: ChainCertificate,
  intermediates: readonly ChainCertificate[] = [],
  own: Partial<CertificateFacts> = {},
): CertificateFacts {
  return {
    expires_at: leaf.not_after,
    issuer: leaf.issuer,
    subject_names: [leaf.subject],
    sha256: leaf.sha256,
    name_mismatch: false,
    chain: [leaf, ...intermediates],
    ...own,
  }
}

/** Stores what checks have seen, as their results do: with the end of each certificate in the schedule. */
export async function storeSeen(recorder: CertificateRecorder, db: Db, seen: readonly SeenCertificate[]): Promise<void> {
  await recorder.record(db, seen)
  for (const { organization, monitor, region, certificate } of seen)
    await db
      .updateTable('check_schedule')
      .set({ certificate_expires_at: Date.parse(certificate.expires_at) })
      .where((eb) => eb.and({ organization, monitor, region }))
      .execute()
}
