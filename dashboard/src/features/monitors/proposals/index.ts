import { isAddress, isDomain, isHost, isPort, readHost, withPort, type HostAndPort } from '../address/host.ts'
import type { Draft } from '../draft.ts'
import { kindFormOf } from '../kind-forms.ts'
import { PROVIDERS } from '../provider-catalogue.ts'
import { readCommand } from './commands.ts'
import { readConnectionString, readKeyValues } from './connection-string.ts'
import { broker, database, dns, domain, file, listed, mail, ping, ssh, tcp, tls, web } from './drafts.ts'
import { MAX_TYPED_LENGTH } from './limits.ts'
import { readSchedule } from './schedule.ts'
import { shellWords } from './shell-words.ts'

const MAX_DRAFTS = 6

/**
 * What a person may mean by a text: monitors to begin with, the likeliest first; none where nothing is understood. A secret in the
 * text is in `credentials`, `headers` or `body` of a draft and nowhere else. Pure; the time grows as the length.
 */
export function proposalsFor(typed: string, timeZone: string): Draft[] {
  const text = tidied(typed)
  if (text === '' || typed.length > MAX_TYPED_LENGTH) return []
  const words = shellWords(text)
  const read =
    readCommand(words) ??
    orNothing(readSchedule(text, timeZone)) ??
    readKeyValues(text) ??
    readConnectionString(words.length === 1 ? (words[0] ?? '') : text) ??
    readNamed(words) ??
    readTarget(words) ??
    readUrlWithin(text)
  return unlike(withStatusPage(read)).slice(0, MAX_DRAFTS)
}

/** Without quotes and blanks around it, the prompt of a shell, and characters that nobody sees. */
const tidied = (typed: string): string =>
  typed
    .replaceAll(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]/g, '')
    // oxlint-disable-next-line no-control-regex -- they are what is removed
    .replaceAll(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g, '')
    .trim()
    .replace(/^[$#>%]\s+(?=\S)/, '')
    .replace(/^(["'`<])([^"'`<>]*)["'`>]$/, '$2')

const orNothing = (drafts: Draft[]): Draft[] | undefined => (drafts.length > 0 ? drafts : undefined)

/** Each kind and address once. */
function unlike(drafts: readonly Draft[]): Draft[] {
  const seen = new Set<string>()
  return drafts.filter(({ type, url = '', name = '' }) => {
    const key = `${type} ${url} ${name}`
    const isNew = !seen.has(key)
    seen.add(key)
    return isNew
  })
}

/** `shop.example.com`, `db:5432`, `db 5432`, `ada@shop.example.com`, `shop.example.com/login`. */
function readTarget(words: readonly string[]): Draft[] | undefined {
  const [first = '', second, ...more] = words
  if (more.length > 0 || (second !== undefined && !isPort(second))) return undefined
  const text = second === undefined ? first : `${first}:${second}`
  const email = /^[^\s@/:]{1,64}@([^\s@/:]{1,253})$/.exec(text)
  if (email) return ofMailDomain(email[1] ?? '')
  if (/[/?#]/.test(text) && !/^[^/?#]*\/$/.test(text)) {
    const url = kindFormOf('http').address.toUrl({ url: text })
    return isHost(readHost(text).host) ? orNothing(web(url)) : undefined
  }
  const target = readHost(text)
  if (!isHost(target.host) || (target.port !== '' && !isPort(target.port))) return undefined
  return target.port === '' ? ofHost(target.host) : ofPort(target)
}

/** Kinds that people name before a host; programs with the same name are commands. */
const NAMED = /^(?:mqtts?|ldaps?|ntp|radius|sips?|rtsps?|snmp|udp|tcp|tls|grpcs?|mongodb|redis|postgres|smtp|imap|ftps)$/

/** `mqtt broker.example`, `udp game.example 27015`, `sip:100@pbx.example`, `game.example:27015/udp`, and `ntp pool`. */
function readNamed(words: readonly string[]): Draft[] | undefined {
  const [first = '', host = '', port, ...more] = words
  const name = first.toLowerCase()
  if (words.length === 1) {
    const [, scheme, phone] = /^(sips?):(?!\/\/)(?:[^@\s]*@)?([^;?\s]+)/i.exec(first) ?? []
    if (scheme !== undefined) return connection(scheme, readHost(phone ?? ''))
    const [, target, transport] = /^([^/]+:\d+)\/(udp|tcp)$/i.exec(first) ?? []
    return transport === undefined ? undefined : connection(transport, readHost(target ?? ''))
  }
  if (!NAMED.test(name) || more.length > 0 || (port !== undefined && !isPort(port))) return undefined
  // As the project of its servers is called.
  if (name === 'ntp' && host.toLowerCase() === 'pool') return connection('ntp', { host: 'pool.ntp.org', port: '' })
  const target = readHost(host)
  return connection(name, { ...target, port: port ?? target.port })
}

const connection = (scheme: string, target: HostAndPort): Draft[] | undefined =>
  isHost(target.host) && (target.port === '' || isPort(target.port))
    ? readConnectionString(`${scheme.toLowerCase()}://${withPort(target)}`)
    : undefined

/** What hosts of status pages are called. */
const STATUS_HOST = /(?:^|[.])status[.]|^(?:www[.])?[a-z0-9-]*status(?:page)?[.]|[.](?:statuspage[.]io|instatus[.]com)$/

/** The address of a status page may be meant as one: first where it is that of a provider, after the requests to it otherwise. */
function withStatusPage(drafts: readonly Draft[]): readonly Draft[] {
  const [{ type, url = '' } = { type: '' }] = drafts
  const parsed = type === 'http' && URL.canParse(url) ? new URL(url) : undefined
  if (parsed?.pathname !== '/' || parsed.search !== '' || parsed.port !== '') return drafts
  const [page, known] = [parsed.origin, Object.values(PROVIDERS)]
  const provided = known.find((each) => each === page || each === page.replace('//', '//www.'))
  const upstream = [{ type: 'upstream', url: provided ?? page }]
  if (provided !== undefined) return [...upstream, ...drafts]
  return STATUS_HOST.test(parsed.hostname) ? [...drafts.slice(0, 1), ...upstream, ...drafts.slice(1)] : drafts
}

const ofMailDomain = (name: string): Draft[] => (isDomain(name) ? [...dns(name, 'MX'), ...domain(name), ...webOf(name)] : [])

const webOf = (authority: string): Draft[] => web(kindFormOf('http').address.toUrl({ url: authority }))

/** What the first part of a name promises. */
const BY_NAME: readonly (readonly [RegExp, (host: string) => Draft[]])[] = [
  [/^(?:mail|smtp|mx\d*|relay)\./, (host) => mail('smtp', { host, port: '' }, 'starttls')],
  [/^(?:imap|mail|mailbox)\./, (host) => mail('imap', { host, port: '993' }, 'implicit')],
  [/^(?:ns\d*|dns\d*)\./, (host) => dns(host.replace(/^[^.]*\./, ''), 'SOA', host)],
  [/^ftp\d*\./, (host) => file({ host, port: '' })],
  [/^(?:mqtt|mosquitto|broker)\d*[.-]/, (host) => broker({ host, port: '' }, false)],
  [/^(?:ntp|time)\d*\.|(?:^|\.)pool\.ntp\.org$/, (host) => listed('ntp', { host, port: '' })],
  [/^radius\d*[.-]/, (host) => listed('radius', { host, port: '' })],
  [/^(?:ssh|bastion|sftp)\d*[.-]/, (host) => ssh({ host, port: '' })],
  [/^mongo(?:db)?\d*[.-]/, (host) => database('mongodb', { host, port: '' })],
  [/^(?:postgres|pg|pgsql)\d*[.-]/, (host) => database('postgres', { host, port: '' })],
  [/^(?:mysql|mariadb)\d*[.-]/, (host) => database('mysql', { host, port: '' })],
  [/^(?:redis|valkey)\d*[.-]/, (host) => database('redis', { host, port: '' })],
]

function ofHost(host: string): Draft[] {
  const target = { host, port: '' }
  if (isAddress(host)) return [...ping(host), ...webOf(withPort(target))]
  if (!isDomain(host)) return [...ping(host), ...webOf(host)]
  const byName = BY_NAME.flatMap(([pattern, read]) => (pattern.test(host.toLowerCase()) ? read(host) : []))
  return [...byName, ...webOf(host), ...tls(target), ...ping(host), ...domain(host), ...dns(host)]
}

const of = (type: string, target: HostAndPort, scheme = type): Draft[] => [{ type, url: `${scheme}://${withPort(target)}` }]

/** What usually listens on a port. */
const BY_PORT: Readonly<Record<string, (target: HostAndPort) => Draft[]>> = {
  '21': (target) => file(target),
  '22': ssh,
  '123': ({ host }) => listed('ntp', { host, port: '' }),
  '25': (target) => mail('smtp', target, 'starttls'),
  '587': (target) => mail('smtp', target, 'starttls'),
  '465': (target) => mail('smtp', target, 'implicit'),
  '143': (target) => mail('imap', target, 'starttls'),
  '993': (target) => mail('imap', target, 'implicit'),
  '110': (target) => tls(target, { starttls: 'pop3' }),
  '995': tls,
  '389': (target) => [...of('ldap', target), ...tls(target, { starttls: 'ldap' })],
  '636': (target) => [...of('ldap', target, 'ldaps'), ...tls(target)],
  '161': (target) => of('snmp', target),
  '554': (target) => of('rtsp', target),
  '5060': (target) => of('sip', target),
  '5061': (target) => of('sip', target, 'sips'),
  '27015': (target) => of('udp', target),
  '80': (target) => web(`http://${withPort({ ...target, port: '' })}`),
  '443': (target) => web(`https://${withPort({ ...target, port: '' })}`),
  '990': (target) => file(target, { tls: 'implicit' }),
  '1812': (target) => listed('radius', target),
  '1883': (target) => broker(target, false),
  '8883': (target) => broker(target, true),
  '27017': (target) => database('mongodb', target),
  '3306': (target) => database('mysql', target),
  '5432': (target) => database('postgres', target),
  '6432': (target) => database('postgres', target),
  '6379': (target) => database('redis', target),
  '50051': (target) => [{ type: 'grpc', url: `grpc://${withPort(target)}` }],
}
/** 8443, 9443, 4443. */
const SECURE_PORT = /443$/
const WEB_PORT = /^(?:80\d\d|3000|3001|4000|5000|5601|8\d{3}|9000|9090|9200)$/

function ofPort(target: HostAndPort): Draft[] {
  const port = [...tcp(target), ...(isDomain(target.host) ? tls(target) : [])]
  if (Object.hasOwn(BY_PORT, target.port)) return [...(BY_PORT[target.port]?.(target) ?? []), ...port]
  const isSecure = SECURE_PORT.test(target.port)
  const isWeb = isSecure || WEB_PORT.test(target.port)
  const request = (scheme: string) => web(`${scheme}://${withPort(target)}`).filter(({ type }) => type === 'http')
  const [https, http] = [request('https'), request('http')]
  // Most that listens on a name of the internet wants TLS; what a network of its own or a port for development has, does not.
  const asWeb = isSecure || (!isWeb && isDomain(target.host)) ? [...https, ...http] : [...http, ...https]
  return isWeb ? [...asWeb, ...port] : [...tcp(target), ...asWeb, ...port]
}

/** The first address in a text of anything else, such as a line of another program. */
function readUrlWithin(text: string): Draft[] {
  const at = text.search(/\bhttps?:\/\//i)
  if (at === -1) return []
  const [found = ''] = /^[^\s"'`<>()[\]{}|\\^]+/.exec(text.slice(at)) ?? []
  return web(found.replace(/[.,;:!?]+$/, ''))
}
