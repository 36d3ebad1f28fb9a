import type { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { checkServerIdentity, type PeerCertificate, type TLSSocket } from 'node:tls'
import { type CertificateFacts, toTimestamp, truncateText } from '@vedette/shared'
import { systemClock } from '../../../../platform/time/clock.ts'
import { subjectNamesOf, toLeafFacts } from '@vedette/shared/checks/x509'
import { readChain } from './chain.ts'
import { type CertificateStatus, readOcspResponse } from './ocsp.ts'
import { certificateOfSession } from './session-certificate.ts'

/** Facts of a certificate and whether it matches the host. */
export interface PeerCertificateFacts {
  facts: CertificateFacts
  expiresAtMs: number
  /** Set when it is for another host. */
  identityFault: string | undefined
}

/** Certificates change every few weeks, and parsing one takes a third of a handshake. */
const MAX_KEPT = 2_000
/** The comparison sees only the leaf: so often the intermediates that come with it are read again. */
const READ_AGAIN_MS = 600_000

export interface CertificateReader {
  /** After the handshake; undefined when the target showed none. `stapled`: the OCSP response that came with it. */
  read(socket: TLSSocket, host: string, stapled?: Buffer): PeerCertificateFacts | undefined
}

/** Parses each certificate once per host and address, and again after ten minutes. */
export function createCertificateReader(
  nowMs: () => number = () => performance.now(),
  wallMs: () => number = systemClock.now,
): CertificateReader {
  const cache = new Map<string, { der: Buffer; stapled: Buffer | undefined; shown: PeerCertificateFacts; untilMs: number }>()
  return {
    read(socket, host, stapled) {
      // Two ports of one host may send the same leaf with different intermediates.
      const key = `${host} ${socket.remoteAddress} ${socket.remotePort}`
      const cached = cache.get(key)
      const isFresh = cached !== undefined && nowMs() < cached.untilMs && isSame(stapled, cached.stapled)
      if (isFresh && certificateOfSession(socket.getSession())?.equals(cached.der)) return cached.shown
      const certificate = socket.getPeerX509Certificate()
      if (!certificate) return undefined
      const shown = readCertificate(certificate, host, stapled && readOcspResponse(stapled, certificate, wallMs()))
      if (cache.size >= MAX_KEPT) cache.clear()
      cache.set(key, { der: certificate.raw, stapled, shown, untilMs: nowMs() + READ_AGAIN_MS })
      return shown
    },
  }
}

const isSame = (one: Buffer | undefined, other: Buffer | undefined): boolean =>
  one === other || (one !== undefined && other !== undefined && one.equals(other))

function readCertificate(
  certificate: X509Certificate,
  host: string,
  status: CertificateStatus | undefined,
): PeerCertificateFacts {
  const expiresAtMs = certificate.validToDate.getTime()
  const names = subjectNamesOf(certificate)
  const fault = identityFault(certificate, host, names)
  const chain = readChain(certificate)
  return {
    expiresAtMs,
    facts: {
      ...toLeafFacts(certificate, names),
      ...(chain[0] && { sha256: chain[0].sha256, name_mismatch: fault !== undefined, chain }),
      ...(status?.status === 'revoked' && { revoked_at: toTimestamp(status.atMs) }),
    },
    identityFault: fault,
  }
}

/** By Node's own check, which gets only the fields that it reads. */
function identityFault({ subjectAltName, subject }: X509Certificate, host: string, names: readonly string[]): string | undefined {
  const common = (subject ?? '')
    .split('\n')
    .find((part) => part.startsWith('CN='))
    ?.slice(3)
  const parts = { subject: { CN: common }, subjectaltname: subjectAltName } as unknown as PeerCertificate
  if (checkServerIdentity(host, parts) === undefined) return undefined
  const others = names.length > 3 ? `${names.slice(0, 3).join(', ')}…` : names.join(', ')
  return truncateText(`the certificate is not for ${isIP(host) > 0 ? 'this address' : host} but for ${others || 'nobody'}`, 250)
}
