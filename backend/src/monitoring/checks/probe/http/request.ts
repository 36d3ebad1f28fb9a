import type { CheckMethod } from '@vedette/shared'

/** One request of a check; each redirect is another one. */
export interface HttpRequest {
  url: URL
  method: CheckMethod
  /** The monitor's headers; none concerns the connection. */
  headers: Readonly<Record<string, string>>
  body: Buffer | undefined
}

const DEFAULTS: Readonly<Record<string, string>> = {
  'User-Agent': 'Vedette',
  Accept: '*/*',
  'Accept-Encoding': 'gzip, deflate, br, zstd',
}

/** `host` of a URL without the brackets around IPv6. */
export const hostOf = ({ hostname }: URL): string => (hostname.startsWith('[') ? hostname.slice(1, -1) : hostname)

export const portOf = ({ port, protocol }: URL): number => (port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port))

/** Names and values of all headers except those of the framing, `Host` first. */
export function fieldsOf({ url, headers }: HttpRequest): [name: string, value: string][] {
  const own = Object.entries(headers)
  const has = (wanted: string) => own.some(([name]) => name.toLowerCase() === wanted.toLowerCase())
  const defaults = Object.entries(DEFAULTS).filter(([name]) => !has(name))
  const host = own.find(([name]) => name.toLowerCase() === 'host')?.[1] ?? url.host
  return [['Host', host], ...defaults, ...own.filter(([name]) => name.toLowerCase() !== 'host')]
}

/** A fragment is never sent. */
export const pathOf = ({ pathname, search }: URL): string => `${pathname}${search}`

const METHODS_WITH_BODY: ReadonlySet<CheckMethod> = new Set(['POST', 'PUT', 'PATCH'])

/** The Content-Length to send; undefined where servers expect none. */
export function contentLengthOf({ method, body }: HttpRequest): number | undefined {
  return body?.length ?? (METHODS_WITH_BODY.has(method) ? 0 : undefined)
}

/** The complete HTTP/1.1 request in one piece: the second piece would wait for an acknowledgement of the first. */
export function encodeRequest(request: HttpRequest): Buffer {
  const lines = [`${request.method} ${pathOf(request.url)} HTTP/1.1`]
  for (const [name, value] of fieldsOf(request)) lines.push(`${name}: ${value}`)
  const length = contentLengthOf(request)
  if (length !== undefined) lines.push(`Content-Length: ${length}`)
  lines.push('Connection: close', '', '')
  const head = Buffer.from(lines.join('\r\n'), 'latin1')
  return request.body ? Buffer.concat([head, request.body]) : head
}
