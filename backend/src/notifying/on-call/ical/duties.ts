import { DAY_MS, MAX_REPEAT_LENGTH, truncateText } from '@vedette/shared'
import { yieldToEventLoop } from '../../../platform/concurrency/yield-to-event-loop.ts'
import { parseDayRule } from '../../../platform/time/day-rule.ts'
import { occurrencesIn } from '../../../platform/time/recurrence.ts'
import type { Span } from '../../../platform/time/spans.ts'
import type { Calendar, CalendarEvent } from './parse.ts'

/** A time that an event has somebody on duty. */
export interface CalendarDuty extends Span {
  /** Whom it names, as it does: an e-mail or a user name. */
  names: string[]
  /** Events of a higher one count before those of a lower one. */
  priority: number
}

/** `[L1] ada` names Ada with the priority 1. */
const PRIORITY = /^\s*\[L(\d{1,2})\]/i

export interface CalendarDuties {
  duties: CalendarDuty[]
  faults: string[]
}

/** Who is on duty in a range as the events say, by their start; of what cannot be read 20 are named, and the others counted. Pure. */
export function dutiesOf({ events, faults }: Calendar, range: Span): CalendarDuties {
  const read = readerOf(events, range)
  const all = joined(events.map(read), faults)
  return { ...all, faults: firstOf(all.faults) }
}

/** Events that are read before others have their turn. */
const AT_ONCE = 20

/** The same of a calendar that may have thousands, with all that cannot be read. Undefined: it has more duties than `most`. */
export async function dutiesInTurns(
  { events, faults }: Calendar,
  range: Span,
  most: number,
): Promise<CalendarDuties | undefined> {
  const read = readerOf(events, range)
  const found: (CalendarDuty[] | string)[] = []
  let count = 0
  for (const [index, event] of events.entries()) {
    if (index % AT_ONCE === 0) await yieldToEventLoop()
    const one = read(event)
    count += typeof one === 'string' ? 0 : one.length
    if (count > most) return undefined
    found.push(one)
  }
  return joined(found, faults)
}

function readerOf(events: readonly CalendarEvent[], range: Span) {
  const replaced = Map.groupBy(
    events.filter(({ replaces }) => replaces !== null),
    ({ uid }) => uid,
  )
  return (event: CalendarEvent) => occurrencesOf(event, replaced.get(event.uid) ?? [], range)
}

const joined = (found: readonly (CalendarDuty[] | string)[], faults: readonly string[]): CalendarDuties => ({
  duties: found.flatMap((one) => (typeof one === 'string' ? [] : one)).toSorted((one, other) => one.fromMs - other.fromMs),
  faults: [...faults, ...found.filter((one) => typeof one === 'string')],
})

/** Of the faults of a calendar, which may have a hundred thousand events. */
const MAX_FAULTS = 20
const MAX_FAULT_LENGTH = 200

/** The first ones, each cut, and how many more there are. */
export const firstOf = (faults: readonly string[]): string[] => [
  ...faults.slice(0, MAX_FAULTS).map((fault) => truncateText(fault, MAX_FAULT_LENGTH, '…')),
  ...(faults.length > MAX_FAULTS ? [`and ${faults.length - MAX_FAULTS} more`] : []),
]

/** All starts of a rule with COUNT are counted from its beginning, for thousands of events of a foreign calendar. */
const MAX_COUNTED_YEARS = 10

/** Unlike that of a rule that a person enters, it does not search for the first start: that may take years of days. */
function ruleFault(repeat: string, startMs: number, { fromMs }: Span): string | undefined {
  if (repeat.length > MAX_REPEAT_LENGTH) return 'is too long'
  const rule = parseDayRule(repeat)
  if (typeof rule === 'string') return truncateText(rule, 80)
  const isOld = startMs < fromMs - MAX_COUNTED_YEARS * 366 * DAY_MS
  return isOld && rule.count !== Infinity ? `has a COUNT, and began more than ${MAX_COUNTED_YEARS} years ago` : undefined
}

function occurrencesOf(event: CalendarEvent, replacements: readonly CalendarEvent[], range: Span): CalendarDuty[] | string {
  const { startMs, endMs, repeat, zone, except, replaces, isCancelled } = event
  if (isCancelled) return []
  const window = { starts_at: new Date(startMs), ends_at: new Date(endMs), repeat, time_zone: zone }
  const fault = repeat === null ? undefined : ruleFault(repeat, startMs, range)
  if (fault !== undefined) return `event ${JSON.stringify(event.summary)}: its rule ${fault}`
  const gone = new Set(replaces === null ? [...except, ...replacements.map((one) => one.replaces)] : [])
  const duty = { names: namesOf(event), priority: Number(PRIORITY.exec(event.summary)?.[1] ?? 0) }
  return occurrencesIn({ ...window, repeat: replaces === null ? repeat : null }, range.fromMs, range.toMs)
    .filter(({ fromMs }) => !gone.has(fromMs))
    .map((span) => ({ ...span, ...duty }))
}

/** Those who are invited, or the title without its priority. */
export const namesOf = ({ attendees, summary }: CalendarEvent): string[] =>
  attendees.length > 0 ? attendees : [summary.replace(PRIORITY, '').trim()]
