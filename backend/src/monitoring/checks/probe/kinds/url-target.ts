import { hostOf } from '../http/request.ts'

/**
 * Host and port of a URL of any scheme. The host is read as in a URL of http, so that every spelling of an address is recognized as
 * one, and international names become ASCII; undefined where it is no host. `defaultPort` without a port in the URL.
 */
export function targetOfUrl(url: string, defaultPort: number): { host: string; port: number } | undefined {
  const { hostname, port } = new URL(url)
  const asHttp = URL.parse(`http://${hostname}`)
  return asHttp ? { host: hostOf(asHttp), port: port === '' ? defaultPort : Number(port) } : undefined
}

/** The fault of a URL without a valid host. */
export const NO_HOST = { code: 'dns', message: 'the URL contains no valid host', isOfDefinition: true } as const
