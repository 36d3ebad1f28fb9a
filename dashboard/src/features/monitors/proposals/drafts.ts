import { MAIL_PORTS, PING_TOKEN } from '@vedette/shared/tables'
import { type HostAndPort, isAddress, isDomain, isHost, isPort, readHost, withPort } from '../address/host.ts'
import type { AddressParts } from '../address/address.ts'
import type { Draft } from '../draft.ts'
import { KIND_FORMS, kindFormOf } from '../kind-forms.ts'

/** The drafts that several readers make. A secret is in `credentials`, `headers` or `body`, and nowhere else. */

const above = (type: string, value: number) => [{ type, operator: 'greater_than', value }]

export const isTarget = ({ host, port }: HostAndPort): boolean => isHost(host) && (port === '' || isPort(port))

const isMailPort = (port: string): boolean => MAIL_PORTS.has(Number(port))

export const tcp = (target: HostAndPort): Draft[] =>
  isTarget(target) && target.port !== '' && !isMailPort(target.port) ? [{ type: 'tcp', url: `tcp://${withPort(target)}` }] : []

export const tls = (target: HostAndPort, options: Record<string, unknown> = {}): Draft[] =>
  isTarget(target) && !isMailPort(target.port)
    ? [
        {
          type: 'tls',
          url: `tls://${withPort({ ...target, port: target.port === '443' ? '' : target.port })}`,
          options,
          assertions: KIND_FORMS.tls.assertions ?? [],
        },
      ]
    : []

export const ping = (host: string): Draft[] =>
  isHost(host) ? [{ type: 'icmp', url: `icmp://${withPort({ host, port: '' })}` }] : []

export const ssh = ({ host, port }: HostAndPort): Draft[] => listed('ssh', { host, port: port === '22' ? '' : port })

/** A kind but SMTP whose address is a host, a port and further parts by the names of its fields; a part that it refuses is left out. */
export function listed(
  type: string,
  target: HostAndPort,
  parts: AddressParts = {},
  rest: Omit<Draft, 'type' | 'url'> = {},
): Draft[] {
  const { address: form, assertions } = kindFormOf(type)
  if (!form || !isTarget(target) || isMailPort(target.port)) return []
  const fine = Object.entries(parts).filter(
    ([name, value]) => form.fields.find((field) => field.name === name)?.fault?.(value) === undefined,
  )
  const url = form.toUrl({ ...form.initial, ...target, ...Object.fromEntries(fine) })
  return [{ type, url, ...(assertions && { assertions }), ...rest }]
}

export const file = (
  target: HostAndPort,
  { path = '', tls: mode = 'off', ...login }: Login & { path?: string; tls?: string } = {},
): Draft[] =>
  // A folder needs a login.
  listed(
    'ftp',
    target,
    { folder: login.username ? path : '' },
    {
      ...(mode !== 'off' && { options: { tls: mode } }),
      ...(login.username && { credentials: credentialsOf(login) }),
    },
  )

export const broker = (target: HostAndPort, isTls: boolean, { topic = '', ...login }: Login & { topic?: string } = {}): Draft[] =>
  listed(
    'mqtt',
    target,
    { topic, encryption: isTls ? 'TLS' : 'none' },
    {
      ...(login.username && { credentials: credentialsOf(login) }),
    },
  )

export function dns(name: string, recordType = 'A', resolver = ''): Draft[] {
  const assertions = recordType === 'MX' ? { assertions: above('answer_count', 0) } : {}
  return isHost(name) ? [{ type: 'dns', url: `dns://${resolver}/${name}?type=${recordType}`, ...assertions }] : []
}

/** The registration of a name without `www.`; one of many parts is hardly registered as such. */
export function domain(name: string): Draft[] {
  const registered = name.toLowerCase().replace(/^www\.|\.$/g, '')
  const isRegistered = isDomain(registered) && registered.split('.').length <= 3
  return isRegistered
    ? [{ type: 'domain', url: `domain://${registered}`, assertions: KIND_FORMS['domain']?.assertions ?? [] }]
    : []
}

export const mail = (type: 'smtp' | 'imap', target: HostAndPort, tlsMode: string): Draft[] =>
  isTarget(target) ? [{ type, url: `${type}://${withPort(target)}`, options: { tls: tlsMode } }] : []

interface Login {
  username?: string
  password?: string
}

/** Empty ones are left out. */
export const credentialsOf = ({ username = '', password = '' }: Login) => ({
  ...(username !== '' && { username }),
  ...(password !== '' && { password }),
})

export const database = (
  type: 'mongodb' | 'postgres' | 'mysql' | 'redis',
  target: HostAndPort,
  { name = '', options = {}, ...login }: Login & { name?: string; options?: Record<string, unknown> } = {},
): Draft[] => {
  if (!isTarget(target)) return []
  const { address: form } = kindFormOf(type)
  const part = type === 'redis' ? 'databaseNumber' : 'database'
  const url = form?.toUrl({ host: target.host, port: target.port, [part]: name }) ?? ''
  return [{ type, url, options, credentials: credentialsOf(login) }]
}

/** Waits for what a job sends to another service today; its token can be taken over. */
function pushUrl(url: URL): Draft[] {
  const [, kuma] = /^\/(?:.*\/)?api\/push\/([\w-]+)\/?$/.exec(url.pathname) ?? []
  const [, healthchecks] =
    /^\/(?:.*\/)?ping\/([\w-]+)(?:\/(?:start|fail|log|\d+))?$/.exec(url.pathname) ??
    (url.hostname === 'hc-ping.com' ? (/^\/([\w-]{36})(?:\/\w+)?$/.exec(url.pathname) ?? []) : [])
  const token = kuma ?? healthchecks
  if (token === undefined || !PING_TOKEN.pattern.test(token)) return []
  // Uptime Kuma pings every minute unless it is set otherwise.
  const schedule = kuma === undefined ? {} : { options: { schedule: { period_seconds: 60, grace_seconds: 60 } } }
  return [{ type: 'heartbeat', credentials: { token }, ...schedule }]
}

/** Base64 of UTF-8. */
const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)))

export const basicAuthorization = (username: string, password: string): readonly [string, string] => [
  'Authorization',
  `Basic ${base64(`${username}:${password}`)}`,
]

export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A request of a URL over http or https, and the certificate; of an address that jobs push to the heartbeat. */
export function web(text: string, rest: Omit<Draft, 'type' | 'url'> = {}): Draft[] {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '' || url.port === '0') return []
  // As it is typed: the parser writes international names in ASCII.
  const target = { host: readHost(text).host, port: url.port }
  if (isMailPort(url.port)) return mail('smtp', target, url.port === '465' ? 'implicit' : 'starttls')
  const pushed = pushUrl(url)
  if (pushed.length > 0) return pushed
  const { username, password } = url
  if (username === '' && password === '') return [{ type: 'http', url: text, ...rest }, ...certificate(url, target)]
  url.username = ''
  url.password = ''
  const headers = [...(rest.headers ?? []), basicAuthorization(decoded(username), decoded(password))]
  return [{ type: 'http', url: url.href, ...rest, headers }, ...certificate(url, target)]
}

const certificate = ({ protocol }: URL, target: HostAndPort): Draft[] =>
  protocol === 'https:' && !isAddress(target.host) ? tls(target) : []
