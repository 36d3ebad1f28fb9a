import { CHECK_METHODS, TIMEOUT_SECONDS } from '@vedette/shared/tables'
import type { Draft } from '../draft.ts'
import { basicAuthorization, web } from './drafts.ts'
import { readOptions } from './shell-words.ts'

/** `curl` with what a check can do of it: URL, method, headers, body, login, redirects, certificate and time. */

const VALUED = {
  X: 'method',
  request: 'method',
  H: 'header',
  header: 'header',
  d: 'data',
  data: 'data',
  'data-raw': 'data',
  'data-binary': 'data',
  'data-ascii': 'data',
  'data-urlencode': 'data',
  json: 'json',
  u: 'user',
  user: 'user',
  A: 'agent',
  'user-agent': 'agent',
  e: 'referer',
  referer: 'referer',
  b: 'cookie',
  cookie: 'cookie',
  url: 'url',
  m: 'time',
  'max-time': 'time',
  'oauth2-bearer': 'bearer',
  // With a value that a check has no use for.
  o: 'other',
  output: 'other',
  c: 'other',
  'cookie-jar': 'other',
  x: 'other',
  proxy: 'other',
  w: 'other',
  'write-out': 'other',
  F: 'other',
  form: 'other',
  E: 'other',
  cert: 'other',
  key: 'other',
  cacert: 'other',
  capath: 'other',
  resolve: 'other',
  'connect-to': 'other',
  'connect-timeout': 'other',
  retry: 'other',
  'retry-delay': 'other',
  'retry-max-time': 'other',
  interface: 'other',
  T: 'other',
  'upload-file': 'other',
  D: 'other',
  'dump-header': 'other',
  ciphers: 'other',
  limit: 'other',
  'limit-rate': 'other',
  // Of wget.
  'post-data': 'data',
  'body-data': 'data',
  method: 'method',
  timeout: 'time',
  'http-user': 'httpUser',
  'http-password': 'httpPassword',
} as const

/** What the check sets itself, and what browsers add for themselves. */
const LEFT_OUT =
  /^(?:connection|content-length|transfer-encoding|te|trailer|upgrade|keep-alive|proxy-.*|http2-settings|upgrade-insecure-requests|sec-.*|priority|if-none-match|if-modified-since)$/i

export function readCurl(words: readonly string[]): Draft[] {
  const { values, flags, rest } = readOptions(words, VALUED)
  const all = (name: string) => values[name] ?? []
  const last = (name: string) => all(name).at(-1)
  const has = (...names: string[]) => names.some((name) => flags.has(name))
  const [typed] = [...all('url'), ...rest.filter((word) => /[.:/]|^localhost$/.test(word))]
  if (typed === undefined) return []
  const data = [...all('data'), ...all('json')].filter((part) => !part.startsWith('@'))
  const isQuery = has('G', 'get')
  const body = isQuery ? '' : data.join(all('json').length > 0 ? '' : '&')
  const method = (last('method') ?? (has('I', 'head') ? 'HEAD' : body === '' ? 'GET' : 'POST')).toUpperCase()
  const headers = headersOf(all('header'))
  const add = (name: string, value: string | undefined) => {
    if (value !== undefined && !headers.some(([header]) => header.toLowerCase() === name.toLowerCase()))
      headers.push([name, value])
  }
  add('User-Agent', last('agent'))
  add('Referer', last('referer'))
  // A cookie jar is a file.
  add('Cookie', last('cookie')?.includes('=') ? last('cookie') : undefined)
  if (all('json').length > 0) {
    add('Content-Type', 'application/json')
    add('Accept', 'application/json')
  } else if (body !== '') add('Content-Type', 'application/x-www-form-urlencoded')
  const user = last('user') ?? (last('httpUser') === undefined ? undefined : `${last('httpUser')}:${last('httpPassword') ?? ''}`)
  if (user !== undefined) {
    const [name = '', ...password] = user.split(':')
    add(...basicAuthorization(name, password.join(':')))
  }
  const { bearer, others } = withoutBearer(headers, last('bearer'))
  const seconds = Math.ceil(Number(last('time') ?? Number.NaN))
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(typed) ? typed : `http://${typed}`
  return web(isQuery && data.length > 0 ? `${url}${url.includes('?') ? '&' : '?'}${data.join('&')}` : url, {
    ...((CHECK_METHODS as readonly string[]).includes(method) && method !== 'GET' && { method }),
    ...(others.length > 0 && { headers: others }),
    ...(body !== '' && method !== 'GET' && method !== 'HEAD' && { body }),
    ...(bearer !== undefined && { credentials: { bearer_token: bearer } }),
    ...(has('k', 'insecure', 'no-check-certificate') && { verifyTls: false }),
    ...(seconds >= TIMEOUT_SECONDS.minimum && seconds <= TIMEOUT_SECONDS.maximum && { timeoutSeconds: seconds }),
  })
}

/** Each once, the last one counts; `name;` is one without a value. */
function headersOf(given: readonly string[]): [string, string][] {
  const byName = new Map<string, [string, string]>()
  for (const text of given) {
    const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*[:;]([^\0\r\n]*)/.exec(text) ?? []
    if (name !== '' && !LEFT_OUT.test(name)) byName.set(name.toLowerCase(), [name, value.trim()])
  }
  return [...byName.values()]
}

/** A bearer token has a field of its own. */
function withoutBearer(headers: readonly [string, string][], given: string | undefined) {
  const found = headers.find(([name, value]) => name.toLowerCase() === 'authorization' && /^Bearer [\w.~+/=-]+$/i.test(value))
  return { bearer: given ?? found?.[1].slice('Bearer '.length), others: headers.filter((header) => header !== found) }
}
