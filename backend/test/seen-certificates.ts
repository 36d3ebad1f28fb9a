import { createHash } from 'node:crypto'
import { type CertificateFacts, type ChainCertificate, DAY_MS, toTimestamp } from '@vedette/shared'

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

/** One certificate as a probe reports it; its SHA-256 follows from its fields. */
export function one(made: MadeCertificate = {}): ChainCertificate {
  const { name = 'shop.example.com', issuer = "E7, Let's Encrypt", keyType = 'ec', keyBits = 256 } = made
  const { notBeforeMs = Date.now() - 10 * DAY_MS, notAfterMs = notBeforeMs + 90 * DAY_MS } = made
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
