import { DNS_RECORD_TYPES } from '@vedette/shared/tables'
import { isHost, isPort, readHost, splitPort, withPort } from '../address/host.ts'
import type { Draft } from '../draft.ts'
import { readConnectionString } from './connection-string.ts'
import { readCurl } from './curl.ts'
import { broker, database, dns, domain, file, isTarget, listed, ping, ssh, tcp, tls } from './drafts.ts'
import { readOptions } from './shell-words.ts'

/** Command lines with which people look whether something runs. Each reader gets the words after the name of the program. */

type Reader = (words: readonly string[]) => Draft[]

const same = (...names: string[]): Record<string, string> => Object.fromEntries(names.map((name) => [name, name]))

/** The last word that is a host; values of options are none. */
const pinged: Reader = (words) => {
  const { rest } = readOptions(words, same('c', 'i', 'W', 'w', 's', 'I', 't', 'n', 'm', 'q', 'p', 'l'))
  const host = rest.map((word) => readHost(word).host).find((word) => isHost(word) && !isPort(word))
  return host === undefined ? [] : ping(host)
}

const byShell: Reader = (words) => {
  const { values, rest } = readOptions(words, { ...same('p', 'i', 'l', 'o', 'F', 'J', 'L', 'R', 'D', 'b', 'c', 'P'), port: 'p' })
  const [target = ''] = rest
  const { host, port } = splitPort(target.replace(/^ssh:\/\//, '').replace(/^.*@/, ''))
  return isHost(host)
    ? [...ssh({ host, port: values['p']?.[0] ?? values['P']?.[0] ?? (isPort(port) ? port : '') }), ...ping(host)]
    : []
}

const connected: Reader = (words) => {
  const { rest } = readOptions(words, same('w', 'q', 'i', 'p', 's', 'G'))
  const [host = '', port = ''] = rest.length > 1 ? rest : Object.values(splitPort(rest[0] ?? ''))
  const isDatagram = words.some((word) => /^(?:-[a-z]*u[a-z]*|--udp)$/i.test(word))
  return isDatagram && port !== '' ? listed('udp', { host, port }) : tcp({ host, port })
}

const STARTTLS = new Set(['smtp', 'imap', 'pop3', 'ldap', 'postgres', 'mysql'])

const handshake: Reader = (words) => {
  const { values, rest } = readOptions(words, same('connect', 'starttls', 'servername', 'CAfile', 'cert', 'key'))
  const target = splitPort(values['connect']?.[0] ?? rest.find((word) => word !== 's_client') ?? '')
  const starttls = values['starttls']?.[0] ?? ''
  const name = values['servername']?.[0] ?? ''
  return tls(target, {
    ...(STARTTLS.has(starttls) && { starttls }),
    ...(name !== '' && name !== target.host && { server_name: name }),
  })
}

const queried: Reader = (words) => {
  const { values, rest } = readOptions(words, { ...same('t', 'p', 'q', 'x', 'k', 'b', 'y'), type: 't', querytype: 't' })
  const servers = rest.filter((word) => word.startsWith('@')).map((word) => word.slice(1))
  const others = rest.filter((word) => !/^[@+]/.test(word) && word.toUpperCase() !== 'IN')
  const isType = (word: string) => Object.hasOwn(DNS_RECORD_TYPES, word.toUpperCase())
  const type = values['t']?.[0] ?? others.find(isType) ?? 'A'
  const [name = values['q']?.[0] ?? '', second = ''] = others.filter((word) => !isType(word))
  const [reverse] = values['x'] ?? []
  const server = readHost(servers[0] ?? second)
  const resolver = isTarget(server) ? withPort(server) : ''
  return reverse === undefined
    ? dns(name.replace(/\.$/, ''), isType(type) ? type.toUpperCase() : 'A', resolver)
    : dns(reverse, 'PTR', resolver)
}

/** A client of a database, with a connection string or with options. */
const client =
  (type: 'postgres' | 'mysql' | 'redis', valued: Readonly<Record<string, string>>): Reader =>
  (words) => {
    const whole = words.find((word) => word.includes('://'))
    if (whole !== undefined) return readConnectionString(whole) ?? []
    const { values, rest } = readOptions(words, valued)
    const value = (name: string) => values[name]?.at(-1) ?? ''
    const [first = '', second = ''] = rest
    const isSecure = type === 'redis' && words.includes('--tls')
    return database(
      type,
      { host: value('host') || 'localhost', port: value('port') },
      {
        username: value('user') || (type === 'postgres' ? second : ''),
        password: value('password'),
        name: value('database') || (type === 'redis' ? '' : first),
        options: isSecure ? { tls: 'required' } : {},
      },
    )
  }

const postgres = client('postgres', {
  h: 'host',
  host: 'host',
  p: 'port',
  port: 'port',
  U: 'user',
  username: 'user',
  d: 'database',
  dbname: 'database',
  ...same('c', 'f', 'o', 'v', 't', 'F', 'j'),
})
const mysql = (words: readonly string[]): Draft[] => {
  // `-p` alone prompts for the password.
  const others = words.filter((word) => word !== '-p' && word !== '--password')
  return client('mysql', {
    h: 'host',
    host: 'host',
    P: 'port',
    port: 'port',
    u: 'user',
    user: 'user',
    p: 'password',
    password: 'password',
    D: 'database',
    database: 'database',
    ...same('e', 'execute', 'protocol', 'S'),
  })(others)
}
const redis = client('redis', {
  h: 'host',
  p: 'port',
  a: 'password',
  pass: 'password',
  user: 'user',
  n: 'database',
  ...same('r', 'i'),
})

const subscribed: Reader = (words) => {
  const { values, rest } = readOptions(words, {
    ...same('h', 'p', 't', 'u', 'P', 'i', 'q', 'm', 'C', 'W', 'k', 'V', 'L', 'F', 'cafile', 'capath', 'cert', 'key'),
    host: 'h',
    port: 'p',
    topic: 't',
    username: 'u',
    pw: 'P',
    id: 'i',
    url: 'L',
  })
  const value = (name: string) => values[name]?.[0] ?? ''
  if (value('L') !== '' || rest.some((word) => word.includes('://')))
    return readConnectionString(value('L') || (rest.find((word) => word.includes('://')) as string)) ?? []
  const isTls = value('cafile') !== '' || value('capath') !== '' || value('p') === '8883'
  const login = { username: value('u'), password: value('P') }
  return broker({ host: value('h') || 'localhost', port: value('p') }, isTls, { ...login, topic: value('t') })
}

const transferred: Reader = (words) => {
  const { values, rest } = readOptions(words, { ...same('p', 'u', 'e', 'P', 'o'), port: 'p' })
  const [target = '', second = ''] = rest
  if (target.includes('://')) return readConnectionString(target) ?? []
  const [username = '', password = ''] = (values['u']?.[0] ?? '').split(/,(.*)/s)
  const { host, port } = splitPort(target)
  return file({ host, port: values['p']?.[0] ?? (port || (isPort(second) ? second : '')) }, { username, password })
}

const timed: Reader = (words) => {
  const { rest } = readOptions(words, same('p', 't', 'o', 'k', 'a', 'K', 'S', 'M'))
  const [host = ''] = rest
  return listed('ntp', { host, port: '' })
}

/** The last word is the host; `-p` has no value here. */
const peers: Reader = (words) => listed('ntp', { host: words.findLast((word) => !word.startsWith('-')) ?? '', port: '' })

/** `ldapsearch -x -H ldap://host -b dc=example,dc=org`. */
const searched: Reader = (words) => {
  const { values } = readOptions(words, same('H', 'h', 'p', 'b', 'D', 'w', 's', 'l', 'z', 'y', 'Y'))
  const [url = '', host = '', port = ''] = ['H', 'h', 'p'].map((name) => values[name]?.[0])
  return url === '' ? listed('ldap', { host, port }) : (readConnectionString(url) ?? [])
}

/** `snmpwalk -v2c -c public switch.example system`: of versions 1 and 2c. */
const polled: Reader = (words) => {
  const { values, rest } = readOptions(words, same('v', 'c', 'l', 'u', 'a', 'A', 'x', 'X', 'n', 't', 'r', 'O', 'm', 'M'))
  const [version = '2c', community = ''] = ['v', 'c'].map((name) => values[name]?.[0])
  if (version === '3') return listed('snmp', splitPort(rest[0] ?? ''))
  const options = version === '1' ? { options: { version } } : {}
  return listed('snmp', splitPort(rest[0] ?? ''), {}, { ...options, ...(community !== '' && { credentials: { community } }) })
}

/** `radtest user password server nas-port-number secret`. */
const authenticated: Reader = (words) => {
  const { rest } = readOptions(words, same('t', 'P'))
  const [username = '', password = '', target = '', , secret = ''] = rest
  const credentials = Object.entries({ username, password, shared_secret: secret }).filter(([, value]) => value !== '')
  return listed('radius', splitPort(target), {}, { credentials: Object.fromEntries(credentials) })
}

/** A host or a connection string, the shell of MongoDB. */
const documents: Reader = (words) => {
  const { values, rest } = readOptions(words, {
    ...same('u', 'p', 'host', 'port', 'authenticationDatabase', 'eval', 'authenticationMechanism'),
    username: 'u',
    password: 'p',
  })
  const whole = rest.find((word) => word.includes('://'))
  const value = (name: string) => values[name]?.[0] ?? ''
  if (whole !== undefined) return readConnectionString(whole) ?? []
  const own = value('authenticationDatabase')
  return database(
    'mongodb',
    { host: value('host') || 'localhost', port: value('port') },
    { username: value('u'), password: value('p'), name: rest[0] ?? '', options: own === '' ? {} : { auth_source: own } },
  )
}

const overGrpc: Reader = (words) => {
  const { values, flags, rest } = readOptions(words, same('d', 'H', 'addr', 'service', 'proto', 'import-path', 'max-time'))
  // Long options with one dash.
  const isPlain = words.includes('-plaintext') || words.includes('--plaintext') || flags.has('plaintext')
  const joined = words.find((word) => /^-{1,2}addr=/.test(word))?.replace(/^.*?=/, '')
  const { host, port } = splitPort(values['addr']?.[0] ?? joined ?? rest.find((word) => /:\d+$/.test(word)) ?? '')
  const service = values['service']?.[0] ?? ''
  const isProbe = joined !== undefined
  const url = `${isPlain || isProbe ? 'grpc' : 'grpcs'}://${withPort({ host, port })}${service === '' ? '' : `/${service}`}`
  return isTarget({ host, port }) ? [{ type: 'grpc', url }] : []
}

const firstUrl: Reader = (words) => readConnectionString(words.find((word) => word.includes('://')) ?? '') ?? []

/** HTTPie: the method is optional, and the scheme is that of the command. */
const httpie =
  (scheme: string): Reader =>
  (words) => {
    const [method, ...others] = words.filter((word) => !word.startsWith('-'))
    const isMethod = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/.test(method ?? '')
    const url = (isMethod ? others[0] : method) ?? ''
    const whole = url.startsWith(':') ? `localhost${url}` : url
    return readCurl([...(isMethod ? ['-X', method as string] : []), whole.includes('://') ? whole : `${scheme}://${whole}`])
  }

const COMMANDS: Readonly<Record<string, Reader>> = {
  curl: readCurl,
  wget: readCurl,
  http: httpie('http'),
  https: httpie('https'),
  ...Object.fromEntries(
    ['ping', 'ping6', 'fping', 'mtr', 'traceroute', 'traceroute6', 'tracepath', 'tracert', 'arping'].map((name) => [
      name,
      pinged,
    ]),
  ),
  ...Object.fromEntries(['ssh', 'sftp', 'mosh', 'ssh-copy-id', 'ssh-keyscan'].map((name) => [name, byShell])),
  ...Object.fromEntries(['telnet', 'nc', 'ncat', 'netcat', 'tcping', 'nmap'].map((name) => [name, connected])),
  openssl: handshake,
  ...Object.fromEntries(['dig', 'nslookup', 'host', 'drill', 'kdig', 'delv'].map((name) => [name, queried])),
  whois: (words) => domain(words.findLast((word) => !word.startsWith('-')) ?? ''),
  ...Object.fromEntries(['psql', 'pg_isready', 'pg_dump', 'pgcli'].map((name) => [name, postgres])),
  ...Object.fromEntries(['mysql', 'mariadb', 'mysqladmin', 'mysqldump', 'mycli'].map((name) => [name, mysql])),
  ...Object.fromEntries(['mosquitto_sub', 'mosquitto_pub', 'mqttui'].map((name) => [name, subscribed])),
  ...Object.fromEntries(['ftp', 'lftp', 'ncftp'].map((name) => [name, transferred])),
  ...Object.fromEntries(['ntpdate', 'ntpdig', 'sntp'].map((name) => [name, timed])),
  ntpq: peers,
  ldapsearch: searched,
  ...Object.fromEntries(['snmpwalk', 'snmpget', 'snmpbulkwalk', 'snmpstatus'].map((name) => [name, polled])),
  radtest: authenticated,
  ...Object.fromEntries(['mongosh', 'mongo', 'mongodump'].map((name) => [name, documents])),
  ...Object.fromEntries(['redis-cli', 'valkey-cli'].map((name) => [name, redis])),
  grpcurl: overGrpc,
  grpc_health_probe: overGrpc,
  'grpc-health-probe': overGrpc,
  wscat: firstUrl,
  websocat: firstUrl,
  ...Object.fromEntries(['ffplay', 'ffprobe', 'mpv', 'vlc'].map((name) => [name, firstUrl])),
}

/** `undefined` where the first word is no command that is known here, or stands alone. */
export function readCommand(words: readonly string[]): Draft[] | undefined {
  const at = words.findIndex((word) => !/^(?:sudo|\$|%|time|docker|exec|-it)$/.test(word) && !/^[A-Z_]+=/.test(word))
  const program = (words[at] ?? '').replace(/^.*[/\\]/, '').replace(/\.exe$/i, '')
  const read = Object.hasOwn(COMMANDS, program) ? COMMANDS[program] : undefined
  if (!read || words.length <= at + 1) return undefined
  const environment = words.slice(0, at)
  const password = environment.find((word) => /^(?:PGPASSWORD|MYSQL_PWD|REDISCLI_AUTH)=/.test(word))?.replace(/^[^=]*=/, '')
  const drafts = read(words.slice(at + 1))
  if (password === undefined) return drafts
  return drafts.map((draft) => ({ ...draft, credentials: { ...draft.credentials, password } }))
}
