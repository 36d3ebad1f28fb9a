import { constants, createHash } from 'node:crypto'
import { createSecureContext, DEFAULT_CIPHERS, getCACertificates, type SecureContext } from 'node:tls'

/** Node's own list, with the cheapest TLS 1.3 cipher first: CPUs have instructions for SHA-256, not for SHA-384. */
const FIRST = 'TLS_AES_128_GCM_SHA256'
const AS_BROWSERS = [FIRST, ...DEFAULT_CIPHERS.split(':').filter((name) => name !== FIRST)].join(':')

/**
 * The TLS options of all checks: TLS 1.2 and newer, no session resumption, Node's authorities (with `NODE_EXTRA_CA_CERTS`) and
 * `extraAuthorities`, PEM. Created once, and once for each client certificate: reading the authorities takes longer than a check.
 */
function createTlsContext(extraAuthorities: readonly string[], client?: ClientCertificate): SecureContext {
  return createSecureContext({
    ...(client && { cert: client.certificate, key: client.key }),
    minVersion: 'TLSv1.2',
    ciphers: AS_BROWSERS,
    secureOptions: constants.SSL_OP_NO_TICKET,
    // Without the ML-KEM hybrid that Node offers first: its key costs a tenth of a check. Offered last it would be worse, because
    // a server that prefers it asks for a second ClientHello.
    ecdhCurve: 'X25519:P-256:P-384:P-521',
    ...(extraAuthorities.length > 0 && { ca: [...getCACertificates('default'), ...extraAuthorities] }),
  })
}

/** A certificate with its key that a target of mutual TLS requests, PEM. */
export interface ClientCertificate {
  certificate: string
  key: string
}

/** The context without a client certificate, or the one with it. Throws where certificate and key cannot be used. */
export type TlsContexts = (client: ClientCertificate | undefined) => SecureContext

const MAX_CONTEXTS = 500

export function createTlsContexts(extraAuthorities: readonly string[]): TlsContexts {
  const plain = createTlsContext(extraAuthorities)
  const byClient = new Map<string, SecureContext>()
  return (client) => {
    if (!client) return plain
    const key = createHash('sha256')
      .update(JSON.stringify([client.certificate, client.key]))
      .digest('base64')
    const existing = byClient.get(key)
    if (existing) return existing
    const context = createTlsContext(extraAuthorities, client)
    if (byClient.size >= MAX_CONTEXTS) byClient.clear()
    byClient.set(key, context)
    return context
  }
}
