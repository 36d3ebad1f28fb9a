import { truncateText } from '../../wire/outside-text.ts'
import { MAX_CERTIFICATE_NAME_LENGTH, MAX_SUBJECT_NAMES } from './limits.ts'
import type { CertificateFacts, ChainCertificate } from './result.ts'

/** What is read of Node's `X509Certificate`. Names are lines of `KEY=value`. */
export interface ReadableCertificate {
  readonly fingerprint256: string
  readonly subject: string | undefined
  readonly issuer: string | undefined
  readonly subjectAltName: string | undefined
  readonly signatureAlgorithm?: string | undefined
  readonly validFromDate: Date
  readonly validToDate: Date
  /** Throws where OpenSSL does not know the algorithm. */
  readonly publicKey: {
    asymmetricKeyType?: string | undefined
    asymmetricKeyDetails?: { modulusLength?: number | undefined; namedCurve?: string | undefined } | undefined
  }
}

/** A NUL can neither be sent nor stored. */
const clip = (text: string): string => truncateText(text.replaceAll('\0', '\uFFFD'), MAX_CERTIFICATE_NAME_LENGTH)

/** People know common name and organization. */
export function nameOf(lines: string | undefined): string {
  const parts = (lines ?? '').split('\n')
  const value = (key: string) => parts.find((part) => part.startsWith(`${key}=`))?.slice(key.length + 1)
  const [common, organization] = [value('CN'), value('O')]
  return [common, organization].filter((part) => part !== undefined).join(', ') || parts.join(', ')
}

/** All DNS names and addresses: of `DNS:a.example, IP Address:10.0.0.1`; otherwise the common name. */
export function subjectNamesOf({ subjectAltName, subject }: Pick<ReadableCertificate, 'subjectAltName' | 'subject'>): string[] {
  const listed = (subjectAltName ?? '').split(', ').flatMap((entry) => {
    const found = /^(?:DNS|IP Address):(.+)$/.exec(entry)?.[1]
    return found === undefined ? [] : [found]
  })
  return listed.length > 0 ? listed : [nameOf(subject)].filter((name) => name !== '')
}

/** One certificate as it is reported; undefined for dates that no calendar has. Costs some 40 µs. Pure. */
export function toChainCertificate(certificate: ReadableCertificate): ChainCertificate | undefined {
  const { validFromDate: from, validToDate: to } = certificate
  if (Number.isNaN(from.getTime()) || Number.isNaN(to.getTime())) return undefined
  return {
    sha256: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    subject: clip(nameOf(certificate.subject)),
    issuer: clip(nameOf(certificate.issuer)),
    ...keyOf(certificate),
    signature: truncateText(certificate.signatureAlgorithm ?? '', 64),
    not_before: from.toISOString(),
    not_after: to.toISOString(),
  }
}

/** What is reported of a certificate without its chain. Pure. */
export const toLeafFacts = (
  certificate: ReadableCertificate,
  names: readonly string[] = subjectNamesOf(certificate),
): Pick<CertificateFacts, 'expires_at' | 'issuer' | 'subject_names'> => ({
  expires_at: certificate.validToDate.toISOString(),
  issuer: clip(nameOf(certificate.issuer)),
  subject_names: names.slice(0, MAX_SUBJECT_NAMES).map(clip),
})

/** Of curves whose names do not end in their size. */
const BITS: Readonly<Record<string, number>> = { ed25519: 256, x25519: 256, ed448: 456, x448: 448 }

function keyOf(certificate: ReadableCertificate): Pick<ChainCertificate, 'key_type' | 'key_bits'> {
  try {
    const { asymmetricKeyType: type = 'unknown', asymmetricKeyDetails: details } = certificate.publicKey
    const curve = Number(/[a-zA-Z](\d{3})[a-z]/.exec(details?.namedCurve ?? '')?.[1])
    const bits = details?.modulusLength ?? BITS[type] ?? (Number.isNaN(curve) ? null : curve)
    return { key_type: truncateText(type, 32), key_bits: bits }
  } catch {
    // OpenSSL does not know the algorithm, or the key is not one.
    return { key_type: 'unknown', key_bits: null }
  }
}
