import { isAbsolute } from 'node:path'
import { MAX_ENTITY_NAME_LENGTH, OWN_METRICS } from '@vedette/shared/entities/limits'
import {
  MAX_MISSING_PROCESSES,
  MAX_PROCESS_NAME_LENGTH,
  PUSH_INTERVAL_SECONDS,
  SAMPLE_INTERVAL_SECONDS,
} from '@vedette/shared/metrics/limits'
import { MAX_EVENT_LINES } from '@vedette/shared/entities/limits'
import { normalizeFingerprint } from '../push/pinned-agent.ts'

/** `127.0.0.1:8125`, `[::1]:8125`, `localhost:8125`. */
export const LISTEN_ADDRESS = /^(?:\[([\da-fA-F:.]+)\]|([\w.-]+)):(\d{1,5})$/
/** `ups@host`, `ups@host:port` or `ups@[address]:port`. */
export const UPS_ADDRESS = /^([\w.-]+)@(?:\[([\da-fA-F:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/

/** Why a value is invalid. */
export class Invalid {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

/** One setting: its validation, which may normalize the value, and its row in docs/agent.md. */
interface Setting<T> {
  parse: (value: unknown) => T | Invalid
  description: string
  bounds: string
  /** As text, for the documentation. */
  default: string
}

const count = (value: number) => value.toLocaleString('en-US')

function text(description: string, defaultText: string, maxLength = 4096, bounds = 'path'): Setting<string> {
  const isValid = (value: unknown) => typeof value === 'string' && value.length > 0 && value.length <= maxLength
  const message = `must be a text of 1 to ${maxLength} characters`
  return {
    parse: (value) => (isValid(value) ? (value as string) : new Invalid(message)),
    description,
    bounds,
    default: defaultText,
  }
}

function integer(
  description: string,
  defaultText: string,
  unit: string,
  { min, max }: { min: number; max: number },
): Setting<number> {
  const isValid = (value: unknown) => Number.isInteger(value) && (value as number) >= min && (value as number) <= max
  const message = `must be a whole number of ${unit} from ${min} to ${max}`
  return {
    parse: (value) => (isValid(value) ? (value as number) : new Invalid(message)),
    description,
    bounds: `${count(min)} to ${count(max)}`,
    default: defaultText,
  }
}

function flag(description: string, defaultText: string): Setting<boolean> {
  const parse = (value: unknown) => (typeof value === 'boolean' ? value : new Invalid('must be true or false'))
  return { parse, description, bounds: '`true`, `false`', default: defaultText }
}

/** `form`: what each item must be, and how that is said. */
function list(
  description: string,
  {
    items,
    length,
    form,
    default: defaultText = 'none',
  }: { items: number; length: number; form?: { isIn(item: string): boolean; text: string }; default?: string },
): Setting<string[]> {
  const isItem = (item: unknown) =>
    typeof item === 'string' && item.length > 0 && item.length <= length && (form?.isIn(item) ?? true)
  const message = `must be a list of at most ${items} different texts of 1 to ${length} characters${form ? `, each ${form.text}` : ''}`
  return {
    parse: (value) => {
      const isList = Array.isArray(value) && value.length <= items && value.every(isItem) && new Set(value).size === value.length
      return isList ? (value as string[]) : new Invalid(message)
    },
    description,
    bounds: `${items} of up to ${length} characters`,
    default: defaultText,
  }
}

/** Files with certificates, and the file with the password of those in PKCS#12. */
export interface CertificatePattern {
  /** Absolute, with the wildcards of a shell, and `**` for any folders. */
  path: string
  password_file?: string
}

const MAX_CERTIFICATE_PATTERNS = 32
const MAX_PATH_LENGTH = 512
const isAbsolutePath = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_PATH_LENGTH && isAbsolute(value)

function toPattern(value: unknown): CertificatePattern | undefined {
  if (isAbsolutePath(value)) return { path: value }
  if (typeof value !== 'object' || value === null) return undefined
  const { path, password_file: passwordFile, ...others } = value as Record<string, unknown>
  if (!isAbsolutePath(path) || Object.keys(others).length > 0) return undefined
  if (passwordFile === undefined) return { path }
  return isAbsolutePath(passwordFile) ? { path, password_file: passwordFile } : undefined
}

function parseCertificateFiles(value: unknown): CertificatePattern[] | Invalid {
  const patterns = Array.isArray(value) ? value.map(toPattern) : []
  const isValid = patterns.length > 0 && patterns.length <= MAX_CERTIFICATE_PATTERNS && !patterns.includes(undefined)
  if (isValid) return patterns as CertificatePattern[]
  return new Invalid(
    `must be a list of at most ${MAX_CERTIFICATE_PATTERNS} absolute paths of up to ${MAX_PATH_LENGTH} characters, each alone or as path with password_file`,
  )
}

/** An absolute path, or a port of this host: over a network the requests would be open to others. */
const isEngineAddress = (address: string): boolean =>
  address.startsWith('/') || /^tcp:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]):[1-9]\d{0,4}$/.test(address)

export function parseUrl(value: unknown): string | Invalid {
  const parsed = typeof value === 'string' ? URL.parse(value) : null
  if (!parsed || !/^https?:$/.test(parsed.protocol)) return new Invalid('must be a URL that begins with https:// (or http://)')
  if (parsed.username || parsed.password) return new Invalid('must not contain a user name or password')
  if (parsed.search || parsed.hash) return new Invalid('must not contain a query or fragment')
  return parsed.href.replace(/\/+$/, '')
}

const isListenAddress = (value: string): boolean => {
  const port = Number(LISTEN_ADDRESS.exec(value)?.[3])
  return port >= 1 && port <= 65_535
}

const parseFingerprint = (value: unknown): string | Invalid =>
  normalizeFingerprint(typeof value === 'string' ? value : '') ??
  new Invalid('must be the SHA-256 of a certificate: 64 hex digits, with or without colons')

/** Every key of the config file. The type `AgentConfig`, the environment variables and docs/agent.md follow from it. */
export const SETTINGS = {
  url: {
    parse: parseUrl,
    description: 'address of the backend, without `/v1`',
    bounds: '`https://` or `http://`',
    default: 'that of the registration',
  },
  token: text(
    'secret; overrides that of the registration; the file must be 0600',
    'that of the registration',
    256,
    'up to 256 characters',
  ),
  sample_interval_seconds: integer(
    "seconds between samples; overrides the backend's interval",
    `the backend's (${SAMPLE_INTERVAL_SECONDS.default})`,
    'seconds',
    SAMPLE_INTERVAL_SECONDS,
  ),
  push_interval_seconds: integer(
    "seconds between pushes; overrides the backend's interval",
    `the backend's (${PUSH_INTERVAL_SECONDS.default})`,
    'seconds',
    PUSH_INTERVAL_SECONDS,
  ),
  allow_http: flag('send the token unencrypted to another host too', '`false` (loopback is always allowed)'),
  state_dir: text(
    'folder of the identity and the state',
    '`/var/lib/vedette`; macOS: `/Library/Application Support/Vedette/state`',
  ),
  tags: list('tags of the server, sent at registration and when they change', { items: 20, length: 64 }),
  ca_file: text('PEM file of the certificate authorities to trust, instead of the usual ones', 'the usual ones'),
  certificate_fingerprint: {
    parse: parseFingerprint,
    description: "SHA-256 of the backend's certificate: only this one is trusted",
    bounds: '64 hex digits, with or without colons',
    default: 'none',
  },
  spool_max_mb: integer('disk space for the [spool](#the-spool), in MiB', '256', 'megabytes', { min: 1, max: 65_536 }),
  spool_max_days: integer('days that the samples in the spool may cover', '7', 'days', { min: 1, max: 365 }),
  processes: flag('whether each push contains the busiest [processes](#once-per-push)', '`true`'),
  watch_processes: list('names of [processes](#watched-processes) that should run; Linux only', {
    items: MAX_MISSING_PROCESSES,
    length: MAX_PROCESS_NAME_LENGTH,
  }),
  units: list('names and patterns of systemd [units](#units), as `nginx.service` and `*.timer`', {
    items: 32,
    length: MAX_ENTITY_NAME_LENGTH,
  }),
  ups: list('addresses of [UPS](#ups) at a NUT server, as `name@host` or `name@host:port`', {
    items: 16,
    length: MAX_ENTITY_NAME_LENGTH,
    form: { isIn: (item) => UPS_ADDRESS.test(item), text: 'as name@host or name@host:port' },
  }),
  smart: flag('whether the [health of disks](#health-of-disks) is read from the files of `vedette-smart.timer`', '`false`'),
  textfile_dir: text("folder with the host's [own metrics](#own-metrics), in Prometheus' text format", 'none'),
  statsd_listen: {
    parse: (value) =>
      typeof value === 'string' && isListenAddress(value)
        ? value
        : new Invalid('must be an address and a port, as 127.0.0.1:8125'),
    description: 'address and UDP port at which [StatsD](#own-metrics) is received',
    bounds: 'as `127.0.0.1:8125`',
    default: 'none',
  } as Setting<string>,
  own_metrics_max: integer(
    'series of [own metrics](#own-metrics) that are sent',
    String(OWN_METRICS.default),
    'series',
    OWN_METRICS,
  ),
  containers: flag(
    'whether [containers](#containers) of Docker and Podman are collected. **Access to their socket is root**',
    '`false`; `true` with `container_sockets`',
  ),
  container_sockets: list('sockets of engines: paths, or `tcp://` and a port of loopback', {
    items: 8,
    length: 108,
    form: { isIn: isEngineAddress, text: 'an absolute path or an address like tcp://127.0.0.1:2375 on loopback' },
    default: 'the [usual ones](#containers)',
  }),
  container_log_lines: integer('last lines of its log that are sent when a container dies or becomes unhealthy', '0', 'lines', {
    min: 0,
    max: MAX_EVENT_LINES,
  }),
  container_image_updates: flag(
    'whether the engine queries the registries once a day for newer images of the containers that run',
    '`false`',
  ),
  certificate_files: {
    parse: parseCertificateFiles,
    description: 'files whose [certificates](#certificates) are reported: PEM, PKCS#12 and JKS, by path and wildcards',
    bounds: '32 of up to 512 characters',
    default: 'none',
  } as Setting<CertificatePattern[]>,
  host_root: text('folder at which the host is mounted, for an agent in a [container](install.md#containers)', 'none'),
  log_file: text(
    'log file, instead of standard output; above 10 MiB it is renamed to `<file>.1`, which replaces the previous one',
    'standard output',
  ),
} satisfies Record<string, Setting<unknown>>

export type SettingKey = keyof typeof SETTINGS
type CamelCase<K extends string> = K extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : K
type ValueOf<K extends SettingKey> = Exclude<ReturnType<(typeof SETTINGS)[K]['parse']>, Invalid>

/** The settings of the agent, in camel case; absent ones come from registration, from the backend, or have a default. */
export type AgentConfig = { [K in SettingKey as CamelCase<K>]?: ValueOf<K> }

/** `spool_max_mb` → `spoolMaxMb`. */
export function propertyOf(key: SettingKey): string {
  return key.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}
