import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { AGENT_VARIABLES, CLIENT_VARIABLES, DAY_MS, MASK } from '@vedette/shared'
import type { Static } from 'typebox'
import { Value } from 'typebox/value'
import { parseMailboxUrl } from '../../platform/mailbox-url.ts'
import { defaultSender, parseSmtpUrl } from '../../platform/smtp-url.ts'
import { DECLARATIONS, type Declaration, RATE_LIMITS, SettingsSchema } from './declarations.ts'

export { connectableHost, publicUrl } from './public-url.ts'
export { RATE_LIMITS }

/** Raised at start with every fault at once; each line names the setting. */
export class SettingsError extends Error {
  readonly faults: string[]
  constructor(faults: string[]) {
    super(`The settings are not valid:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`)
    this.name = 'SettingsError'
    this.faults = faults
  }
}

/** Valid, but without effect here. */
const FOREIGN_NAMES: ReadonlySet<string> = new Set([...AGENT_VARIABLES, ...CLIENT_VARIABLES])

type Raw = Static<typeof SettingsSchema>
export type RateLimits = Readonly<Record<keyof typeof RATE_LIMITS, number>>

/** `VEDETTE_DATA_DIR` as `dataDir`. */
type FieldOf<Name extends string> = Name extends `VEDETTE_${infer Rest}` ? CamelCase<Rest> : CamelCase<Name>
type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Lowercase<Name>

/** What follows from one or more settings. */
interface Derived {
  dataDir: string
  localAgent: boolean
  mailFrom: string
  /** Newest first; undefined: the one kept in the data folder. */
  secretKeys: readonly string[] | undefined
  tls: { certFile: string; keyFile: string } | undefined
  admin: { email: string; password: string; organization: string } | undefined
  /** How long samples are kept, one by one and as means. */
  retention: { rawMs: number; rollupMs: number }
  /** Undefined: limits are off. */
  rateLimits: RateLimits | undefined
  /** As browsers send them; empty: none. */
  corsOrigins: readonly string[]
  /** Sent with samples to VEDETTE_OTLP_URL. */
  otlpHeaders: Readonly<Record<string, string>>
  /** As `host:port`. */
  controlTargets: readonly string[] | 'none' | undefined
  /** Undefined: no agents are handed out. */
  releases: { folder: string; url: string | undefined; keysFile: string | undefined } | undefined
}

/** What the program runs by; frozen. A setting that is used as given has the name of its variable: `VEDETTE_PORT` is `port`. */
export type Settings = Derived & Omit<{ [Name in keyof Raw as FieldOf<Name>]: Raw[Name] }, keyof Derived>

/** Reads the settings from an environment. Throws SettingsError with every fault found. */
export function parseSettings(environment: Readonly<Record<string, string | undefined>>, defaultDataDir: string): Settings {
  const given = Object.fromEntries(
    Object.keys(DECLARATIONS).flatMap((name) => {
      const value = environment[name]
      return value === undefined || value === '' ? [] : [[name, value]]
    }),
  )
  const raw = Value.Default(
    SettingsSchema,
    Object.fromEntries(Object.entries(given).map(([name, value]) => [name, toRaw(name, value)])),
  )
  const faults = [...unknownNames(environment), ...schemaFaults(raw), ...crossFaults(given)]
  if (faults.length > 0) throw new SettingsError(faults)
  return Object.freeze(toSettings(raw as Raw, defaultDataDir))
}

/** Names whose values are secrets, also those that are still to come. */
const SECRET_NAME = /(PASSWORD|SECRET_KEYS?|TOKEN|API_KEY|HEADERS)$/

/** URLs of services, which know their customer by a token in the path. */
const CAPABILITY_URL = new Set(['VEDETTE_DEAD_MAN_URL', 'VEDETTE_SECURITY_LOG_URL', 'VEDETTE_OTLP_URL'])

/** What holds of one setting; null where nothing is set and nothing stands for it. */
export interface EffectiveSetting {
  value: string | number | null
  isDefault: boolean
}

/** Every setting by name, as an environment without faults makes it; secrets are masked, also those in URLs. */
export function effectiveSettings(
  environment: Readonly<Record<string, string | undefined>>,
  defaultDataDir: string,
): Record<string, EffectiveSetting> {
  return Object.fromEntries(
    Object.entries(DECLARATIONS).map(([name, declaration]): [string, EffectiveSetting] => {
      const given = environment[name]
      if (given !== undefined && given !== '') return [name, { value: mask(name, toRaw(name, given)), isDefault: false }]
      return [name, { value: name === 'VEDETTE_DATA_DIR' ? defaultDataDir : (declaration.default ?? null), isDefault: true }]
    }),
  )
}

/**
 * Up to the first @ behind which hosts, a path and a query follow, else up to the last one: others may stand in a password that nobody
 * escaped. In a query only the address of `from` has one.
 */
const PASSWORD = /^([a-z+]+:\/\/[^:@/?#]*):(?:.*?@(?=[\w.:,[\]-]+(?:\/[^?@]*)?(?:\?(?:[^@]*\bfrom=[^@&]*@)?[^@]*)?$)|.*@)/

function mask(name: string, value: string | number): string | number {
  if (typeof value === 'number') return value
  if (SECRET_NAME.test(name)) return MASK
  if (!/^[a-z+]+:\/\//.test(value)) return value
  const shown = CAPABILITY_URL.has(name) ? value.replace(/^([a-z+]+:\/\/[^/]+\/).+$/, `$1${MASK}`) : value
  return shown.replace(PASSWORD, `$1:${MASK}@`).replaceAll(/([?&][^=&]*(?:password|secret|token|key)[^=&]*=)[^&]*/gi, `$1${MASK}`)
}

/** Whole numbers become numbers; the library's own conversion would cut 80.5 to 80 without a word. */
function toRaw(name: string, value: string): string | number {
  return DECLARATIONS[name]?.type === 'integer' && /^-?\d{1,9}$/.test(value) ? Number(value) : value
}

function unknownNames(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith('VEDETTE_') && !(name in DECLARATIONS) && !FOREIGN_NAMES.has(name))
    .map((name) => `${name} is not a setting of Vedette`)
}

function schemaFaults(raw: unknown): string[] {
  const names = new Set(Value.Errors(SettingsSchema, raw).map((error) => error.instancePath.slice(1).split('/')[0] ?? ''))
  return [...names].map((name) => `${name} ${expectation(DECLARATIONS[name] ?? { description: '' })}`)
}

/** What would be valid, from the declaration. The value itself may be a secret and is never shown. */
function expectation({ enum: choices, minimum, maximum, pattern, description }: Declaration): string {
  // Without the links of the docs.
  const meaning = description.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
  if (choices) return `must be one of ${choices.join(', ')} (${meaning})`
  if (minimum !== undefined) return `must be a whole number from ${minimum} to ${maximum} (${meaning})`
  if (pattern) return `must look like ${pattern} (${meaning})`
  return `is too short or too long (${meaning})`
}

function crossFaults(given: Record<string, string>): string[] {
  const faults: string[] = []
  const together = (names: string[]) => {
    const missing = names.filter((name) => given[name] === undefined)
    if (missing.length > 0 && missing.length < names.length)
      faults.push(`${missing.join(', ')} must be set with the others of ${names.join(', ')}`)
  }
  together(['VEDETTE_TLS_CERT_FILE', 'VEDETTE_TLS_KEY_FILE'])
  together(['VEDETTE_ADMIN_EMAIL', 'VEDETTE_ADMIN_PASSWORD'])
  if (given['VEDETTE_ORGANIZATION'] && !given['VEDETTE_ADMIN_EMAIL']) {
    faults.push('VEDETTE_ORGANIZATION goes with VEDETTE_ADMIN_EMAIL and VEDETTE_ADMIN_PASSWORD')
  }
  for (const name of ['VEDETTE_RELEASES_URL', 'VEDETTE_RELEASES_KEYS_FILE']) {
    if (given[name] && !given['VEDETTE_RELEASES_DIR']) faults.push(`${name} goes with VEDETTE_RELEASES_DIR`)
  }
  if (given['VEDETTE_OTLP_HEADERS'] && !given['VEDETTE_OTLP_URL']) faults.push('VEDETTE_OTLP_HEADERS goes with VEDETTE_OTLP_URL')
  if (!parseHeaders(given['VEDETTE_OTLP_HEADERS']))
    faults.push(
      `VEDETTE_OTLP_HEADERS must be a comma-separated list of at most ${MAX_HEADERS} headers as name=value, percent-encoded: authorization=Bearer%20abc`,
    )
  if (given['DATABASE_READ_URL'] && !given['DATABASE_URL']) faults.push('DATABASE_READ_URL goes with DATABASE_URL')
  for (const name of ['DATABASE_URL', 'DATABASE_READ_URL']) {
    const url = given[name]
    if (url !== undefined && !URL.canParse(url))
      faults.push(`${name} is not a valid URL: postgres://user:password@host:port/database`)
  }
  const targets = given['VEDETTE_ALLOW_PRIVATE_TARGETS']
  if (targets !== undefined && targets !== 'all' && !targets.split(',').every((cidr) => isCidr(cidr.trim()))) {
    faults.push('VEDETTE_ALLOW_PRIVATE_TARGETS must be `all` or a comma-separated list of CIDRs such as 10.0.0.0/8')
  }
  const controls = given['VEDETTE_CONTROL_TARGETS']
  if (controls !== undefined && controls !== 'none' && !controls.split(',').every((target) => isHostAndPort(target.trim())))
    faults.push(
      'VEDETTE_CONTROL_TARGETS must be `none` or a comma-separated list of host:port such as 192.0.2.1:53,example.com:443',
    )
  const smtpUrl = given['VEDETTE_SMTP_URL']
  if (smtpUrl !== undefined && !parseSmtpUrl(smtpUrl))
    faults.push(
      'VEDETTE_SMTP_URL must look like smtp[s]://[user:password@]host[:port][?from=sender@example.com][&tls=required|off]',
    )
  const inbound = given['VEDETTE_INBOUND_MAIL']
  if (inbound?.startsWith('imap') && !parseMailboxUrl(inbound))
    faults.push(
      'VEDETTE_INBOUND_MAIL must look like imaps://user:password@host[:port][/folder], with % before what is no letter; imap:// is for loopback alone',
    )
  if (!listOf(given['VEDETTE_CORS_ORIGINS']).every(isOrigin))
    faults.push(
      'VEDETTE_CORS_ORIGINS must be a comma-separated list of origins as browsers send them: https://app.example.com, in lower case, without a path, a slash at the end or the default port; neither * nor null',
    )
  const [rawDays, rollupDays] = [given['VEDETTE_RAW_RETENTION_DAYS'], given['VEDETTE_ROLLUP_RETENTION_DAYS']]
  if (rawDays !== undefined && rollupDays !== undefined && Number(rollupDays) < Number(rawDays))
    faults.push('VEDETTE_ROLLUP_RETENTION_DAYS must not be less than VEDETTE_RAW_RETENTION_DAYS')
  const groups = given['VEDETTE_RATE_LIMITS']?.split(',').map((pair) => pair.split('=')[0]) ?? []
  if (new Set(groups).size < groups.length) faults.push('VEDETTE_RATE_LIMITS must name each group once')
  const short = (given['VEDETTE_SECRET_KEYS']?.split(',') ?? []).some((key) => Buffer.byteLength(key.trim()) < 32)
  if (short) faults.push('VEDETTE_SECRET_KEYS must hold keys of 32 bytes or more each')
  return faults
}

const controlTargetsOf = (value: string | undefined): Settings['controlTargets'] =>
  value === undefined || value === 'none' ? value : listOf(value)

const listOf = (value: string | undefined): string[] => value?.split(',').map((part) => part.trim()) ?? []

/** Whether a browser would write the origin of a page so. */
function isOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && URL.parse(text)?.origin === text
}

function isHostAndPort(text: string): boolean {
  const [, host = '', port] = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+):(\d{1,5})$/i.exec(text) ?? []
  return host !== '' && Number(port) >= 1 && Number(port) <= 65_535
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/')
  const version = isIP(address)
  return version !== 0 && rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128)
}

function toSettings(raw: Raw, defaultDataDir: string): Settings {
  const fields = Object.entries(raw).map(([name, value]) => [fieldOf(name), value])
  return { ...(Object.fromEntries(fields) as Settings), ...derive(raw, defaultDataDir) }
}

const fieldOf = (name: string): string =>
  name
    .replace('VEDETTE_', '')
    .toLowerCase()
    .replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())

function derive(raw: Raw, defaultDataDir: string): Derived {
  return {
    dataDir: raw.VEDETTE_DATA_DIR ?? defaultDataDir,
    localAgent: raw.VEDETTE_LOCAL_AGENT === 'on',
    mailFrom: defaultSender(raw.VEDETTE_PUBLIC_URL),
    secretKeys: raw.VEDETTE_SECRET_KEYS?.split(',').map((key) => key.trim()),
    tls:
      raw.VEDETTE_TLS_CERT_FILE && raw.VEDETTE_TLS_KEY_FILE
        ? { certFile: raw.VEDETTE_TLS_CERT_FILE, keyFile: raw.VEDETTE_TLS_KEY_FILE }
        : undefined,
    admin:
      raw.VEDETTE_ADMIN_EMAIL && raw.VEDETTE_ADMIN_PASSWORD
        ? {
            email: raw.VEDETTE_ADMIN_EMAIL,
            password: raw.VEDETTE_ADMIN_PASSWORD,
            organization: raw.VEDETTE_ORGANIZATION ?? 'My organization',
          }
        : undefined,
    retention: { rawMs: raw.VEDETTE_RAW_RETENTION_DAYS * DAY_MS, rollupMs: raw.VEDETTE_ROLLUP_RETENTION_DAYS * DAY_MS },
    rateLimits: parseRateLimits(raw.VEDETTE_RATE_LIMITS),
    corsOrigins: listOf(raw.VEDETTE_CORS_ORIGINS),
    otlpHeaders: parseHeaders(raw.VEDETTE_OTLP_HEADERS) ?? {},
    controlTargets: controlTargetsOf(raw.VEDETTE_CONTROL_TARGETS),
    releases: raw.VEDETTE_RELEASES_DIR
      ? { folder: resolve(raw.VEDETTE_RELEASES_DIR), url: raw.VEDETTE_RELEASES_URL, keysFile: raw.VEDETTE_RELEASES_KEYS_FILE }
      : undefined,
  }
}

const MAX_HEADERS = 50

/** As OTEL_EXPORTER_OTLP_HEADERS: `name=value,name=value`, percent-encoded; undefined where it is not. */
function parseHeaders(text: string | undefined): Record<string, string> | undefined {
  const pairs = listOf(text).map((pair) => /^([\w!#$%&'*+.^`|~-]+)\s*=\s*(\S.*)$/.exec(pair))
  if (pairs.length > MAX_HEADERS || pairs.includes(null)) return undefined
  try {
    const headers = pairs.map((pair): [string, string] => [pair?.[1] ?? '', decodeURIComponent(pair?.[2] ?? '')])
    return headers.every(([, value]) => /^[\t\x20-\x7e\x80-\xff]+$/.test(value)) ? Object.fromEntries(headers) : undefined
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}

/** `auth=10,read=100` over the defaults; undefined for `off`. */
function parseRateLimits(value: string): RateLimits | undefined {
  if (value === 'off') return undefined
  const given = Object.fromEntries(
    value
      .split(',')
      .map((pair) => pair.split('='))
      .map(([group, limit]) => [group, Number(limit)]),
  )
  return { ...RATE_LIMITS, ...given }
}
