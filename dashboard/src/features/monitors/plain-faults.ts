import { VedetteError } from '@vedette/client'
import type { ErrorDetail } from '@vedette/shared'
import { GRACE_SECONDS, MASK, PERIOD_SECONDS, validateDefinition } from '@vedette/shared/tables'
import { InvalidInput } from '../../lib/errors.ts'
import { duration } from '../../lib/format.ts'
import { locale } from '../../messages/language.ts'
import { messages } from '../../messages/index.ts'
import { monitorEditor } from '../../messages/monitor-editor.ts'
import { monitorFaults as text } from '../../messages/monitor-faults.ts'
import { addressFaults } from './address/address.ts'
import { type MonitorInput, toMonitorBody } from './input.ts'
import { kindFormOf } from './kind-forms.ts'

/**
 * What the backend would refuse, found by its own functions before anything is sent, in words for people: its messages are for
 * programs, name fields as the API does, and are English.
 */

const places: Readonly<Record<string, string>> = text.places
const { byKeyword } = messages.faults
const count = (number = ''): string => Number(number).toLocaleString(locale)

type Words = string | ((...groups: string[]) => string)

/** The messages of the shared functions, with the words for people. The first that fits counts. */
const WORDS: readonly (readonly [RegExp, Words])[] = [
  [
    /^(?:is required|is needed|must not be empty)$|^is needed (?:with a password|for a folder)|needs a (?:property|value|text)|^needs either/,
    text.required,
  ],
  [/number(?: of (?:seconds|members))? from (\S+) to (\S+)(.*)$/, (from, to, unit) => text.between(from ?? '', `${to}${unit}`)],
  [/^must be a text of 1 to (\d+) characters$/, (most) => text.characters(count(most))],
  [/at most (\d+) characters$/, (most) => byKeyword['maxLength']?.(count(most)) ?? ''],
  [/^must have at most (\d+) bytes in/, (most) => text.bytes(count(most))],
  [/bytes as JSON/, text.options],
  [
    /^must have at most (\d+) entries$|^must not have more than (\d+) items$/,
    (one, other) => byKeyword['maxItems']?.(one ?? other ?? '') ?? '',
  ],
  [/NUL$/, text.lineBreak],
  [/RFC 6750/, text.token],
  [/^is required with/, text.oauth],
  [/^must be a URL that begins with https:\/\/ or http:\/\/, without/, text.oauthUrl],
  [/^must be left out with options\.oauth2_token_url/, text.tokenTwice],
  [/^must not contain Authorization/, text.authorizationTwice],
  [/certificate and its key/, text.certificatePair],
  [/^must be PEM:/, text.pemCertificate],
  [/^must be PEM without/, text.pemKey],
  [/a login has a user name|^is needed with a user name/, text.loginPair],
  [/^must be starttls or implicit/, text.loginNeedsTls],
  [/^must begin with one of (.+)$/, text.command],
  [/^must have (?:no further|\d+) words$/, text.commandWords],
  [/^contains (.+), which is none of the escapes/, text.escape],
  [/^must be a host name$|^header host must be/, text.host],
  [/^smtp needs a port/, text.smtpPort],
  [/^is needed with (?!a user)/, text.required],
  [/^must be a list of at most (\d+) texts of 1 to (\d+)/, (most, length) => text.textList(count(most), count(length))],
  [/^must be a list of at most (\d+) values$/, (most) => byKeyword['maxItems']?.(most ?? '') ?? ''],
  [/^must be numbers below|^must have an oid/, text.oid],
  [/^must have at least (\d+) characters/, (least) => text.atLeast(count(least))],
  [/^must be a filter of RFC 4515/, text.ldapFilter],
  [/^must be one name of letters, digits and dashes, or an OID/, text.ldapAttribute],
  [/^must be off with ldaps/, text.tlsTwice],
  [/^must have letters, digits and -_/, text.sipUser],
  [/^must be one name of letters/, text.subprotocol],
  [/^must be heartbeat:/, text.slug],
  [/^must have (\d+) to (\d+) of A-Z/, text.pingToken],
  [/^must be the name of a time zone/, text.timeZone],
  [/^must have the five fields/, text.cronFields],
  [/^has "(.*)" as (.+?): must be/, (value, place = '') => text.calendarPart(value ?? '', places[place] ?? place)],
  [/after the time: must be|^has more than \d+ values/, text.calendarForm],
  [/^must not name a time zone/, text.calendarZone],
  [/^never occurs$/, text.never],
  [/^must not occur more often/, text.tooOften],
  [/^a header name must have|^must be the name of a header$/, text.headerName],
  [/^header (\S+) must not be set/, text.headerRefused],
  [/must not be repeated$/, monitorEditor.editor.headerRepeated],
  [/^the value of header \S+ contains/, text.headerValue],
  [/needs a (?:number|string)|finite number$/, text.number],
  [/^must be a list of 1 to (\d+) steps$/, text.stepList],
  [/^must be a list of 1 to (\d+) members/, text.memberList],
  [/^must stand for at most (\d+) members.* (\d+)$/, text.tooManyMembers],
  [/^must not have composites within composites over more than (\d+) levels$/, text.tooDeep],
  [/^must be a number above 0 and up to 100 percent$/, text.percent],
  [/^must be a URL over http or https, or one relative/, text.stepUrl],
  [/^must take its value from credentials/, text.stepSecret],
  [/^\{\{(\w+)\}\} is neither/, text.stepUnknown],
  [/^must have 1 to 32 characters: small letters/, text.captureName],
  [/^must have a type of/, text.recordType],
  [/^must contain a port/, text.port],
  [/^must have nothing after/, text.noPath],
  [/^must not contain a port/, text.noPort],
  [/user name or password$/, text.login],
  [/^must not contain port 0$/, text.port],
  [/zone of an IPv6 address/, text.zone],
  [/^must not have port/, text.mailPort],
  [/^must contain a registered domain/, text.domain],
  [/^must contain a domain name/, text.record],
  [/^must have the number of a database/, text.databaseNumber],
  [/^must be the name of a database/, text.databaseName],
  [/^must end with its path/, text.endOfPath],
  [/^must have a path without control/, text.folder],
  [/^must have a topic/, text.topic],
  [/^must be a URL that begins with|^is too long when/, text.url],
  [/(?:^must be|allows?) one of (.+)$/, text.oneOf],
]

/** The words for a fault; one that is not known here stays as the API says it. */
export function inPlainWords({ path, message }: ErrorDetail): ErrorDetail {
  return { path, message: durationWords(path) ?? wordsFor(message) ?? sentence(message) }
}

const BOUNDS: Readonly<Record<string, { minimum: number; maximum: number }>> = {
  'options.schedule.period_seconds': PERIOD_SECONDS,
  'options.schedule.grace_seconds': GRACE_SECONDS,
}

/** Typed as durations, and refused as numbers. */
function durationWords(path: string): string | undefined {
  const bounds = BOUNDS[path]
  return bounds && text.time(duration(bounds.minimum), duration(bounds.maximum))
}

function wordsFor(message: string): string | undefined {
  for (const [pattern, words] of WORDS) {
    const found = pattern.exec(message)
    if (found) return typeof words === 'string' ? words : words(...found.slice(1))
  }
  return undefined
}

const sentence = (message: string): string => {
  const whole = message.charAt(0).toUpperCase() + message.slice(1)
  return /[.!?]$/.test(whole) ? whole : `${whole}.`
}

/** Faults of a monitor that its schema does not show. Those of the address are at the field of the part. */
export function definitionFaults(input: MonitorInput): ErrorDetail[] {
  const { timeout: _timeout, assertions, ...body } = toMonitorBody(input)
  const address = addressFaults(kindFormOf(input.type).address, input.url).map(([name, fault]) => ({
    path: `url.${name}`,
    message: text[fault],
  }))
  // The shared validation looks at the options of a definition with a URL alone.
  const found = validateDefinition({ url: input.url.trim(), ...body, assertions: assertions ?? [] })
    // What is stored was checked when it was stored.
    .filter(({ path }) => input.credentials[path.slice('credentials.'.length)] !== MASK)
    .filter(({ path }) => path !== 'url' || (address.length === 0 && input.url !== ''))
  return [...address, ...found.map(inPlainWords)]
}

/** What the API refused after all, at the fields and in plain words. */
export function withPlainFaults(error: unknown): unknown {
  const isRefusal = error instanceof VedetteError && error.code === 'validation_error' && error.details.length > 0
  return isRefusal ? new InvalidInput(error.details.map(inPlainWords)) : error
}
