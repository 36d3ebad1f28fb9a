import type { CheckTypeId } from '../../shared/src/index.ts'

/** Of the targets, each on every address of 127.0.0.0/8. */
export type Ports = Record<'http' | 'https' | 'grpc' | 'redis' | 'dns' | OtherPort, number>
/** Targets of which each check is alike: none of them hangs. */
export const OTHER_KINDS = [
  'ftp',
  'ldap',
  'mongodb',
  'mqtt',
  'ntp',
  'radius',
  'rtsp',
  'sip',
  'snmp',
  'ssh',
  'udp',
  'upstream',
] as const satisfies readonly CheckTypeId[]
type OtherPort = (typeof OTHER_KINDS)[number]

/** What one monitor checks: a host, and what the target counts it by, `m-<n>`; it never answers `hang-<n>`. */
export interface Target {
  host: string
  name: string
}

export interface BenchKind {
  type: CheckTypeId
  url(target: Target, ports: Ports): string
  /** What the API would store. */
  options?(target: Target): object
  /** The target that the blackbox_exporter's module of the kind's name gets; absent where it has no such module. */
  peerTarget?(target: Target, ports: Ports): string
}

/** In 198.18.0.0/16, where nobody answers: see namespace.sh. */
const silentHost = (name: string) => {
  const n = Number(/\d+/.exec(name)?.[0])
  return `198.18.${n >> 8}.${n & 255}`
}

const urlOf = (scheme: 'http' | 'https' | 'grpc') => (target: Target, ports: Ports) =>
  `${scheme}://${target.host}:${ports[scheme]}/${target.name}`
/** The certificate names ten of the hosts. */
const certifiedUrl = ({ host, name }: Target, ports: Ports) =>
  urlOf('https')({ host: host.replace(/\d+$/, (last) => String(((Number(last) - 1) % 10) + 1)), name }, ports)
const hostAndPort = ({ host }: Target, port: number) => `${host}:${port}`

export const BENCH_KINDS = {
  http: { type: 'http', url: urlOf('http'), peerTarget: urlOf('http') },
  https: { type: 'http', url: certifiedUrl, peerTarget: certifiedUrl },
  tcp: {
    type: 'tcp',
    url: (target, { http }) => `tcp://${hostAndPort(target, http)}`,
    options: () => ({ send: '', expect: '' }),
    peerTarget: (target, { http }) => hostAndPort(target, http),
  },
  /** The target sees nothing of a monitor that only connects. */
  exchange: {
    type: 'tcp',
    url: (target, { http }) => `tcp://${hostAndPort(target, http)}`,
    options: ({ name }) => ({ send: String.raw`GET /${name} HTTP/1.1\r\n\r\n`, expect: 'here' }),
  },
  icmp: {
    type: 'icmp',
    url: ({ host, name }) => `icmp://${name.startsWith('hang') ? silentHost(name) : host}`,
    options: () => ({ packets: 1, packet_bytes: 56, family: 'any' }),
    peerTarget: ({ host }) => host,
  },
  dns: {
    type: 'dns',
    url: (target, { dns }) => `dns://${hostAndPort(target, dns)}/${target.name}.bench.test?type=A`,
    options: () => ({ transport: 'udp', recursion: true, verify_tls: true }),
    peerTarget: (target, { dns }) => hostAndPort(target, dns),
  },
  tls: {
    type: 'tls',
    url: (target, { https }) => `tls://${hostAndPort(target, https)}`,
    options: ({ name }) => ({ starttls: 'none', server_name: `${name}.bench.test`, verify_tls: true }),
    peerTarget: (target, { https }) => hostAndPort(target, https),
  },
  grpc: {
    type: 'grpc',
    url: urlOf('grpc'),
    options: () => ({ verify_tls: true }),
    // Its module takes no URL.
    peerTarget: (target, { grpc }) => hostAndPort(target, grpc),
  },
  redis: {
    type: 'redis',
    url: (target, { redis }) => `redis://${hostAndPort(target, redis)}/`,
    options: ({ name }) => ({ tls: 'off', verify_tls: true, command: `GET ${name}` }),
  },
  ftp: {
    type: 'ftp',
    url: (target, { ftp }) => `ftp://${hostAndPort(target, ftp)}`,
    options: () => ({ tls: 'off', verify_tls: true, list: false }),
  },
  mongodb: {
    type: 'mongodb',
    url: (target, { mongodb }) => `mongodb://${hostAndPort(target, mongodb)}`,
    options: () => ({ tls: 'off', verify_tls: true, auth_source: '' }),
  },
  mqtt: {
    type: 'mqtt',
    url: (target, { mqtt }) => `mqtt://${hostAndPort(target, mqtt)}/${target.name}`,
    options: () => ({ protocol_version: '3.1.1', message: 'any', client_id: '', verify_tls: true }),
  },
  ntp: { type: 'ntp', url: (target, { ntp }) => `ntp://${hostAndPort(target, ntp)}` },
  radius: {
    type: 'radius',
    url: (target, { radius }) => `radius://${hostAndPort(target, radius)}`,
    options: () => ({ nas_identifier: 'vedette', require_message_authenticator: false }),
  },
  ssh: { type: 'ssh', url: (target, { ssh }) => `ssh://${hostAndPort(target, ssh)}`, options: () => ({ host_key: 'any' }) },
  websocket: {
    type: 'websocket',
    url: (target, { http }) => `ws://${hostAndPort(target, http)}/${target.name}`,
    options: () => ({ verify_tls: true, send: '', expect: '', subprotocol: '' }),
  },
  udp: {
    type: 'udp',
    url: (target, { udp }) => `udp://${hostAndPort(target, udp)}`,
    options: ({ name }) => ({ send: name, expect: '' }),
  },
  snmp: {
    type: 'snmp',
    url: (target, { snmp }) => `snmp://${hostAndPort(target, snmp)}`,
    options: () => ({
      version: '2c',
      security_name: '',
      security_level: 'authPriv',
      auth: 'sha256',
      priv: 'aes128',
      context: '',
      retries: 1,
    }),
  },
  sip: {
    type: 'sip',
    url: (target, { sip }) => `sip://${hostAndPort(target, sip)}`,
    options: ({ name }) => ({ transport: 'udp', verify_tls: true, user: name }),
  },
  rtsp: {
    type: 'rtsp',
    url: (target, { rtsp }) => `rtsp://${hostAndPort(target, rtsp)}/${target.name}`,
    options: () => ({ method: 'OPTIONS', verify_tls: true }),
  },
  ldap: {
    type: 'ldap',
    url: (target, { ldap }) => `ldap://${hostAndPort(target, ldap)}`,
    options: () => ({ starttls: false, verify_tls: true, filter: '', scope: 'sub', attribute: '' }),
  },
  /** One request, as the place of the document is remembered. */
  upstream: {
    type: 'upstream',
    url: (target, { upstream }) => `http://${hostAndPort(target, upstream)}/${target.name}`,
    options: () => ({ components: [], verify_tls: true }),
  },
} as const satisfies Record<string, BenchKind>

export type KindName = keyof typeof BENCH_KINDS
/** With all fields of `BenchKind`, which the table leaves out where they are absent. */
export const kindOf = (name: KindName): BenchKind => BENCH_KINDS[name]
