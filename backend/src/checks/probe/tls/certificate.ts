import type { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'
import type { CertificateFacts } from '@vedette/shared'
import { MAX_CERTIFICATE_NAME_LENGTH, MAX_SUBJECT_NAMES } from '@vedette/shared/checks/limits'

/** What a certificate says, and whether it is for the host that was asked for. */
export interface Shown {
  facts: CertificateFacts
  expiresAtMs: number
  /** A sentence where it is for others. */
  identityFault: string | undefined
}

/** Certificates change every few weeks; reading one costs as much as a third of a handshake. */
const MAX_KEPT = 2_000

export interface CertificateReader {
  read(certificate: X509Certificate, host: string): Shown
}

/** Reads each certificate once for each host that shows it. */
export function createCertificateReader(): CertificateReader {
  const kept = new Map<string, { der: Buffer; shown: Shown }>()
  return {
    read(certificate, host) {
      const der = certificate.raw
      const known = kept.get(host)
      if (known?.der.equals(der)) return known.shown
      const shown = readCertificate(certificate, host)
      if (kept.size >= MAX_KEPT) kept.clear()
      kept.set(host, { der, shown })
      return shown
    },
  }
}

function readCertificate(certificate: X509Certificate, host: string): Shown {
  const expiresAtMs = certificate.validToDate.getTime()
  const names = namesOf(certificate)
  return {
    expiresAtMs,
    facts: {
      expires_at: certificate.validToDate.toISOString(),
      issuer: clip(nameOf(certificate.issuer)),
      subject_names: names.slice(0, MAX_SUBJECT_NAMES).map(clip),
    },
    identityFault: identityFault(certificate, host, names),
  }
}

const clip = (text: string): string => text.slice(0, MAX_CERTIFICATE_NAME_LENGTH)

/** Node writes a distinguished name as lines of `KEY=value`; organization and common name are what people know it by. */
function nameOf(lines: string | undefined): string {
  const parts = (lines ?? '').split('\n')
  const value = (key: string) => parts.find((part) => part.startsWith(`${key}=`))?.slice(key.length + 1)
  const [common, organization] = [value('CN'), value('O')]
  return [common, organization].filter((part) => part !== undefined).join(', ') || parts.join(', ')
}

/** `DNS:a.example, IP Address:10.0.0.1`; without any, the common name. */
function namesOf({ subjectAltName, subject }: X509Certificate): string[] {
  const listed = (subjectAltName ?? '').split(', ').flatMap((entry) => {
    const found = /^(?:DNS|IP Address):(.+)$/.exec(entry)?.[1]
    return found === undefined ? [] : [found]
  })
  return listed.length > 0 ? listed : [nameOf(subject)].filter((name) => name !== '')
}

/** By Node's own rules, which are given the parts that they look at instead of the whole chain. */
function identityFault({ subjectAltName, subject }: X509Certificate, host: string, names: readonly string[]): string | undefined {
  const common = (subject ?? '')
    .split('\n')
    .find((part) => part.startsWith('CN='))
    ?.slice(3)
  const parts = { subject: { CN: common }, subjectaltname: subjectAltName } as unknown as PeerCertificate
  if (checkServerIdentity(host, parts) === undefined) return undefined
  const others = names.length > 3 ? `${names.slice(0, 3).join(', ')}…` : names.join(', ')
  return `the certificate is not for ${isIP(host) > 0 ? 'this address' : host} but for ${others || 'nobody'}`.slice(0, 250)
}
