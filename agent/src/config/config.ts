import { statSync } from 'node:fs'
import { readTextIfThere, writeAtomic } from '../process/files.ts'
import { type AgentConfig, Invalid, parseUrl, propertyOf, type SettingKey, SETTINGS } from './config-settings.ts'
import { type ConfigEntry, readPlainConfig } from './plain-config.ts'

/** All errors of the settings, each with the file and the name of the setting. */
export class ConfigError extends Error {
  readonly faults: readonly string[]
  constructor(faults: readonly string[]) {
    super(faults.join('\n'))
    this.faults = faults
  }
}

/** Parses a YAML text; throws a ConfigError with every error and its line. `path` is for messages. */
export async function parseConfig(source: string, path: string): Promise<AgentConfig> {
  const config: Record<string, unknown> = {}
  const faults: string[] = []
  for (const { name, line, value: written } of readPlainConfig(source) ?? (await readYaml(source, path))) {
    if (!Object.hasOwn(SETTINGS, name)) {
      faults.push(`${path}:${line}: unknown key "${name}" (known: ${Object.keys(SETTINGS).join(', ')})`)
      continue
    }
    const key = name as SettingKey
    const value = SETTINGS[key].parse(written)
    if (value instanceof Invalid) faults.push(`${path}:${line}: ${name} ${value.message}`)
    else config[propertyOf(key)] = value
  }
  if (faults.length > 0) throw new ConfigError(faults)
  // Each value was parsed by its own setting.
  return config
}

/** Reads any YAML mapping; throws a ConfigError for invalid YAML. */
export async function readYaml(source: string, path: string): Promise<ConfigEntry[]> {
  // Imported on demand: nearly all config files are read without it.
  const { isMap, isScalar, LineCounter, parseDocument } = await import('yaml')
  const lines = new LineCounter()
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false })
  const lineAt = (offset: number) => lines.linePos(offset).line
  if (document.errors.length > 0) {
    throw new ConfigError(document.errors.map((error) => `${path}:${lineAt(error.pos[0])}: ${error.message}`))
  }
  if (document.contents === null) return []
  if (!isMap(document.contents)) throw new ConfigError([`${path}:1: must contain lines of the form "key: value"`])
  return document.contents.items.map(({ key }) => {
    const name = isScalar(key) ? String(key.value) : '?'
    const node = document.get(name, true)
    const value = isScalar(node) ? node.value : (node as { toJSON(): unknown } | undefined)?.toJSON()
    return { name, line: lineAt(isScalar(key) ? (key.range?.[0] ?? 0) : 0), value }
  })
}

/** Reads the config file; a missing one is an empty config. Throws if it contains a token and others can read it. */
export async function readConfig(path: string): Promise<AgentConfig> {
  const source = readTextIfThere(path)
  if (source === undefined) return {}
  const config = await parseConfig(source, path)
  if (config.token !== undefined && process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
    throw new ConfigError([`${path} contains a token and others can read it: chmod 600 ${path}`])
  }
  return config
}

/** The environment variable of each key; variables override the file. */
export const CONFIG_VARIABLES: ReadonlyMap<string, SettingKey> = new Map(
  Object.keys(SETTINGS).map((key) => [`VEDETTE_AGENT_${key.toUpperCase()}`, key as SettingKey]),
)

/** Parses the value of a variable; throws a ConfigError with its name. Lists are separated by commas. */
export function parseVariable(variable: string, key: SettingKey, value: string): AgentConfig {
  const { parse } = SETTINGS[key]
  const typed = /^\d+$/.test(value) ? Number(value) : value === 'true' || value === 'false' ? value === 'true' : value
  const attempts = [value, typed, value.split(',').map((part) => part.trim())].map((attempt) => parse(attempt))
  const valid = attempts.find((result) => !(result instanceof Invalid))
  if (valid !== undefined) return { [propertyOf(key)]: valid }
  const [, invalid] = attempts
  throw new ConfigError([`environment variable ${variable} ${invalid instanceof Invalid ? invalid.message : 'is invalid'}`])
}

/** Adds settings to the config file without changing the rest; creates a missing file. The file is 0600. */
export function appendToConfig(path: string, entries: Record<string, string | boolean>): void {
  const before = readTextIfThere(path) ?? ''
  const gap = before === '' || before.endsWith('\n') ? '' : '\n'
  const added = Object.entries(entries).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
  writeAtomic(path, before + gap + added.join(''))
}

/** Replaces one setting in the config file, or adds it; other lines stay unchanged. */
export function setInConfig(path: string, key: SettingKey, value: string): void {
  const before = readTextIfThere(path) ?? ''
  const line = new RegExp(`^${key}[ \\t]*:.*$`, 'm')
  if (line.test(before))
    writeAtomic(
      path,
      before.replace(line, () => `${key}: ${JSON.stringify(value)}`),
    )
  else appendToConfig(path, { [key]: value })
}

/** Normalizes the address of a backend; throws a ConfigError if it is invalid. */
export function normalizeUrl(address: string): string {
  const url = parseUrl(address)
  if (url instanceof Invalid) throw new ConfigError([`--url ${url.message}`])
  return url
}

/** Why the agent does not send its token to this URL; undefined if it does. */
export function refusalOfUrl(address: string, allowHttp: boolean): string | undefined {
  const { protocol, hostname } = new URL(address)
  if (protocol === 'https:' || allowHttp) return undefined
  if (hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)) return undefined
  return `${address} is not encrypted, so others could read the token: use https://, or set "allow_http: true" in the config`
}
