import {
  MAX_NAME_LENGTH,
  PASSWORD_MAX_LENGTH,
  PASSWORD_MIN_LENGTH,
  PUSH_INTERVAL_SECONDS,
  RegionId,
  SAMPLE_INTERVAL_SECONDS,
} from '@vedette/shared'
import { Type } from 'typebox'

/** What `docs/operations.md` says of a setting, where its schema does not say it. Texts are Markdown. */
interface Documented {
  /** What the setting holds, with its unit; also part of the error message of an invalid value. */
  description: string
  /** Which values are valid; without it the choices or bounds of the schema. */
  values?: string
  /** What holds without a value; without it the default of the schema, or `none`. */
  otherwise?: string
}

const text = (documented: Documented) => Type.Optional(Type.String({ minLength: 1, ...documented }))
const pattern = (pattern: string, documented: Documented) => Type.Optional(Type.String({ pattern, ...documented }))
const number = ({ min, max, default: value }: { min: number; max: number; default: number }, documented: Documented) =>
  Type.Integer({ minimum: min, maximum: max, default: value, ...documented })
const descriptor = (documented: Documented) =>
  Type.Optional(Type.Integer({ minimum: 3, maximum: 1_048_576, otherwise: 'none', ...documented }))
const choice = <const Choices extends readonly string[]>(choices: [...Choices], value: Choices[number], documented: Documented) =>
  Type.Enum(choices, { default: value, ...documented })

const POSTGRES = '^postgres(ql)?://'
const POSTGRES_VALUES = '`postgres://` or `postgresql://`'
const HTTP_VALUES = '`http://` or `https://`'

/** Requests a minute by group, where the setting names no other limit. */
export const RATE_LIMITS = {
  auth: 10,
  read: 100,
  write: 30,
  agent: 1_000,
  probe: 1_000,
  ping: 60,
  scrape: 60,
  query: 300,
  page: 6_000,
  dashboard: 600,
  check: 6,
} as const
const PUSH_HOST = '(\\*\\.)?[a-z0-9][a-z0-9.-]*(:[0-9]{1,5})?'
const HOST_LABEL = '[a-z0-9]([a-z0-9-]*[a-z0-9])?'
const CERTIFICATE_HOST = `((\\*|${HOST_LABEL})\\.)*${HOST_LABEL}`
const RATE_LIMIT = `(${Object.keys(RATE_LIMITS).join('|')})=[1-9][0-9]{0,8}`

/** Every setting, in the order of the docs: the only place that a new one is added to. */
export const SettingsSchema = Type.Object({
  VEDETTE_HOST: Type.String({
    default: '127.0.0.1',
    minLength: 1,
    description: 'address to listen on',
    values: 'an address of this host, `0.0.0.0`, `::`',
  }),
  VEDETTE_PORT: number(
    { min: 0, max: 65_535, default: 8080 },
    { description: 'port to listen on; 0 chooses a free one, shown in the `ready` line' },
  ),
  VEDETTE_DATA_DIR: text({
    description: '[the data folder](#the-data-folder)',
    values: 'path',
    otherwise: 'root: `/var/lib/vedette`, else `~/.local/share/vedette`',
  }),
  VEDETTE_LOCAL_AGENT: choice(['on', 'off'], 'on', { description: 'an agent for this host; only with `start`' }),
  VEDETTE_PUBLIC_URL: pattern('^https?://[^/]+$', {
    description: 'how people reach the backend; shown in the `ready` line',
    values: `${HTTP_VALUES}, no slash at the end`,
    otherwise: 'made of host and port',
  }),
  VEDETTE_TRUST_PROXY: number(
    { min: 0, max: 10, default: 0 },
    { description: "how many proxies in front are trusted for the client's address" },
  ),
  VEDETTE_SECRET_KEYS: text({
    description: 'secrets of the installation, separated by commas, newest first',
    values: '32 bytes or more each',
    otherwise: '`secret.key` of the data folder',
  }),
  VEDETTE_TLS_CERT_FILE: text({
    description: 'certificate chain, PEM; with the key the backend serves HTTPS',
    values: 'path; both or none',
  }),
  VEDETTE_TLS_KEY_FILE: text({ description: 'private key, PEM', values: 'path; both or none' }),
  DATABASE_URL: pattern(POSTGRES, {
    description: 'a [PostgreSQL to use](postgresql.md#an-external-postgresql) instead of the embedded one',
    values: POSTGRES_VALUES,
    otherwise: 'none: the embedded one',
  }),
  DATABASE_DIRECT_URL: pattern(POSTGRES, {
    description: 'the same database without the pooler, for migrations and LISTEN',
    values: POSTGRES_VALUES,
    otherwise: '`DATABASE_URL`',
  }),
  DATABASE_READ_URL: pattern(POSTGRES, {
    description: 'a [streaming replica](postgresql.md#a-read-replica) of `DATABASE_URL`',
    values: POSTGRES_VALUES,
    otherwise: 'none: `DATABASE_URL` serves all reads',
  }),
  VEDETTE_ADMIN_EMAIL: Type.Optional(
    Type.String({
      pattern: '^[^@\\s]+@[^@\\s]+$',
      maxLength: 254,
      description: 'e-mail of the first owner, instead of the first page',
      values: 'up to 254 characters; with the password',
    }),
  ),
  VEDETTE_ADMIN_PASSWORD: text({
    description: 'password of the first owner',
    values: `${PASSWORD_MIN_LENGTH} to ${PASSWORD_MAX_LENGTH} characters; with the e-mail`,
  }),
  VEDETTE_ORGANIZATION: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_NAME_LENGTH,
      description: 'name of the first organization',
      values: `up to ${MAX_NAME_LENGTH} characters; with both above`,
      otherwise: '`My organization`',
    }),
  ),
  VEDETTE_BOOTSTRAP_API_KEY_FILE: text({
    description: 'file for an API key of scope `agent` (0600), written once per installation',
    values: 'path',
  }),
  VEDETTE_SMTP_URL: text({
    description: 'mail server for invitations and links to reset a password',
    values: '`smtp://user:password@host:587`, `smtps://`; `?from=` the sender, `?tls=off` or `?tls=required`',
    otherwise: 'none: no mail is sent',
  }),
  VEDETTE_INBOUND_MAIL: pattern(
    '^(lmtp://((127(\\.[0-9]{1,3}){3}|\\[::1\\]|localhost):[0-9]{1,5}|/[^\\s]{1,100})|imaps?://.{3,2000})$',
    {
      description:
        'where [alerts are taken by mail](alert-mails.md): over LMTP from the mail server of this host, or out of a mailbox',
      values:
        '`lmtp://127.0.0.1:port`, or `lmtp:///path` of a socket, loopback alone; `imaps://user:password@host/folder`, polled each minute',
      otherwise: 'none: no mail is taken',
    },
  ),
  VEDETTE_NOTIFICATION_GROUP_SECONDS: number(
    { min: 0, max: 3_600, default: 60 },
    {
      description:
        'seconds within which incidents that open, or end, go to a channel in [one message](api.md#grouping); 0: each in its own',
    },
  ),
  VEDETTE_SAMPLE_INTERVAL_SECONDS: number(SAMPLE_INTERVAL_SECONDS, { description: 'seconds between the samples of agents' }),
  VEDETTE_PUSH_INTERVAL_SECONDS: number(PUSH_INTERVAL_SECONDS, { description: 'seconds between the pushes of agents' }),
  VEDETTE_RAW_RETENTION_DAYS: number(
    { min: 8, max: 400, default: 8 },
    { description: 'days for which single [samples are kept](#disk-and-memory)' },
  ),
  VEDETTE_ROLLUP_RETENTION_DAYS: number(
    { min: 31, max: 3_650, default: 400 },
    {
      description: 'days for which rollups (5 minutes and longer) are kept',
      values: '31 to 3,650, not less than the one above',
    },
  ),
  VEDETTE_RATE_LIMITS: Type.String({
    default: Object.entries(RATE_LIMITS)
      .map((pair) => pair.join('='))
      .join(','),
    pattern: `^(off|${RATE_LIMIT}(,${RATE_LIMIT})*)$`,
    description: 'requests a minute per credential and group; groups that are not named keep their default',
    values: '`off`, or any of `auth`, `read`, `write`, `agent`, `probe`, `ping`, `scrape`, `query`, `page`, `dashboard`, `check`',
  }),
  VEDETTE_ACTIVE_SERIES: number(
    { min: 0, max: 100_000_000, default: 50_000 },
    {
      description:
        'active [series of other programs](prometheus.md#send-to-vedette) of one organization; new ones beyond are a 400',
    },
  ),
  VEDETTE_ORGANIZATIONS_PER_USER: number(
    { min: 1, max: 100_000, default: 100 },
    { description: 'organizations that one user may own; more are a 409' },
  ),
  VEDETTE_INVITATIONS_PER_DAY: number(
    { min: 1, max: 100_000, default: 100 },
    { description: 'invitations, renewed ones included, that one organization may send in 24 hours; more are a 429' },
  ),
  VEDETTE_REGISTRATIONS_PER_HOUR: number(
    { min: 1, max: 1_000_000, default: 1_000 },
    { description: 'registrations of hosts that one API key or user may make in one hour; more are a 429' },
  ),
  VEDETTE_CORS_ORIGINS: text({
    description: '[other origins](#other-origins) whose pages may call the API',
    values: 'origins, separated by commas',
  }),
  VEDETTE_REGION: Type.String({
    ...RegionId,
    default: 'local',
    description: 'id of [the region](#regions-and-probes) whose checks this process runs',
    values: 'letters, digits and `-`, 1 to 63 characters',
  }),
  VEDETTE_CONTROL_TARGETS: text({
    description: 'if [none of them can be reached](#regions-and-probes), a failed check is inconclusive',
    values: '`host:port`, separated by commas, or `none`; default: gateway and resolvers',
  }),
  VEDETTE_ALLOW_PRIVATE_TARGETS: text({
    description: 'private addresses that checks and channels may reach; default: the choice at set-up',
    values: 'CIDRs, or `all`',
  }),
  VEDETTE_PUSH_HOSTS: Type.String({
    default: 'fcm.googleapis.com,jmt17.google.com,*.push.services.mozilla.com,*.push.apple.com,*.notify.windows.com',
    pattern: `^(none|${PUSH_HOST}(,${PUSH_HOST})*)$`,
    description: 'push services at which [visitors of status pages](status-pages.md#subscribers) may subscribe',
    values: 'hosts in lower case, or `*.` and what they end with, separated by commas; or `none`',
  }),
  VEDETTE_SNS_CERTIFICATE_HOSTS: Type.String({
    default: 'sns.*.amazonaws.com',
    maxLength: 1_000,
    pattern: `^${CERTIFICATE_HOST}(,${CERTIFICATE_HOST})*$`,
    description: 'hosts whose certificates may sign alerts of Amazon SNS; for China add `sns.*.amazonaws.com.cn`',
    values: 'hosts in lower case, `*` for one label, separated by commas; up to 1,000 characters',
  }),
  VEDETTE_ICMP_FD: descriptor({ description: '[an inherited ping socket](checks.md#ping-icmp) for checks over IPv4' }),
  VEDETTE_ICMP6_FD: descriptor({ description: 'the same over IPv6' }),
  VEDETTE_DEAD_MAN_URL: pattern('^https?://[^/\\s]+(/\\S*)?$', {
    description: 'URL that is requested once a minute [while Vedette runs](#self-monitoring)',
    values: HTTP_VALUES,
  }),
  VEDETTE_SECURITY_LOG_URL: pattern('^(https?://[^/\\s]+(/\\S*)?|syslog(\\+tls)?://[^/\\s@]+:[0-9]{1,5})$', {
    description: 'where the [security log](#the-security-log) is sent as well',
    values: `${HTTP_VALUES}, \`syslog://host:port\`, \`syslog+tls://host:port\``,
  }),
  VEDETTE_OTLP_URL: pattern('^https?://[^/\\s@]+(/\\S*)?$', {
    description: 'where samples of hosts of every organization are [sent by OTLP](prometheus.md#send-on), as the whole URL',
    values: HTTP_VALUES,
  }),
  VEDETTE_OTLP_HEADERS: text({
    description: 'headers that are sent with them; values are percent-encoded',
    values: '`name=value`, separated by commas; at most 50',
  }),
  VEDETTE_SECURITY_CONTACT: pattern('^(mailto:|https://|tel:)[!-~]+$', {
    description: 'where people report vulnerabilities of this installation, shown at `/.well-known/security.txt`',
    values: '`mailto:`, `https://` or `tel:`',
    otherwise: 'none: `security.txt` is a 404',
  }),
  VEDETTE_METRICS_TOKEN: pattern('^\\S{16,256}$', {
    description: 'token that opens [`/metrics`](#metrics)',
    values: '16 to 256 characters without blanks',
    otherwise: 'none: `/metrics` is a 404',
  }),
  VEDETTE_RELEASES_DIR: text({
    description: 'folder with a release of agents to [distribute](#distributing-agents)',
    values: 'path',
    otherwise: 'none: this backend distributes its own agent',
  }),
  VEDETTE_RELEASES_URL: pattern('^https?://[^/\\s]+(/\\S*[^/\\s])?$', {
    description: 'base URL from which hosts download that release',
    values: `${HTTP_VALUES}, no slash at the end`,
    otherwise: '`/releases` of this backend',
  }),
  VEDETTE_RELEASES_KEYS_FILE: text({
    description: 'public keys (PEM) that may sign it',
    values: 'path',
    otherwise: '`release-keys.pem` in that folder',
  }),
  VEDETTE_LOG_LEVEL: choice(['debug', 'info', 'warn', 'error', 'silent'], 'info', { description: 'what is logged' }),
})

/** A declaration as the docs and the error messages read it. */
export interface Declaration extends Documented {
  type?: string
  default?: string | number
  enum?: readonly string[]
  minimum?: number
  maximum?: number
  pattern?: string
}

/** Every setting by name. The library's types do not contain the additional fields of a schema. */
export const DECLARATIONS = SettingsSchema.properties as object as Readonly<Record<string, Declaration>>
