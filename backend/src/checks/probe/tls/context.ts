import { constants } from 'node:crypto'
import { createSecureContext, DEFAULT_CIPHERS, getCACertificates, type SecureContext } from 'node:tls'

/** Node's own list, with the cheapest TLS 1.3 cipher first: CPUs have instructions for SHA-256, not for SHA-384. */
const FIRST = 'TLS_AES_128_GCM_SHA256'
const AS_BROWSERS = [FIRST, ...DEFAULT_CIPHERS.split(':').filter((name) => name !== FIRST)].join(':')

/**
 * The TLS options of all checks: TLS 1.2 and newer, no session resumption, Node's authorities (with `NODE_EXTRA_CA_CERTS`) and
 * `extraAuthorities`, PEM. Created once: reading the authorities takes longer than a check.
 */
export function createTlsContext(extraAuthorities: readonly string[]): SecureContext {
  return createSecureContext({
    minVersion: 'TLSv1.2',
    ciphers: AS_BROWSERS,
    secureOptions: constants.SSL_OP_NO_TICKET,
    // Without the ML-KEM hybrid that Node offers first: its key costs a tenth of a check. Offered last it would be worse, because
    // a server that prefers it asks for a second ClientHello.
    ecdhCurve: 'X25519:P-256:P-384:P-521',
    ...(extraAuthorities.length > 0 && { ca: [...getCACertificates('default'), ...extraAuthorities] }),
  })
}
