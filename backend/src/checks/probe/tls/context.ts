import { constants } from 'node:crypto'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'

/**
 * The one set of TLS options of all checks: TLS 1.2 and newer, no session that could be resumed, the authorities that Node
 * trusts (with `NODE_EXTRA_CA_CERTS`) and those of `extraAuthorities`, PEM. Made once: reading the authorities takes longer
 * than a check.
 */
export function createTlsContext(extraAuthorities: readonly string[]): SecureContext {
  return createSecureContext({
    minVersion: 'TLSv1.2',
    secureOptions: constants.SSL_OP_NO_TICKET,
    // The first one is offered with a key. By default that is a hybrid with ML-KEM, whose key costs a tenth of a check.
    ecdhCurve: 'X25519:P-256:P-384:P-521:X25519MLKEM768',
    ...(extraAuthorities.length > 0 && { ca: [...getCACertificates('default'), ...extraAuthorities] }),
  })
}
