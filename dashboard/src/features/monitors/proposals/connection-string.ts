import { splitPort, withPort, type HostAndPort } from '../address/host.ts'
import type { Draft } from '../draft.ts'
import {
  broker,
  credentialsOf,
  database,
  decoded,
  dns,
  domain,
  file,
  isTarget,
  listed,
  mail,
  ping,
  ssh,
  tcp,
  tls,
  web,
} from './drafts.ts'

/** `scheme://user:password@host:port/path?query`, of databases, mail servers and everything else that listens on a port. */

interface Connection {
  scheme: string
  targets: readonly HostAndPort[]
  username: string
  password: string
  /** Without its first slash. */
  path: string
  query: URLSearchParams
}

type Reader = (connection: Connection, text: string) => Draft[]

/** Hosts of one connection string that are proposed, each as a monitor. */
const MAX_HOSTS = 4

const each =
  (read: (connection: Connection, target: HostAndPort) => Draft[]): Reader =>
  (connection) =>
    connection.targets.slice(0, MAX_HOSTS).flatMap((target) => read(connection, target))

const flag = (query: URLSearchParams, ...names: string[]): string =>
  names.map((name) => query.get(name)?.toLowerCase()).find((value) => value !== undefined && value !== null) ?? ''

/** TLS as the parameters of the usual libraries ask for it. */
function tlsOptions(query: URLSearchParams, isSecure: boolean): Record<string, unknown> {
  const mode = flag(query, 'sslmode', 'ssl-mode', 'sslMode', 'ssl', 'useSSL', 'tls')
  const isRequired = isSecure || /^(?:require|required|verify.*|true|1|skip-verify)$/.test(mode)
  if (!isRequired) return {}
  const isVerified = isSecure || /^(?:verify|true)/.test(mode)
  return { tls: 'required', ...(isVerified ? {} : { verify_tls: false }) }
}

const sql = (type: 'postgres' | 'mysql') =>
  each(({ username, password, path, query }, target) =>
    database(type, target, {
      username: username || (query.get('user') ?? ''),
      password: password || (query.get('password') ?? ''),
      name: decoded(path.split('/')[0] ?? ''),
      options: tlsOptions(query, false),
    }),
  )

const redis = (isSecure: boolean) =>
  each(({ username, password, path, query }, target) =>
    database('redis', target, {
      // A single value is the password.
      ...(password === '' ? { password: username } : { username, password }),
      name: /^\d{1,5}$/.test(path) ? path : '',
      options: tlsOptions(query, isSecure),
    }),
  )

const mongodb = each(({ username, password, path, query }, target) => {
  const [draft] = database('mongodb', target, {
    username,
    password,
    name: decoded(path.split('/')[0] ?? ''),
    options: tlsOptions(query, false),
  })
  const source = query.get('authSource') ?? ''
  return draft ? [source === '' ? draft : { ...draft, options: { ...draft.options, auth_source: source } }] : []
})

const files = (mode: string) =>
  each(({ username, password, path }, target) => file(target, { username, password, path: decoded(path), tls: mode }))

const messages = (isTls: boolean) =>
  each(({ username, password, path }, target) => broker(target, isTls, { username, password, topic: decoded(path) }))

const port = (usual: string) => each((_, target) => tcp({ ...target, port: target.port || usual }))
const securePort = (usual: string) =>
  each((_, { host, port: own }) => {
    const target = { host, port: own || usual }
    return [...tls(target), ...tcp(target)]
  })

const mailbox = (type: 'smtp' | 'imap', isImplicit: boolean) =>
  each(({ username, password }, target) => {
    const isTls = isImplicit || target.port === '465' || target.port === '993'
    const usual = type === 'smtp' ? (isTls ? '465' : '587') : isTls ? '993' : '143'
    const [draft] = mail(type, { ...target, port: target.port || usual }, isTls ? 'implicit' : 'starttls')
    if (!draft) return []
    return [username === '' || password === '' ? draft : { ...draft, credentials: { username, password } }]
  })

/** The URL of a kind without its credentials. */
const asIs = (type: string, scheme: string) =>
  each(({ path, query }, target) => {
    const search = String(query)
    return isTarget(target)
      ? [{ type, url: `${scheme}://${withPort(target)}${path === '' ? '' : `/${path}`}${search === '' ? '' : `?${search}`}` }]
      : []
  })

const hostDraft = (type: string, scheme: string, target: HostAndPort): Draft[] =>
  isTarget(target) ? [{ type, url: `${scheme}://${withPort(target)}` }] : []

/** What is before the host is a person to call, or nothing. */
const hostOnly = (type: string, scheme: string) => each((_, target) => hostDraft(type, scheme, target))

const withLogin = (type: string, scheme: string): Reader => {
  const read = asIs(type, scheme)
  return (connection, text) => read(connection, text).map((draft) => ({ ...draft, credentials: credentialsOf(connection) }))
}

/** The base alone: attributes and scope of RFC 4516 have no place in the URL of a monitor. */
const ldap = (scheme: string) =>
  each(({ username, password, path }, target) =>
    hostDraft('ldap', scheme, target).map((draft) => ({
      ...draft,
      url: `${draft.url}${path === '' ? '' : `/${path}`}`,
      ...(username !== '' && password !== '' && { credentials: { username, password } }),
    })),
  )

const SCHEMES: Readonly<Record<string, Reader>> = {
  http: (_, text) => web(text),
  https: (_, text) => web(text),
  ws: asIs('websocket', 'ws'),
  wss: asIs('websocket', 'wss'),
  grpc: asIs('grpc', 'grpc'),
  grpcs: asIs('grpc', 'grpcs'),
  postgres: sql('postgres'),
  postgresql: sql('postgres'),
  postgis: sql('postgres'),
  cockroachdb: sql('postgres'),
  timescaledb: sql('postgres'),
  mysql: sql('mysql'),
  mysql2: sql('mysql'),
  mysqlx: sql('mysql'),
  mariadb: sql('mysql'),
  redis: redis(false),
  valkey: redis(false),
  rediss: redis(true),
  valkeys: redis(true),
  smtp: mailbox('smtp', false),
  submission: mailbox('smtp', false),
  smtps: mailbox('smtp', true),
  imap: mailbox('imap', false),
  imaps: mailbox('imap', true),
  pop3: port('110'),
  pop3s: securePort('995'),
  ssh: each((_, target) => ssh(target)),
  sftp: each((_, target) => ssh(target)),
  'git+ssh': each((_, target) => ssh(target)),
  ftp: files('off'),
  ftpes: files('starttls'),
  ftps: files('implicit'),
  ldap: ldap('ldap'),
  ldaps: ldap('ldaps'),
  amqp: port('5672'),
  amqps: securePort('5671'),
  mqtt: messages(false),
  mqtts: messages(true),
  nats: port('4222'),
  ntp: each((_, target) => listed('ntp', target)),
  radius: each((_, target) => listed('radius', target)),
  kafka: port('9092'),
  mongodb,
  'mongodb+srv': each((_, { host }) => dns(`_mongodb._tcp.${host}`, 'SRV')),
  memcached: port('11211'),
  memcache: port('11211'),
  mssql: port('1433'),
  sqlserver: port('1433'),
  clickhouse: port('9000'),
  cassandra: port('9042'),
  elasticsearch: port('9200'),
  rtsp: withLogin('rtsp', 'rtsp'),
  rtsps: withLogin('rtsp', 'rtsps'),
  sip: hostOnly('sip', 'sip'),
  sips: hostOnly('sip', 'sips'),
  snmp: hostOnly('snmp', 'snmp'),
  udp: each((_, target) => (target.port === '' ? [] : hostDraft('udp', 'udp', target))),
  rdp: port('3389'),
  vnc: port('5900'),
  smb: port('445'),
  nfs: port('2049'),
  git: port('9418'),
  rsync: port('873'),
  tcp: each((_, target) => tcp(target)),
  tls: each((_, target) => tls(target)),
  ssl: each((_, target) => tls(target)),
  icmp: each((_, { host }) => ping(host)),
  ping: each((_, { host }) => ping(host)),
  domain: each((_, { host }) => domain(host)),
  dns: ({ targets: [target], path, query }) => {
    const type = (query.get('type') ?? 'A').toUpperCase()
    const resolver = target && isTarget(target) ? withPort(target) : ''
    return path === '' ? dns(target?.host ?? '', type) : dns(path, type, resolver)
  },
}

/** `undefined` where the text is no such string; no drafts where its scheme or its host is none that can be monitored. */
export function readConnectionString(text: string): Draft[] | undefined {
  const parsed = /^(?:jdbc:)?([a-z][a-z0-9.-]*)(\+[a-z0-9]+)?:\/\/(.*)$/is.exec(text)
  if (!parsed) return undefined
  const [, base = '', driver = '', rest = ''] = parsed
  const schemes = [`${base}${driver}`.toLowerCase(), base.toLowerCase()]
  const scheme = schemes.find((name) => Object.hasOwn(SCHEMES, name))
  const read = scheme === undefined ? undefined : SCHEMES[scheme]
  if (scheme === undefined || !read) return []
  return read({ scheme, ...partsOf(rest) }, text.replace(/^jdbc:/i, ''))
}

function partsOf(rest: string): Omit<Connection, 'scheme'> {
  // A password that is not escaped may have a slash: then what is before it is no host.
  const simple = rest.slice(0, rest.search(/[/?#]|$/))
  const isWhole = targetsOf(simple.slice(simple.lastIndexOf('@') + 1)).every(isTarget) || !rest.includes('@')
  const end = isWhole ? simple.lastIndexOf('@') : rest.lastIndexOf('@')
  const login = rest.slice(0, Math.max(end, 0))
  const after = rest.slice(end + 1)
  const pathAt = after.search(/[/?#]|$/)
  const [path = '', search = ''] = after.slice(pathAt).split('#', 1).join('').split('?')
  const colon = login.indexOf(':')
  return {
    targets: targetsOf(after.slice(0, pathAt)),
    username: decoded(colon === -1 ? login : login.slice(0, colon)),
    password: colon === -1 ? '' : decoded(login.slice(colon + 1)),
    path: path.replace(/^\/+|\/+$/g, ''),
    query: new URLSearchParams(search),
  }
}

/** Some have several hosts, and MySQL an address in brackets of its own. */
const targetsOf = (authority: string): HostAndPort[] =>
  authority
    .split(',')
    .slice(0, MAX_HOSTS)
    .map((target) => splitPort(target.replace(/^\w+\((.*)\)$/, '$1')))

/** `host=db port=5432 dbname=app user=probe password=…`, as libpq has it. */
export function readKeyValues(text: string): Draft[] | undefined {
  const pairs = [...text.matchAll(/(?<![a-z_])([a-z_]{1,30}) ?= ?(?:'((?:[^'\\]|\\.)*)'|([^\s;']*))/gi)].map(
    ([, name = '', quoted, plain = '']): [string, string] => [name.toLowerCase(), quoted?.replaceAll(/\\(.)/g, '$1') ?? plain],
  )
  const values = new Map(pairs)
  const host = values.get('host') ?? values.get('hostaddr')
  if (host === undefined || !(values.has('dbname') || values.has('user'))) return undefined
  const mode = new URLSearchParams({ sslmode: values.get('sslmode') ?? '' })
  return database(
    'postgres',
    { host, port: values.get('port') ?? '' },
    {
      username: values.get('user') ?? '',
      password: values.get('password') ?? '',
      name: values.get('dbname') ?? '',
      options: tlsOptions(mode, false),
    },
  )
}
