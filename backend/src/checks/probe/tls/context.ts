import { constants } from 'node:crypto'
import { createSecureContext, DEFAULT_CIPHERS, getCACertificates, type SecureContext } from 'node:tls'

/** Node's own choice, with the lightest of TLS 1.3 before the others: SHA-384 has no instructions of its own, SHA-256 has. */
const FIRST = 'TLS_AES_128_GCM_SHA256'
const AS_BROWSERS = [FIRST, ...DEFAULT_CIPHERS.split(':').filter((name) => name !== FIRST)].join(':')

/**
 * The one set of TLS options of all checks: TLS 1.2 and newer, no session that could be resumed, the authorities that Node
 * trusts (with `NODE_EXTRA_CA_CERTS`) and those of `extraAuthorities`, PEM. Made once: reading the authorities takes longer
 * than a check.
 */
export function createTlsContext(extraAuthorities: readonly string[]): SecureContext {
  return createSecureContext({
    minVersion: 'TLSv1.2',
    ciphers: AS_BROWSERS,
    secureOptions: constants.SSL_OP_NO_TICKET,
    // Without the hybrid with ML-KEM, which Node offers first: its key costs a tenth of a check. Further behind in the list it
    // would be worse, since a server that prefers it then asks for a second greeting.
    ecdhCurve: 'X25519:P-256:P-384:P-521',
    ...(extraAuthorities.length > 0 && { ca: [...getCACertificates('default'), ...extraAuthorities] }),
  })
}
