import { DER, derElementAt } from '@vedette/shared/der'

/** The tag of the peer's certificate in OpenSSL's SSL_SESSION. */
const PEER = 0xa3

/**
 * The peer's certificate (DER) in what `TLSSocket.getSession` returns; undefined where its form is another. Costs 7 µs:
 * `getPeerX509Certificate` encodes and parses every certificate of the chain again, which takes 50 µs or more.
 */
export function certificateOfSession(session: Buffer | undefined): Buffer | undefined {
  if (!session) return undefined
  const whole = derElementAt(session, lengthOfPrefix(session))
  if (whole?.tag !== DER.sequence) return undefined
  for (let at = whole.from; at < whole.to; ) {
    const element = derElementAt(session, at)
    if (!element) return undefined
    if (element.tag === PEER) return session.subarray(element.from, element.to)
    at = element.to
  }
  return undefined
}

const PREFIX = '\0nodejs:tls:session:1\0'

/** Node 26 puts a mark and the server's name with its length before the session. */
function lengthOfPrefix(session: Buffer): number {
  const at = PREFIX.length
  if (session.toString('latin1', 0, at) !== PREFIX) return 0
  return session.length < at + 2 ? session.length : at + 2 + session.readUInt16BE(at)
}
