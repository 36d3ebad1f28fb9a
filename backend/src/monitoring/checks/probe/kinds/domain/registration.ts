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

/** RFC 9083, and what registries make of it. Undefined for anything but the object of this domain. Pure. */
export function parseRdap(text: string, name: string): Registration | undefined {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isRecord(answer) || wordOf(answer['objectClassName']) !== 'domain') return undefined
  const named = answer['ldhName']
  if (typeof named === 'string' && named.toLowerCase().replace(/\.$/, '') !== name) return undefined
  const registrar = listOf(answer['entities']).find(
    (entity) => isRecord(entity) && listOf(entity['roles']).some((role) => wordOf(role) === 'registrar'),
  )
  return {
    expiresAtMs: expirationOf(listOf(answer['events']).filter((event) => isRecord(event))),
    registrar: isRecord(registrar) ? fullNameOf(registrar['vcardArray']) : undefined,
  }
}

const wordOf = (value: unknown): string => (typeof value === 'string' ? value.trim().toLowerCase() : '')

/** "expiration" of RFC 9083; .kg says "Record expires". That of the registrar may come later than the domain's end. */
function expirationOf(events: readonly Record<string, unknown>[]): number | undefined {
  const dateOf = (isIt: (action: string) => boolean): number | undefined =>
    events
      .filter(({ eventAction }) => isIt(wordOf(eventAction)))
      .map(({ eventDate }) => parseDate(String(eventDate)))
      .find((ms) => ms !== undefined)
  return (
    dateOf((action) => action === 'expiration') ?? dateOf((action) => /\bexpir/.test(action) && !action.startsWith('registrar'))
  )
}

/** jCard, RFC 7095: `["vcard", [["fn", {}, "text", "Example Registrar"]]]`. */
function fullNameOf(card: unknown): string | undefined {
  const field = listOf(listOf(card)[1]).find((one) => listOf(one)[0] === 'fn')
  const name = listOf(field)[3]
  return typeof name === 'string' && name !== '' ? name : undefined
}

const EXPIRY_LABELS = [
  'regist(?:ry|rar) (?:registration )?expir(?:y|ation) date',
  'domain(?: record)? expir(?:es|ation date|y date)',
  'record expires(?: on)?',
  'expir(?:y|ation|es|ed|e)(?:[ _-]?(?:date|time|on|at))?',
  String.raw`exp[. ]{0,2}date`,
  'paid-till',
  'valid (?:until|till)',
  'renewal(?: date)?',
  'validity',
  'domain_datebilleduntil',
]
const EXPIRY = new RegExp(String.raw`^\W*(?:${EXPIRY_LABELS.join('|')})(?![a-z])(?: \([^)]*\))?\]?\s*[.:]*\s*(\S.*)$`, 'i')
const REGISTRAR = /^\W*(?:sponsoring registrar|registrar name|registrar)\]?(?:\s*[.:]+\s*|\t+)(\S.*)$/i
/** A field that only a registered domain has, below the name that many servers repeat of any. */
const FIELD =
  /^\W*(?:[a-z]\. ?)?\[?(?:registered(?: date| on)?|creat(?:ed|ion date)|(?:first )?registration date|name ?servers?|nservers?|registrant|holder|owner|(?:domain )?status|state|dnssec)\s*(?:\.*:|\.{2,}|\]|\t)/i

/** How a line begins that says that nobody has the domain. */
const UNREGISTERED: readonly RegExp[] = [
  /^no (?:match|data|entr|object|record|such domain|information (?:available|was found))/i,
  /^no_se_encontro_el_objeto|^invalid query or domain name not known|^we do not have an entry in our database/i,
  /^not(?:hing)? (?:was )?(?:found|registered)\b/i,
  /^object[ _]?(?:does not exist|not[ _]found)/i,
  /^(?:the )?(?:requested |queried |above )*(?:domain|object)(?: name)?(?: \S{1,253})? (?:(?:is|was|has|does) )?(?:not (?:been )?(?:found|registered|exist)|unknown|available|free)\b/i,
  /^\w[\w-]*(?:\.[\w-]+)+\W{0,3} (?:(?:is|was|has|does) )?(?:not (?:been )?(?:found|registered|exist)|free|available)\b/i,
  /^(?:domain )?status\s*\.*:\s*(?:free|available|not registered|no object found)\b/i,
]

/** How a line begins that says that the server answers nobody, or not now. */
const REFUSED =
  /^(?:your |whois |the |you have )*(?:too many|(?:query |request |connection |rate |daily |ip |lookup )*(?:limit|quota)s?\b.{0,20}exceed|exceeded|(?:query|access|connection|request)s? (?:rate|denied|refused|limit|(?:is )?not allowed)|access (?:denied|to)|blacklisted|blocked|(?:please )?(?:try again|wait)|temporar|server (?:is )?(?:too )?busy|service (?:un|is not )available|tld is not supported|not authori[sz]ed)/i
/** The terms of use below other answers say such things in longer lines. */
const MAX_REFUSAL_LENGTH = 100

/** The marks of comments and errors that a line begins with. */
const MARKS = /^\W*(?:error\W*(?:\d+\W*)?)?/i

/** Real answers have some hundred short lines; the expressions above would take long for others. */
const MAX_LINES = 2_000
const MAX_LINE_LENGTH = 300

const linesOf = (text: string): string[] => text.split(/\r?\n/, MAX_LINES).map((line) => truncateText(line, MAX_LINE_LENGTH))

/** The text of a WHOIS server, whose form is each registry's own. Undefined for one that says nothing known, or refuses. Pure. */
export function parseWhois(text: string): RegistryAnswer | undefined {
  const lines = linesOf(text)
  const valuesOf = (pattern: RegExp): string[] => lines.flatMap((line) => pattern.exec(line)?.[1]?.trim() ?? [])
  const expiresAtMs = valuesOf(EXPIRY)
    .map(parseDate)
    .find((ms) => ms !== undefined)
  const [registrar] = valuesOf(REGISTRAR)
  if (expiresAtMs !== undefined || registrar !== undefined) return { expiresAtMs, registrar }
  const sentences = lines.map((line) => line.replace(MARKS, ''))
  if (sentences.some((line) => line.length <= MAX_REFUSAL_LENGTH && REFUSED.test(line))) return undefined
  if (sentences.some((line) => UNREGISTERED.some((pattern) => pattern.test(line)))) return 'unregistered'
  return lines.some((line) => FIELD.test(line)) ? { expiresAtMs, registrar } : undefined
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
const monthOf = (name: string): number => MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1

/**
 * A date as registries write it, in ms since the epoch; a day without a time is its beginning in UTC, and of `13/08` the first is the
 * day unless it cannot be. Pure.
 */
export function parseDate(text: string): number | undefined {
  const date = truncateText(text.trim(), 60)
  const iso = /^(\d{4})[-./](\d{2})[-./](\d{2})[T ]+(\d{2}:\d{2}:\d{2})(?:\.\d+)?\s*(Z|UTC|GMT|[+-]\d{2}:?(?:\d{2})?)?/.exec(date)
  if (iso) {
    const [, year, month, day, time, zone = 'Z'] = iso
    const offset = /^[A-Z]/.test(zone) ? 'Z' : `${zone.slice(0, 3)}:${zone.replace(':', '').slice(3) || '00'}`
    return valid(Date.parse(`${year}-${month}-${day}T${time}${offset}`))
  }
  const [, year, month, day] = /^(\d{4})[-./]? ?(\d{2})[-./]? ?(\d{2})(?!\d)/.exec(date) ?? []
  if (year !== undefined) return utc(year, Number(month), day)
  const [, fromYear, itsMonth = '', itsDay] = /^(\d{4})[-./ ]([A-Za-z]{3})[A-Za-z]*[-./ ](\d{1,2})(?!\d)/.exec(date) ?? []
  if (fromYear !== undefined) return utc(fromYear, monthOf(itsMonth), itsDay)
  const [, first, second = '', fourDigits] =
    /^(\d{1,2})(?:st|nd|rd|th)?[-./ ]+(\d{1,2}|[A-Za-z]{3})[A-Za-z]*[-./, ]+(\d{4})/.exec(date) ?? []
  if (first !== undefined) {
    const isMonthFirst = Number(second) > 12
    return isMonthFirst ? utc(fourDigits, Number(first), second) : utc(fourDigits, monthOf(second) || Number(second), first)
  }
  // `Aug 13 2027`, `Fri Aug 13 04:00:00 GMT 2027`
  const [, name = '', dayOfMonth, itsYear] =
    /^(?:[A-Za-z]{3,9},? )?([A-Za-z]{3})[a-z]* (\d{1,2})(?:,| \d{2}:\d{2}(?::\d{2})?(?: [A-Z]{3,4})?)? (\d{4})/.exec(date) ?? []
  return dayOfMonth === undefined ? undefined : utc(itsYear, monthOf(name), dayOfMonth)
}

const utc = (year: string | undefined, month: number, day: string | undefined): number | undefined =>
  valid(Date.parse(`${year}-${String(month).padStart(2, '0')}-${(day ?? '').padStart(2, '0')}T00:00:00Z`))

const valid = (ms: number): number | undefined => (Number.isNaN(ms) ? undefined : ms)
