import { statSync } from 'node:fs'
import { readTextIfThere, writeAtomic } from './files.ts'
import { normalizeFingerprint } from './pinned-agent.ts'
import { type ConfigEntry, readPlainConfig } from './plain-config.ts'
import { PUSH_INTERVAL_SECONDS, SAMPLE_INTERVAL_SECONDS } from '@vedette/shared/metrics/limits'

/** The agent's own settings; what is absent comes from registration or from the backend. */
export interface AgentConfig {
  url?: string
  /** Secret; goes before the token from registration. */
  token?: string
  sampleIntervalSeconds?: number
  pushIntervalSeconds?: number
  allowHttp?: boolean
  stateDir?: string
  tags?: string[]
  /** PEM file of the certificate authorities to trust, in place of the usual ones. */
  caFile?: string
  /** SHA-256 of the backend's certificate, 64 lower-case hex digits: trusted in place of any authority. */
  certificateFingerprint?: string
  spoolMaxMegabytes?: number
  /** Days that the samples of the spool may cover. */
  spoolMaxDays?: number
  /** In place of standard output. */
  logFile?: string
  /** Whether the processes that use most go with each push. */
  processes?: boolean
}

/** All that is wrong with the settings, each fault with its place. */
export class ConfigError extends Error {
  readonly faults: readonly string[]
  constructor(faults: readonly string[]) {
    super(faults.join('\n'))
    this.faults = faults
  }
}

type Check<T> = (value: unknown) => T | Fault
class Fault {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

const text =
  (maxLength: number): Check<string> =>
  (value) =>
    typeof value === 'string' && value.length > 0 && value.length <= maxLength
      ? value
      : new Fault(`must be a text of 1 to ${maxLength} characters`)

const whole =
  (unit: string, { min, max }: { min: number; max: number }): Check<number> =>
  (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
      ? value
      : new Fault(`must be a whole number of ${unit} from ${min} to ${max}`)

const flag: Check<boolean> = (value) => (typeof value === 'boolean' ? value : new Fault('must be true or false'))

function isTag(tag: unknown): tag is string {
  return typeof tag === 'string' && tag.length > 0 && tag.length <= 64
}

const tags: Check<string[]> = (value) => {
  if (Array.isArray(value) && value.length <= 20 && value.every(isTag) && new Set(value).size === value.length) return value
  return new Fault('must be a list of at most 20 different texts of 1 to 64 characters')
}

const url: Check<string> = (value) => {
  const parsed = typeof value === 'string' ? URL.parse(value) : null
  if (!parsed || !/^https?:$/.test(parsed.protocol)) return new Fault('must be a URL that begins with https:// (or http://)')
  if (parsed.username || parsed.password) return new Fault('must not hold a user name or password')
  if (parsed.search || parsed.hash) return new Fault('must not hold a query or fragment')
  return parsed.href.replace(/\/+$/, '')
}

const fingerprint: Check<string> = (value) =>
  normalizeFingerprint(typeof value === 'string' ? value : '') ??
  new Fault('must be the SHA-256 of a certificate: 64 hex digits, with or without colons')

/** Every key of the file: its name inside the program, and what it may hold. */
const KEYS = {
  url: { name: 'url', check: url },
  token: { name: 'token', check: text(256) },
  sample_interval_seconds: { name: 'sampleIntervalSeconds', check: whole('seconds', SAMPLE_INTERVAL_SECONDS) },
  push_interval_seconds: { name: 'pushIntervalSeconds', check: whole('seconds', PUSH_INTERVAL_SECONDS) },
  allow_http: { name: 'allowHttp', check: flag },
  state_dir: { name: 'stateDir', check: text(4096) },
  tags: { name: 'tags', check: tags },
  ca_file: { name: 'caFile', check: text(4096) },
  certificate_fingerprint: { name: 'certificateFingerprint', check: fingerprint },
  spool_max_mb: { name: 'spoolMaxMegabytes', check: whole('megabytes', { min: 1, max: 65_536 }) },
  spool_max_days: { name: 'spoolMaxDays', check: whole('days', { min: 1, max: 365 }) },
  log_file: { name: 'logFile', check: text(4096) },
  processes: { name: 'processes', check: flag },
} satisfies Record<string, { name: keyof AgentConfig; check: Check<unknown> }>

/** The settings in a YAML text; throws a ConfigError with every fault at its line. `path` is for messages. */
export async function parseConfig(source: string, path: string): Promise<AgentConfig> {
  const config: Record<string, unknown> = {}
  const faults: string[] = []
  for (const { name, line, value: written } of readPlainConfig(source) ?? (await readYaml(source, path))) {
    const known = Object.hasOwn(KEYS, name) ? KEYS[name as keyof typeof KEYS] : undefined
    if (!known) {
      faults.push(`${path}:${line}: unknown key "${name}" (known: ${Object.keys(KEYS).join(', ')})`)
      continue
    }
    const value = known.check(written)
    if (value instanceof Fault) faults.push(`${path}:${line}: ${name} ${value.message}`)
    else config[known.name] = value
  }
  if (faults.length > 0) throw new ConfigError(faults)
  // Each entry went through the check of its own key.
  return config
}

/** Whatever YAML allows; throws a ConfigError where it does not. */
export async function readYaml(source: string, path: string): Promise<ConfigEntry[]> {
  // Loaded here and not above: a file is hardly ever such that this is needed.
  const { isMap, isScalar, LineCounter, parseDocument } = await import('yaml')
  const lines = new LineCounter()
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false })
  const lineAt = (offset: number) => lines.linePos(offset).line
  if (document.errors.length > 0) {
    throw new ConfigError(document.errors.map((error) => `${path}:${lineAt(error.pos[0])}: ${error.message}`))
  }
  if (document.contents === null) return []
  if (!isMap(document.contents)) throw new ConfigError([`${path}:1: must hold lines of the form "key: value"`])
  return document.contents.items.map(({ key }) => {
    const name = isScalar(key) ? String(key.value) : '?'
    const node = document.get(name, true)
    const value = isScalar(node) ? node.value : (node as { toJSON(): unknown } | undefined)?.toJSON()
    return { name, line: lineAt(isScalar(key) ? (key.range?.[0] ?? 0) : 0), value }
  })
}

/** Reads the config file; a missing one is an empty config. A token in a file that others may read is refused. */
export async function readConfig(path: string): Promise<AgentConfig> {
  const source = readTextIfThere(path)
  if (source === undefined) return {}
  const config = await parseConfig(source, path)
  if (config.token !== undefined && process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
    throw new ConfigError([`${path} holds a token and others may read it: chmod 600 ${path}`])
  }
  return config
}

/** Names of the keys as variables of the environment, which go before the file. */
export const CONFIG_VARIABLES: ReadonlyMap<string, keyof typeof KEYS> = new Map(
  Object.keys(KEYS).map((key) => [`VEDETTE_AGENT_${key.toUpperCase()}`, key as keyof typeof KEYS]),
)

/** The setting that a variable holds; throws a ConfigError that names the variable. Lists are written with commas. */
export function parseVariable(variable: string, key: keyof typeof KEYS, value: string): AgentConfig {
  const { name, check } = KEYS[key]
  const typed = /^\d+$/.test(value) ? Number(value) : value === 'true' || value === 'false' ? value === 'true' : value
  const attempts = [value, typed, value.split(',').map((part) => part.trim())]
  const good = attempts.map((attempt) => check(attempt)).find((result) => !(result instanceof Fault))
  if (good !== undefined) return { [name]: good }
  const fault = check(typed)
  throw new ConfigError([`environment variable ${variable} ${fault instanceof Fault ? fault.message : 'is wrong'}`])
}

/** Adds settings to the config file, keeping what is there (comments too); the file is made if it is missing, and is 0600. */
export function appendToConfig(path: string, entries: Record<string, string | boolean>): void {
  const before = readTextIfThere(path) ?? ''
  const gap = before === '' || before.endsWith('\n') ? '' : '\n'
  const added = Object.entries(entries).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
  writeAtomic(path, before + gap + added.join(''))
}

/** Replaces one setting in the config file, or adds it; the lines of the others stay as they are. */
export function setInConfig(path: string, key: keyof typeof KEYS, value: string): void {
  const before = readTextIfThere(path) ?? ''
  const line = new RegExp(`^${key}[ \\t]*:.*$`, 'm')
  if (line.test(before))
    writeAtomic(
      path,
      before.replace(line, () => `${key}: ${JSON.stringify(value)}`),
    )
  else appendToConfig(path, { [key]: value })
}

/** The address of a backend as a person typed it, in the one form that is kept; throws a ConfigError for anything else. */
export function normalizeUrl(address: string): string {
  const checked = url(address)
  if (checked instanceof Fault) throw new ConfigError([`--url ${checked.message}`])
  return checked
}

/** Why the agent will not send its token to this URL; undefined when it may. */
export function refusalOfUrl(address: string, allowHttp: boolean): string | undefined {
  const { protocol, hostname } = new URL(address)
  if (protocol === 'https:' || allowHttp) return undefined
  if (hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)) return undefined
  return `${address} is not encrypted, and the token would be readable on its way: use https://, or set "allow_http: true" in the config`
}
