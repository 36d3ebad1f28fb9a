import type { ErrorDetail } from '../../wire/errors.ts'
import type { Assertion } from './assertion.ts'
import { type CheckKindSpec, CHECK_TYPES, checkKindSpec } from './kinds/index.ts'
import { networkFaults } from './network/faults.ts'
import { credentialFaults, optionFaults } from './option-faults.ts'
import { withOptionDefaults } from './options.ts'
import { targetFault } from './target-fault.ts'
import { validateAssertions, validateUnknownAssertions, isHeaderName } from './validate-assertions.ts'
import {
  HTTP_FIELDS,
  type HttpField,
  MONITOR_INTERVAL_SECONDS,
  MAX_HEADER_NAME_LENGTH,
  MAX_HEADER_VALUE_LENGTH,
  MAX_REQUEST_BODY_BYTES,
  MAX_REQUEST_HEADERS,
  MAX_URL_LENGTH,
  TIMEOUT_SECONDS,
} from './limits.ts'

/** A definition while it is checked; fields that are absent have no faults. */
export interface DefinitionInput extends Partial<Record<HttpField, unknown>> {
  type?: string
  url?: string
  interval?: number
  timeout?: number
  headers?: Record<string, string> | undefined
  body?: string | null | undefined
  options?: Record<string, unknown>
  credentials?: Record<string, string>
  assertions?: readonly Assertion[]
}

/** Returns the faults that the schema cannot express, each with the path of its field. */
export function validateDefinition(definition: DefinitionInput): ErrorDetail[] {
  const { type = 'http', url, method = 'GET', headers, body, interval, timeout, options, credentials, assertions } = definition
  const kind = checkKindSpec(type)
  if (!kind) return [{ path: 'type', message: `must be one of ${Object.keys(CHECK_TYPES).join(', ')}` }]
  const own = [
    ...(url === undefined ? [] : urlFaults(url, kind)),
    ...(options === undefined ? [] : optionFaults(type, kind, options)),
    ...(credentials === undefined ? [] : credentialFaults(type, kind, credentials)),
  ]
  return [
    ...own,
    ...(own.length > 0 || url === undefined
      ? []
      : [
          ...(kind.faults?.({
            url: new URL(url),
            options: withOptionDefaults(kind, options),
            credentials: ownCredentials(credentials),
            headers,
            headersFaults: headerFaults,
            assertionsFaults: (list) => validateUnknownAssertions(list),
          }) ?? []),
          ...networkFaults(kind, { type, url, options: withOptionDefaults(kind, options), credentials: credentials ?? {} }),
        ]),
    ...(type === 'http' ? [] : foreignFaults(type, definition)),
    ...(headers === undefined ? [] : headerFaults(headers)),
    ...(body === undefined || body === null ? [] : bodyFaults(body, String(method))),
    ...(timeout === undefined ? [] : timeoutFaults(timeout)),
    ...(interval === undefined ? [] : intervalFaults(interval, kind)),
    ...(assertions === undefined ? [] : validateAssertions(assertions, type)),
  ]
}

/** That of the proxy is no business of the kind. */
const ownCredentials = ({ proxy_password: _password, ...own }: Record<string, string> = {}): Record<string, string> => own

const foreignFaults = (type: string, definition: DefinitionInput): ErrorDetail[] =>
  HTTP_FIELDS.filter((field) => definition[field] !== undefined).map((path) => ({
    path,
    message: `is a field of checks of type http, not of ${type}`,
  }))

function timeoutFaults(timeout: number): ErrorDetail[] {
  const { minimum, maximum } = TIMEOUT_SECONDS
  if (Number.isInteger(timeout) && timeout >= minimum && timeout <= maximum) return []
  return [{ path: 'timeout', message: `must be a whole number of seconds from ${minimum} to ${maximum}` }]
}

/** The common bounds are those of the schema. */
function intervalFaults(interval: number, { minimumInterval = 0 }: CheckKindSpec): ErrorDetail[] {
  if (interval >= minimumInterval) return []
  const { maximum } = MONITOR_INTERVAL_SECONDS
  return [{ path: 'interval', message: `must be a whole number from ${minimumInterval} to ${maximum} seconds for this type` }]
}

function urlFaults(text: string, kind: CheckKindSpec): ErrorDetail[] {
  const message = urlFault(text, kind)
  return message === undefined ? [] : [{ path: 'url', message }]
}

function urlFault(text: string, { protocols, example, mayLackHost, isMail }: CheckKindSpec): string | undefined {
  const beginning = protocols.map((protocol) => `${protocol}//`).join(' or ')
  const needed = mayLackHost === true ? '' : ' and contain a host'
  // An empty one is refused by the schema: none was sent.
  if (text === '') return 'is required'
  if (text.length > MAX_URL_LENGTH) return `must have at most ${MAX_URL_LENGTH} characters`
  const url = URL.parse(text)
  const fault = targetFault(text, isMail)
  if (fault !== undefined && !url) return fault
  if (!url || !protocols.includes(url.protocol) || (url.hostname === '' && mayLackHost !== true))
    return `must be a URL that begins with ${beginning}${needed}, such as ${example}`
  // The parser decides, not a pattern: `http://a@b` and `http://a\@b` have different hosts.
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password'
  if (url.port === '0') return 'must not contain port 0'
  if (fault !== undefined) return fault
  // The request contains the URL as the parser writes it, with %-escapes.
  return url.href.length > 4 * MAX_URL_LENGTH ? 'is too long when it is escaped' : undefined
}

function bodyFaults(body: string, method: string): ErrorDetail[] {
  if (method === 'GET' || method === 'HEAD') return [{ path: 'body', message: `must be empty with method ${method}` }]
  if (new TextEncoder().encode(body).length <= MAX_REQUEST_BODY_BYTES) return []
  return [{ path: 'body', message: `must have at most ${MAX_REQUEST_BODY_BYTES} bytes in UTF-8 (64 KiB)` }]
}

/** `field-value` of RFC 9110: visible characters with blanks and tabs between them, and bytes above ASCII. */
const FIELD_VALUE = /^(?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?$/
const HOST = /^(?:[A-Za-z0-9._~%!$&'()*+,;=-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/

/** Headers of the connection or of the message framing, which the probe sets. */
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
  if (names.length > MAX_REQUEST_HEADERS)
    return [{ path: 'headers', message: `must have at most ${MAX_REQUEST_HEADERS} entries` }]
  const seen = new Set<string>()
  return names.flatMap((name) => {
    const lower = name.toLowerCase()
    const isRepeated = seen.has(lower)
    seen.add(lower)
    const message =
      headerFault(name, headers[name] as string) ?? (isRepeated ? `header ${lower} must not be repeated` : undefined)
    return message === undefined ? [] : [{ path: `headers.${name}`, message }]
  })
}

/** The message never contains the value, which may be a secret. */
function headerFault(name: string, value: string): string | undefined {
  const lower = name.toLowerCase()
  if (name.length > MAX_HEADER_NAME_LENGTH || !isHeaderName(name))
    return `a header name must have 1 to ${MAX_HEADER_NAME_LENGTH} characters: letters, digits and !#$%&'*+-.^_\`|~`
  if (REFUSED_HEADERS.has(lower)) return `header ${lower} must not be set: the probe sets it for each connection`
  if (value.length > MAX_HEADER_VALUE_LENGTH)
    return `the value of header ${lower} must have at most ${MAX_HEADER_VALUE_LENGTH} characters`
  if (!FIELD_VALUE.test(value))
    return `the value of header ${lower} contains a character that RFC 9110 forbids (line break, control character, beyond Latin-1), or a blank at an end`
  return lower === 'host' && !HOST.test(value) ? 'header host must be a host name with an optional port' : undefined
}
