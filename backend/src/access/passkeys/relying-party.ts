import { isIP } from 'node:net'

/** Whom passkeys belong to, in the words of the Web Authentication standard. */
export interface RelyingParty {
  /** A host name. */
  id: string
  origin: string
}

/**
 * Of the public URL. Browsers offer passkeys to names alone, over HTTPS or on `localhost`, which stands for the loopback addresses
 * here. Undefined where they would not.
 */
export function relyingPartyOf(publicUrl: string): RelyingParty | undefined {
  const url = new URL(publicUrl)
  const address = url.hostname.replaceAll(/[[\]]/g, '')
  if (address === '::1' || address.startsWith('127.')) url.hostname = 'localhost'
  const isSecure = url.protocol === 'https:' || url.hostname === 'localhost'
  return isSecure && isIP(url.hostname.replaceAll(/[[\]]/g, '')) === 0 ? { id: url.hostname, origin: url.origin } : undefined
}
