import { truncateText } from '@vedette/shared'

/** What a registry says of a domain. */
export interface Registration {
  /** Undefined where the registry does not publish it. */
  expiresAtMs: number | undefined
  registrar: string | undefined
}

export type RegistryAnswer = Registration | 'unregistered'

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value.slice(0, 100) : [])

/** RFC 9083. Undefined for anything but the object of this domain. Pure. */
export function parseRdap(text: string, name: string): Registration | undefined {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isRecord(answer) || answer['objectClassName'] !== 'domain') return undefined
  const named = answer['ldhName']
  if (typeof named === 'string' && named.toLowerCase().replace(/\.$/, '') !== name) return undefined
  const expiration = listOf(answer['events']).find((event) => isRecord(event) && event['eventAction'] === 'expiration')
  const registrar = listOf(answer['entities']).find((entity) => isRecord(entity) && listOf(entity['roles']).includes('registrar'))
  return {
    expiresAtMs: isRecord(expiration) ? parseDate(String(expiration['eventDate'])) : undefined,
    registrar: isRecord(registrar) ? fullNameOf(registrar['vcardArray']) : undefined,
  }
}

/** jCard, RFC 7095: `["vcard", [["fn", {}, "text", "Example Registrar"]]]`. */
function fullNameOf(card: unknown): string | undefined {
  const field = listOf(listOf(card)[1]).find((one) => listOf(one)[0] === 'fn')
  const name = listOf(field)[3]
  return typeof name === 'string' && name !== '' ? name : undefined
}

const EXPIRY =
  /^\s*\[?(?:registry expiry date|registrar registration expiration date|expiry date|expiration date|expiration time|domain expiration date|expires on|expires at|expires|expire date|expire|exp date|paid-till|valid until|renewal date|validity)\]?\s*[.:]*\s*(\S.*)$/i
const REGISTRAR = /^\s*\[?(?:sponsoring registrar|registrar name|registrar)\]?\s*[.:]+\s*(\S.*)$/i
const DOMAIN = /^\s*(?:domain|domain name)\s*:/i
const UNREGISTERED =
  /^\W*(?:no match|not found|no data found|no entries found|no object found|domain not found|nothing found|object does not exist|the queried object does not exist)|\bis (?:free|available)\b|^\s*(?:domain )?status\s*:\s*(?:free|available)\b/i

/** Real answers have some hundred short lines; the expressions above would take long for others. */
const MAX_LINES = 2_000
const MAX_LINE_LENGTH = 300

const linesOf = (text: string): string[] => text.split(/\r?\n/, MAX_LINES).map((line) => truncateText(line, MAX_LINE_LENGTH))

/** The text of a WHOIS server, whose form is each registry's own. Undefined for a text that says nothing known. Pure. */
export function parseWhois(text: string): RegistryAnswer | undefined {
  const lines = linesOf(text)
  const valueOf = (pattern: RegExp): string | undefined =>
    lines.map((line) => pattern.exec(line)?.[1]).find((value) => value !== undefined)
  const expiresAtMs = parseDate(valueOf(EXPIRY) ?? '')
  const registrar = valueOf(REGISTRAR)?.trim()
  if (expiresAtMs === undefined && lines.some((line) => UNREGISTERED.test(line))) return 'unregistered'
  const isDomain = expiresAtMs !== undefined || registrar !== undefined || lines.some((line) => DOMAIN.test(line))
  return isDomain ? { expiresAtMs, registrar } : undefined
}

/** The WHOIS server in an answer of IANA. Pure. */
export function parseReferral(text: string): string | undefined {
  for (const line of linesOf(text)) {
    const host = /^(?:refer|whois):\s*([A-Za-z0-9.-]{1,253})\s*$/i.exec(line)?.[1]
    if (host !== undefined) return host.toLowerCase()
  }
  return undefined
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** A date as registries write it, in ms since the epoch; a day without a time is its beginning in UTC. Pure. */
export function parseDate(text: string): number | undefined {
  const date = truncateText(text.trim(), 60)
  const iso = /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}:\d{2}:\d{2})(?:\.\d+)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?/.exec(date)
  if (iso) {
    const [, year, month, day, time, zone = 'Z'] = iso
    return valid(Date.parse(`${year}-${month}-${day}T${time}${/^[A-Z]/.test(zone) ? 'Z' : zone.replace(/^(...):?/, '$1:')}`))
  }
  const [, year, month, day] = /^(\d{4})[-./]?(\d{2})[-./]?(\d{2})(?!\d)/.exec(date) ?? []
  if (year !== undefined) return utc(year, Number(month), day)
  const [, dayOfMonth, monthOfYear, fourDigits] = /^(\d{1,2})[-./ ](\d{1,2}|[A-Za-z]{3})[A-Za-z]*[-./ ](\d{4})/.exec(date) ?? []
  if (monthOfYear === undefined) return undefined
  const named = MONTHS.indexOf(monthOfYear.toLowerCase()) + 1
  return utc(fourDigits, named > 0 ? named : Number(monthOfYear), dayOfMonth)
}

const utc = (year: string | undefined, month: number, day: string | undefined): number | undefined =>
  valid(Date.parse(`${year}-${String(month).padStart(2, '0')}-${(day ?? '').padStart(2, '0')}T00:00:00Z`))

const valid = (ms: number): number | undefined => (Number.isNaN(ms) ? undefined : ms)
