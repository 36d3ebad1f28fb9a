import { codeOf, type Fault } from '../phases/fault.ts'
import type { PeerCertificateFacts } from './certificate.ts'

/** By OpenSSL's verification error. */
const CHAIN_MESSAGES: Partial<Record<string, (certificate: PeerCertificateFacts | undefined) => string>> = {
  CERT_HAS_EXPIRED: (certificate) => `a certificate of the chain has expired${endOf(certificate)}`,
  CERT_NOT_YET_VALID: () => 'the certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: () => 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: () => 'the certificate comes from an authority that is not trusted',
  UNABLE_TO_GET_ISSUER_CERT: () => 'the certificate comes from an authority that is not known',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: () => 'the certificate comes from an authority that is not known',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: () =>
    'the certificate comes from an authority that is not known, or an intermediate is missing',
  CERT_SIGNATURE_FAILURE: () => 'the signature of the certificate is wrong',
  CERT_REVOKED: () => 'the certificate was revoked',
}

const endOf = (certificate: PeerCertificateFacts | undefined): string =>
  certificate ? `: its own ends ${certificate.facts.expires_at}` : ''

/** Why a certificate is refused. Node's types declare `chainError` as an error; it is the code. */
export function certificateFault(
  chainError: Error | string | null,
  certificate: PeerCertificateFacts | undefined,
): string | undefined {
  if (chainError) {
    const code = typeof chainError === 'string' ? chainError : codeOf(chainError) || chainError.message
    return CHAIN_MESSAGES[code]?.(certificate) ?? `the certificate is not accepted (${code})`
  }
  if (!certificate) return 'the target showed no certificate'
  return certificate.identityFault
}

const HANDSHAKE_MESSAGES: readonly [pattern: RegExp, words: string][] = [
  [/NO_APPLICATION_PROTOCOL/, 'the target speaks neither HTTP/1.1 nor HTTP/2'],
  [/UNSUPPORTED_PROTOCOL|PROTOCOL_VERSION|VERSION_TOO_LOW/, 'the target does not speak TLS 1.2 or newer'],
  [/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|RECORD_LAYER|HTTP_REQUEST/, 'the target does not speak TLS on this port'],
  [/HANDSHAKE_FAILURE/, 'the target refused the handshake'],
  [/UNRECOGNIZED_NAME/, 'the target does not know the name'],
  [/CERTIFICATE_REQUIRED/, 'the target asks for a certificate of the client'],
  [/DH_KEY_TOO_SMALL|KEY_TOO_SMALL|MD_TOO_WEAK|INSUFFICIENT_SECURITY/, 'the target offers only weak keys'],
  [/ECONNRESET|EPIPE/, 'the connection was closed during the handshake'],
]

export function handshakeFault(error: Error): Fault {
  const code = codeOf(error)
  if (code === '') return { code: 'tls', message: 'the connection was closed during the handshake' }
  const words = HANDSHAKE_MESSAGES.find(([pattern]) => pattern.test(code))?.[1]
  return { code: 'tls', message: words ?? `the handshake failed (${code.replace(/^ERR_SSL_/, '')})` }
}
