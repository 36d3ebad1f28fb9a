import { DAY_MS, instantOf as localInstantOf, isTimeZone } from '@vedette/shared'
import { startOfDay } from '../../../platform/time/zone.ts'

/** An event of a calendar (RFC 5545) as it is written, without its repetitions. */
export interface CalendarEvent {
  uid: string
  summary: string
  /** In small letters. */
  attendees: string[]
  startMs: number
  endMs: number
  /** Of the rule, and of days without a time. */
  zone: string
  repeat: string | null
  /** Starts that its rule has and that do not take place. */
  except: number[]
  /** The start, by its rule, of the occurrence that this event is in place of. */
  replaces: number | null
  isCancelled: boolean
}

export interface Calendar {
  events: CalendarEvent[]
  /** In words. */
  faults: string[]
  /** Nothing of it was read. */
  isNone?: true
}

const MAX_EVENTS = 5_000
const TOO_MANY = `it has more than ${MAX_EVENTS} events`
export const MAX_CALENDAR_LENGTH = 4_194_304
const MAX_EXCEPT = 1_000
/** 50 of each event. */
const MAX_LINES = 250_000

interface Property {
  name: string
  parameters: Map<string, string>
  value: string
}

/** The events of a calendar; what cannot be read is left out and named. `zone`: of times that name none. Pure. */
export function parseCalendar(text: string, zone: string): Calendar {
  if (text.length > MAX_CALENDAR_LENGTH)
    return { events: [], isNone: true, faults: [`it has ${text.length} characters, and may have ${MAX_CALENDAR_LENGTH}`] }
  const lines = text.replaceAll(/\r?\n[ \t]/g, '').split(/\r?\n/)
  if (lines[0]?.replace('\uFEFF', '').trim().toUpperCase() !== 'BEGIN:VCALENDAR')
    return { events: [], isNone: true, faults: ['it is no iCalendar'] }
  if (lines.length > MAX_LINES) return { events: [], isNone: true, faults: [`it has more than ${MAX_LINES} lines`] }
  const properties = lines.map(propertyOf)
  const own = properties.find(({ name }) => name === 'X-WR-TIMEZONE')?.value ?? ''
  const usual = isTimeZone(own) ? own : zone
  const calendar: Calendar = { events: [], faults: [] }
  let event: Property[] | undefined
  // An alarm within an event has properties of its own.
  let depth = 0
  for (const property of properties) {
    const { name, value } = property
    if (name === 'BEGIN' && event === undefined && value.toUpperCase() === 'VEVENT') [event, depth] = [[], 0]
    else if (name === 'BEGIN') depth += 1
    else if (name === 'END' && depth > 0) depth -= 1
    else if (name === 'END' && event !== undefined) {
      addEvent(calendar, event, usual)
      event = undefined
    } else if (event !== undefined && depth === 0) event.push(property)
  }
  return calendar
}

function addEvent(calendar: Calendar, properties: readonly Property[], zone: string): void {
  const event = eventOf(properties, zone)
  if (typeof event === 'string') calendar.faults.push(event)
  else if (calendar.events.length < MAX_EVENTS) calendar.events.push(event)
  else if (!calendar.faults.includes(TOO_MANY)) calendar.faults.push(TOO_MANY)
}

const LINE =
  /^([A-Za-z0-9-]{1,60})((?:;[A-Za-z0-9-]{1,60}=(?:"[^"]{0,1000}"|[^";:,]{0,1000})(?:,(?:"[^"]{0,1000}"|[^";:,]{0,1000}))*)*):(.*)$/s
const PARAMETER = /;([A-Za-z0-9-]+)=("[^"]*"|[^;:]*)/g

function propertyOf(line: string): Property {
  const [, name = '', given = '', value = ''] = LINE.exec(line) ?? []
  const parameters = new Map(
    [...given.matchAll(PARAMETER)].map(([, key = '', text = '']) => [key.toUpperCase(), text.replaceAll('"', '')]),
  )
  return { name: name.toUpperCase(), parameters, value: value.trim() }
}

function eventOf(properties: readonly Property[], zone: string): CalendarEvent | string {
  const find = (name: string) => properties.find((one) => one.name === name)
  const textOf = (name: string) =>
    (find(name)?.value ?? '').replaceAll(/\\([\\;,nN])/g, (_, one: string) => (/n/i.test(one) ? ' ' : one))
  const summary = textOf('SUMMARY').trim()
  const of = `event ${JSON.stringify(summary || textOf('UID'))}`
  const start = timeOf(find('DTSTART'), zone)
  if (!start) return `${of} has no start that can be read`
  const end = endOf(find('DTEND'), find('DURATION')?.value, start)
  if (end === undefined || end <= start.ms) return `${of} has no end that can be read`
  if (properties.some(({ name }) => name === 'RDATE')) return `${of} has dates of its own (RDATE)`
  const except = properties
    .filter(({ name }) => name === 'EXDATE')
    .flatMap((one) => one.value.split(',').map((value) => timeOf({ ...one, value }, zone)?.ms))
  return {
    uid: textOf('UID'),
    summary,
    attendees: properties.flatMap(({ name, value }) =>
      name === 'ATTENDEE'
        ? [
            value
              .replace(/^mailto:/i, '')
              .trim()
              .toLowerCase(),
          ]
        : [],
    ),
    startMs: start.ms,
    endMs: end,
    zone: start.zone,
    repeat: find('RRULE')?.value ?? null,
    except: except.filter((ms) => ms !== undefined).slice(0, MAX_EXCEPT),
    replaces: timeOf(find('RECURRENCE-ID'), zone)?.ms ?? null,
    isCancelled: textOf('STATUS').toUpperCase() === 'CANCELLED',
  }
}

interface Time {
  ms: number
  zone: string
  isDay: boolean
}

const TIME = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?$/

/** A day, a local time of its zone, or an instant. Undefined for another value and a time that does not exist. */
function timeOf(property: Property | undefined, usual: string): Time | undefined {
  const [, year, month, day, hour, minute, second, utc] = TIME.exec(property?.value ?? '') ?? []
  if (property === undefined || year === undefined) return undefined
  const named = property.parameters.get('TZID') ?? ''
  const zone = isTimeZone(named) ? named : usual
  if (hour === undefined) return { ms: startOfDay(zone, Number(year), Number(month), Number(day)), zone, isDay: true }
  const localMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  if (Number.isNaN(localMs)) return undefined
  // A rule of an event in UTC goes on in UTC.
  if (utc === 'Z') return { ms: localMs, zone: 'UTC', isDay: false }
  const ms = localInstantOf(zone, localMs)
  return ms === undefined ? undefined : { ms, zone, isDay: false }
}

const DURATION = /^\+?P(?:(\d{1,4})W)?(?:(\d{1,4})D)?(?:T(?:(\d{1,4})H)?(?:(\d{1,5})M)?(?:(\d{1,6})S)?)?$/

/** Without an end a day ends with the next one. */
function endOf(end: Property | undefined, duration: string | undefined, start: Time): number | undefined {
  if (end) return timeOf(end, start.zone)?.ms
  if (duration === undefined) return start.isDay ? start.ms + DAY_MS : undefined
  const found = DURATION.exec(duration)
  if (!found) return undefined
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = found.slice(1).map((one) => Number(one ?? 0))
  return start.ms + (weeks * 7 + days) * DAY_MS + ((hours * 60 + minutes) * 60 + seconds) * 1_000
}
