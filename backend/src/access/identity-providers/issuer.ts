const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/**
 * Why a URL cannot be an issuer; undefined for one that can. Codes and secrets go to it: in the clear only inside of this machine.
 * Whether its address may be reached is decided when it is.
 */
export function issuerFault(issuer: string): string | undefined {
  const url = URL.parse(issuer)
  if (!url) return 'must be a URL, for example https://login.example.com'
  if (url.protocol !== 'https:' && !isPlain(issuer)) return 'must begin with https://'
  if (url.username !== '' || url.password !== '') return 'must not have a user or a password'
  if (url.search !== '' || url.hash !== '') return 'must not have a query or a fragment'
  return undefined
}

/** Whether the provider is reached without TLS, which is possible on this machine only. */
export function isPlain(issuer: string): boolean {
  const url = URL.parse(issuer)
  return url?.protocol === 'http:' && LOOPBACK.test(url.hostname)
}

/** The host that people see before they go to a provider. */
export const hostOf = (issuer: string): string => URL.parse(issuer)?.host ?? ''
