import { truncateText } from '@vedette/shared'
import { occurrencesIn, repeatFault } from '../../../platform/time/recurrence.ts'
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

/** Who is on duty in a range as the events say, by their start; of what cannot be read 20 are named, and the others counted. Pure. */
export function dutiesOf({ events, faults }: Calendar, range: Span): { duties: CalendarDuty[]; faults: string[] } {
  const replaced = Map.groupBy(
    events.filter(({ replaces }) => replaces !== null),
    ({ uid }) => uid,
  )
  const found = events.map((event) => occurrencesOf(event, replaced.get(event.uid) ?? [], range))
  return {
    duties: found.flatMap((one) => (typeof one === 'string' ? [] : one)).toSorted((one, other) => one.fromMs - other.fromMs),
    faults: firstOf([...faults, ...found.filter((one) => typeof one === 'string')]),
  }
}

/** Of the faults of a calendar, which may have a hundred thousand events. */
const MAX_FAULTS = 20
const MAX_FAULT_LENGTH = 200

/** The first ones, each cut, and how many more there are. */
const firstOf = (faults: readonly string[]): string[] => [
  ...faults.slice(0, MAX_FAULTS).map((fault) => truncateText(fault, MAX_FAULT_LENGTH, '…')),
  ...(faults.length > MAX_FAULTS ? [`and ${faults.length - MAX_FAULTS} more`] : []),
]

function occurrencesOf(event: CalendarEvent, replacements: readonly CalendarEvent[], range: Span): CalendarDuty[] | string {
  const { startMs, endMs, repeat, zone, except, replaces, isCancelled } = event
  if (isCancelled) return []
  const window = { starts_at: new Date(startMs), ends_at: new Date(endMs), repeat, time_zone: zone }
  const fault = repeat === null ? undefined : repeatFault({ ...window, repeat })
  if (fault !== undefined) return `event ${JSON.stringify(event.summary)}: its rule ${fault}`
  const gone = new Set(replaces === null ? [...except, ...replacements.map((one) => one.replaces)] : [])
  const duty = { names: namesOf(event), priority: Number(PRIORITY.exec(event.summary)?.[1] ?? 0) }
  return occurrencesIn({ ...window, repeat: replaces === null ? repeat : null }, range.fromMs, range.toMs)
    .filter(({ fromMs }) => !gone.has(fromMs))
    .map((span) => ({ ...span, ...duty }))
}

/** Those who are invited, or the title without its priority. */
const namesOf = ({ attendees, summary }: CalendarEvent): string[] =>
  attendees.length > 0 ? attendees : [summary.replace(PRIORITY, '').trim()]
