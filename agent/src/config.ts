import { statSync } from 'node:fs'
import { readTextIfThere, writeAtomic } from './files.ts'
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

const seconds =
  ({ min, max }: { min: number; max: number }): Check<number> =>
  (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
      ? value
      : new Fault(`must be a whole number of seconds from ${min} to ${max}`)

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

/** Every key of the file: its name inside the program, and what it may hold. */
const KEYS = {
  url: { name: 'url', check: url },
  token: { name: 'token', check: text(256) },
  sample_interval_seconds: { name: 'sampleIntervalSeconds', check: seconds(SAMPLE_INTERVAL_SECONDS) },
  push_interval_seconds: { name: 'pushIntervalSeconds', check: seconds(PUSH_INTERVAL_SECONDS) },
  allow_http: { name: 'allowHttp', check: flag },
  state_dir: { name: 'stateDir', check: text(4096) },
  tags: { name: 'tags', check: tags },
} satisfies Record<string, { name: keyof AgentConfig; check: Check<unknown> }>

/** The settings in a YAML text; throws a ConfigError with every fault at its line. `path` is for messages. */
export async function parseConfig(source: string, path: string): Promise<AgentConfig> {
  // Loaded here and not above: most commands and most starts have no file to parse.
  const { isMap, isScalar, LineCounter, parseDocument } = await import('yaml')
  const lines = new LineCounter()
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false })
  const at = (offset: number) => `${path}:${lines.linePos(offset).line}`
  const faults = document.errors.map((error) => `${at(error.pos[0])}: ${error.message}`)
  if (faults.length > 0) throw new ConfigError(faults)
  if (document.contents === null) return {}
  if (!isMap(document.contents)) throw new ConfigError([`${path}:1: must hold lines of the form "key: value"`])
  const config: Record<string, unknown> = {}
  for (const { key } of document.contents.items) {
    const offset = isScalar(key) ? (key.range?.[0] ?? 0) : 0
    const name = isScalar(key) ? String(key.value) : '?'
    const known = Object.hasOwn(KEYS, name) ? KEYS[name as keyof typeof KEYS] : undefined
    if (!known) {
      faults.push(`${at(offset)}: unknown key "${name}" (known: ${Object.keys(KEYS).join(', ')})`)
      continue
    }
    const node = document.get(name, true)
    const value = known.check(isScalar(node) ? node.value : (node as { toJSON(): unknown } | undefined)?.toJSON())
    if (value instanceof Fault) faults.push(`${at(offset)}: ${name} ${value.message}`)
    else config[known.name] = value
  }
  if (faults.length > 0) throw new ConfigError(faults)
  // Each entry went through the check of its own key.
  return config
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

/** Adds settings to the config file, keeping what is there (comments too); the file is made if it is missing, and is 0600. */
export function appendToConfig(path: string, entries: Record<string, string | boolean>): void {
  const before = readTextIfThere(path) ?? ''
  const gap = before === '' || before.endsWith('\n') ? '' : '\n'
  const added = Object.entries(entries).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
  writeAtomic(path, before + gap + added.join(''))
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
