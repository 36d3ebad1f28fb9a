import type { ErrorDetail } from '../errors.ts'
import { HTTP_PROTOCOLS } from './limits.ts'
import { assertionFaults, isHeaderName } from './assertion-faults.ts'
import {
  type CheckDefinition,
  MAX_HEADER_NAME_LENGTH,
  MAX_HEADER_VALUE_LENGTH,
  MAX_REQUEST_BODY_BYTES,
  MAX_REQUEST_HEADERS,
  MAX_URL_LENGTH,
  TIMEOUT_SECONDS,
} from './definition.ts'

/**
 * What a schema cannot say of a check; every fault with the field it is in. Empty when there is none. `protocols` are those of
 * the check's kind.
 */
export function definitionFaults(
  definition: Partial<CheckDefinition>,
  protocols: readonly string[] = HTTP_PROTOCOLS,
): ErrorDetail[] {
  const { url, method = 'GET', headers, body, timeout, assertions } = definition
  return [
    ...(url === undefined ? [] : urlFaults(url, protocols)),
    ...(headers === undefined ? [] : headerFaults(headers)),
    ...(body === undefined || body === null ? [] : bodyFaults(body, method)),
    ...(timeout === undefined ? [] : timeoutFaults(timeout)),
    ...(assertions === undefined ? [] : assertionFaults(assertions)),
  ]
}

function timeoutFaults(timeout: number): ErrorDetail[] {
  const { minimum, maximum } = TIMEOUT_SECONDS
  if (Number.isInteger(timeout) && timeout >= minimum && timeout <= maximum) return []
  return [{ path: 'timeout', message: `timeout is in seconds: a whole number from ${minimum} to ${maximum}` }]
}

function urlFaults(text: string, protocols: readonly string[]): ErrorDetail[] {
  const message = urlFault(text, protocols)
  return message === undefined ? [] : [{ path: 'url', message }]
}

function urlFault(text: string, protocols: readonly string[]): string | undefined {
  const beginning = protocols.map((protocol) => `${protocol}//`).join(' or ')
  if (text.length > MAX_URL_LENGTH) return `url has at most ${MAX_URL_LENGTH} characters`
  const url = URL.parse(text)
  if (!url) return `url is not a URL: it begins with ${beginning} and names a host`
  if (!protocols.includes(url.protocol) || url.hostname === '') return `url begins with ${beginning} and names a host`
  // A parser finds them, not a pattern: `http://a@b` and `http://a\@b` are different hosts.
  if (url.username !== '' || url.password !== '') return 'url holds no user name or password: send them in a header'
  if (url.port === '0') return 'url names port 0, which nothing can listen on'
  // What the parser wrote out (%-escapes) is what is sent.
  return url.href.length > 4 * MAX_URL_LENGTH ? 'url is too long once it is escaped' : undefined
}

function bodyFaults(body: string, method: string): ErrorDetail[] {
  if (method === 'GET' || method === 'HEAD') return [{ path: 'body', message: `body does not go with ${method}` }]
  if (new TextEncoder().encode(body).length <= MAX_REQUEST_BODY_BYTES) return []
  return [{ path: 'body', message: `body has at most ${MAX_REQUEST_BODY_BYTES} bytes in UTF-8 (64 KiB)` }]
}

/** `field-value` of RFC 9110: visible characters, blanks and tabs between them, and the bytes above ASCII. */
const FIELD_VALUE = /^(?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?$/
const HOST = /^(?:[A-Za-z0-9._~%!$&'()*+,;=-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/

/** These belong to the connection or to the framing of the message, which the probe alone decides. */
const REFUSED_HEADERS = new Set([
  'connection',
  'content-length',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

function headerFaults(headers: Record<string, string>): ErrorDetail[] {
  const names = Object.keys(headers)
  if (names.length > MAX_REQUEST_HEADERS) return [{ path: 'headers', message: `headers are at most ${MAX_REQUEST_HEADERS}` }]
  const seen = new Set<string>()
  return names.flatMap((name) => {
    const lower = name.toLowerCase()
    const isRepeated = seen.has(lower)
    seen.add(lower)
    const message = headerFault(name, headers[name] as string) ?? (isRepeated ? `header ${lower} is given twice` : undefined)
    return message === undefined ? [] : [{ path: `headers.${name}`, message }]
  })
}

/** The value never stands in the message: it may be a secret. */
function headerFault(name: string, value: string): string | undefined {
  const lower = name.toLowerCase()
  if (name.length > MAX_HEADER_NAME_LENGTH || !isHeaderName(name))
    return `a header name has 1 to ${MAX_HEADER_NAME_LENGTH} characters: letters, digits and !#$%&'*+-.^_\`|~`
  if (REFUSED_HEADERS.has(lower)) return `header ${lower} cannot be set: the probe sets it for each connection`
  if (value.length > MAX_HEADER_VALUE_LENGTH)
    return `the value of header ${lower} has at most ${MAX_HEADER_VALUE_LENGTH} characters`
  if (!FIELD_VALUE.test(value))
    return `the value of header ${lower} has a character that RFC 9110 does not allow (line break, control, beyond Latin-1), or a blank at an end`
  return lower === 'host' && !HOST.test(value) ? 'header host is a host name with an optional port' : undefined
}
