import type { CheckTypeId } from '@vedette/shared'
import { Activity, CalendarClock, Globe, type IconComponent, Radio, Tag } from '../../components/icons.tsx'
import {
  type AddressForm,
  dnsAddress,
  domainAddress,
  eitherAddress,
  ftpAddress,
  grpcAddress,
  heartbeatAddress,
  hostAddress,
  mqttAddress,
  webAddress,
} from './address/address.ts'
import type { Draft } from './draft.ts'
import {
  Arrows,
  Box,
  Broadcast,
  Clock,
  Database,
  Folder,
  Group,
  Hash,
  Inbox,
  Key,
  Layers,
  Leaf,
  Lock,
  Mail,
  Plug,
  Steps,
  Terminal,
} from './kind-icons.tsx'

export const GROUPS = ['web', 'network', 'names', 'databases', 'mail', 'jobs', 'groups'] as const
export type Group = (typeof GROUPS)[number]

/** How a kind is chosen and filled in. Its other options and its checks are in the shared tables. */
export interface KindForm {
  group: Group
  Icon: IconComponent
  /** What else people call it, for the search. */
  words: string
  address: AddressForm
  /** Credentials and options that are asked with the address. The others are below. */
  first?: { credentials?: readonly string[]; options?: readonly string[] }
  /** Assertions without which a new one would say little. */
  assertions?: Draft['assertions']
  /** Common uses, by the name of their text. */
  presets?: Readonly<Record<string, Omit<Draft, 'type'>>>
}

const LOGIN = ['username', 'password'] as const
const DATABASE_NAME = { name: 'database', example: 'app' }
const above = (type: string, value: number) => [{ type, operator: 'greater_than', value }]

/** Nothing is checked: no field of an address. */
const NOWHERE: AddressForm = { fields: [], toUrl: () => 'composite:', split: () => ({}) }

/** A kind without a form does not compile. */
export const KIND_FORMS: Readonly<Record<CheckTypeId, KindForm>> = {
  http: {
    group: 'web',
    Icon: Globe,
    words: 'website url page api rest json graphql keyword health webseite seite https',
    address: webAddress('https', 'http', 'https://shop.example.com', 'webAddress'),
    presets: {
      keyword: { assertions: [{ type: 'body', operator: 'contains', value: '' }] },
      json: { assertions: [{ type: 'json_path', operator: 'equals', property: '$.status', value: 'ok' }] },
      slow: { assertions: [{ type: 'response_time', operator: 'less_than', value: 1_000 }] },
    },
  },
  steps: {
    group: 'web',
    Icon: Steps,
    words: 'transaction login sign-in journey multi-step anmeldung ablauf checkout',
    address: webAddress('https', 'http', 'https://shop.example.com', 'webAddress'),
  },
  websocket: {
    group: 'web',
    Icon: Arrows,
    words: 'ws wss live socket',
    address: webAddress('wss', 'ws', 'wss://shop.example.com/live', 'webSocketAddress'),
  },
  grpc: { group: 'web', Icon: Box, words: 'rpc protobuf health service', address: grpcAddress() },
  icmp: {
    group: 'network',
    Icon: Radio,
    words: 'icmp echo host router latency loss jitter erreichbar',
    address: hostAddress('icmp', { host: { example: 'router.example.com' } }),
    presets: { loss: { assertions: [{ type: 'packet_loss', operator: 'less_than', value: 20 }] } },
  },
  tcp: {
    group: 'network',
    Icon: Plug,
    words: 'tcp socket connect port kafka rabbitmq amqp memcached minecraft',
    address: hostAddress('tcp', { port: '9092', isPortRequired: true }),
  },
  ftp: {
    group: 'network',
    Icon: Folder,
    words: 'ftps file transfer vsftpd proftpd filezilla dateien',
    address: ftpAddress(),
    presets: { folder: { options: { tls: 'starttls', list: true } } },
  },
  mqtt: {
    group: 'network',
    Icon: Broadcast,
    words: 'mosquitto broker iot topic zigbee2mqtt tasmota message nachricht publish subscribe',
    address: mqttAddress(),
    presets: { retained: { options: { message: 'retained' }, assertions: [{ type: 'cell', operator: 'exists' }] } },
  },
  ntp: {
    group: 'network',
    Icon: Clock,
    words: 'time clock sntp chrony ntpd offset stratum uhr zeit',
    address: hostAddress('ntp', { port: '123', host: { example: 'time.example.com' } }),
    assertions: [
      { type: 'offset_ms', operator: 'less_than', value: 1_000 },
      { type: 'offset_ms', operator: 'greater_than', value: -1_000 },
    ],
  },
  radius: {
    group: 'network',
    Icon: Key,
    words: 'freeradius wifi wlan aaa nps 802.1x anmeldung',
    address: hostAddress('radius', { port: '1812', host: { example: 'radius.example.com' } }),
    first: { credentials: ['shared_secret', 'username', 'password'] },
  },
  ssh: {
    group: 'network',
    Icon: Terminal,
    words: 'sshd openssh sftp scp dropbear host key fingerprint shell bastion',
    address: hostAddress('ssh', { port: '22', host: { example: 'bastion.example.com' } }),
    presets: { fingerprint: { assertions: [{ type: 'fingerprint', operator: 'equals', value: 'SHA256:' }] } },
  },
  udp: {
    group: 'network',
    Icon: Plug,
    words: 'udp datagram game server a2s minecraft bedrock source syslog wireguard datagramm',
    address: hostAddress('udp', { port: '27015', isPortRequired: true, host: { example: 'game.example.com' } }),
    first: { options: ['send', 'expect'] },
    presets: {
      sourceServer: {
        url: 'udp://:27015',
        options: { send: String.raw`\xff\xff\xff\xffTSource Engine Query\0`, expect: String.raw`\xff\xff` },
      },
    },
  },
  snmp: {
    group: 'network',
    Icon: Box,
    words: 'snmp router switch printer nas ups device oid drucker usv gerät synology qnap mikrotik unifi cisco',
    address: hostAddress('snmp', { port: '161', host: { example: 'switch.example.com' } }),
    first: { credentials: ['community'], options: ['version', 'oids'] },
  },
  sip: {
    group: 'network',
    Icon: Radio,
    words: 'sip voip telephone phone pbx trunk asterisk telefon telefonie anlage',
    address: eitherAddress('sip', 'none', { TLS: '5061', none: '5060' }, { host: { example: 'pbx.example.com' } }),
    first: { options: ['transport'] },
  },
  rtsp: {
    group: 'network',
    Icon: Radio,
    words: 'rtsp camera stream video nvr onvif kamera überwachung',
    address: eitherAddress(
      'rtsp',
      'none',
      { TLS: '322', none: '554' },
      { host: { example: 'camera.example.com' }, path: { name: 'stream', example: 'stream1' }, pathForm: 'query' },
    ),
    first: { credentials: LOGIN, options: ['method'] },
  },
  ldap: {
    group: 'network',
    Icon: Tag,
    words: 'ldap directory active openldap freeipa login verzeichnis anmeldung',
    address: eitherAddress(
      'ldap',
      'none',
      { TLS: '636', none: '389' },
      { host: { example: 'directory.example.com' }, path: { name: 'base', example: 'dc=example,dc=com' } },
    ),
    first: { credentials: LOGIN, options: ['filter', 'attribute'] },
  },
  upstream: {
    group: 'web',
    Icon: Globe,
    words: 'upstream status page statuspage provider vendor github stripe cloudflare aws azure google slack anbieter statusseite',
    address: webAddress('https', 'http', 'https://www.githubstatus.com', 'webAddress'),
    first: { options: ['components'] },
  },
  tls: {
    group: 'names',
    Icon: Lock,
    words: 'certificate ssl https starttls expiry zertifikat ablauf',
    address: hostAddress('tls', { port: '443', host: { example: 'shop.example.com' } }),
    assertions: above('certificate_expiry', 14),
  },
  dns: {
    group: 'names',
    Icon: Hash,
    words: 'record nameserver mx txt cname zone resolver eintrag',
    address: dnsAddress(),
    presets: { mail: { url: 'dns:///?type=MX', assertions: above('answer_count', 0) } },
  },
  domain: {
    group: 'names',
    Icon: Tag,
    words: 'whois rdap registrar expiry domain ablauf',
    address: domainAddress(),
    assertions: above('domain_expiry', 30),
  },
  postgres: {
    group: 'databases',
    Icon: Database,
    words: 'postgresql sql database query datenbank abfrage timescale cockroach',
    address: hostAddress('postgres', { port: '5432', host: { example: 'db.example.com' }, path: DATABASE_NAME }),
    first: { credentials: LOGIN, options: ['query'] },
  },
  mysql: {
    group: 'databases',
    Icon: Database,
    words: 'mysql mariadb sql database query datenbank abfrage percona',
    address: hostAddress('mysql', { port: '3306', host: { example: 'db.example.com' }, path: DATABASE_NAME }),
    first: { credentials: LOGIN, options: ['query'] },
  },
  mongodb: {
    group: 'databases',
    Icon: Leaf,
    words: 'mongo mongod mongos documentdb ferretdb database datenbank replica',
    address: hostAddress('mongodb', { port: '27017', host: { example: 'db.example.com' }, path: DATABASE_NAME }),
    first: { credentials: LOGIN },
    presets: { primary: { assertions: [{ type: 'role', operator: 'equals', value: 'primary' }] } },
  },
  redis: {
    group: 'databases',
    Icon: Layers,
    words: 'redis valkey keydb cache database datenbank',
    address: hostAddress('redis', {
      port: '6379',
      host: { example: 'cache.example.com' },
      path: {
        name: 'databaseNumber',
        example: '0',
        isNumber: true,
        fault: (text) => (/^\d{1,5}$/.test(text) ? undefined : 'databaseNumber'),
      },
    }),
    first: { credentials: LOGIN, options: ['command'] },
  },
  smtp: {
    group: 'mail',
    Icon: Mail,
    words: 'mail email e-mail send outgoing submission postausgang postfix',
    address: hostAddress('smtp', { port: '25', isMail: true, host: { example: 'mail.example.com' } }),
    first: { options: ['tls'] },
    presets: { submission: { url: 'smtp://:587', options: { tls: 'starttls' } } },
  },
  imap: {
    group: 'mail',
    Icon: Inbox,
    words: 'mail email e-mail mailbox incoming posteingang dovecot',
    address: hostAddress('imap', { port: '143', host: { example: 'mail.example.com' } }),
    first: { options: ['tls'] },
    presets: { secure: { url: 'imap://:993', options: { tls: 'implicit' } } },
  },
  heartbeat: {
    group: 'jobs',
    Icon: CalendarClock,
    words: 'cron job backup schedule dead man push ping timer systemd zeitplan sicherung healthchecks kuma',
    address: heartbeatAddress(),
    presets: {
      hourly: { options: { schedule: { period_seconds: 3_600, grace_seconds: 600 } } },
      nightly: { options: { schedule: { cron: '0 2 * * *', time_zone: 'UTC', grace_seconds: 3_600 } } },
    },
  },
  composite: {
    group: 'groups',
    Icon: Group,
    words: 'composite group any all cluster quorum redundant combined manual business gruppe kombiniert verbund zusammen hand',
    address: NOWHERE,
    presets: {
      oneEnough: { options: { down_when: { all_down: true } } },
      manual: { options: { manual_status: 'up' } },
    },
  },
}

/** A kind that this page does not know has its URL alone. */
const UNKNOWN: KindForm = {
  group: 'web',
  Icon: Activity,
  words: '',
  address: {
    isWhole: true,
    fields: [{ name: 'url', isRequired: true, example: '' }],
    toUrl: (parts) => (parts['url'] ?? '').trim(),
    split: (url) => ({ url }),
  },
}

const isKind = (type: string): type is CheckTypeId => Object.hasOwn(KIND_FORMS, type)
export const kindFormOf = (type: string): KindForm => (isKind(type) ? KIND_FORMS[type] : UNKNOWN)
