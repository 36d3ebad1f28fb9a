import { DAY_MS, MAX_ICAL_URL_LENGTH, MAX_SCHEDULE_OVERRIDES, type ScheduleOverrideBody, toTimestamp } from '@vedette/shared'
import { type CalendarDuty, calendarDutiesOf as dutiesOf, namesOf, parseCalendar } from '../../../notifying/on-call/index.ts'
import type { SourceFiles } from '../files.ts'
import { type Json, textOf } from '../json.ts'
import type { Notes } from '../model.ts'

/** The member of an e-mail or a user name, in any case; undefined: nobody here. */
export type MemberNamed = (name: string) => string | undefined

export const CALENDAR_DAYS = 90

/** Above all events of the schedule itself. */
const OVERRIDES_PRIORITY = 1_000

/** Where the calendars of a schedule are saved: its own one, and that of its overrides. */
const pathsOf = (schedule: Json) => {
  const id = textOf(schedule['id'])
  return { own: `schedules/${id}.ics`, overrides: `schedules/${id}-overrides.ics` }
}

/**
 * Who is on duty in the next 90 days by the saved calendars of a schedule, as overrides. The events of its own calendar are those of a
 * schedule that exists as a calendar alone; `kinds` says which are read. A text says why there are none. Pure.
 */
export function overridesOf(
  files: SourceFiles,
  schedule: Json,
  kinds: readonly ('own' | 'overrides')[],
  zone: string,
  memberOf: MemberNamed,
  nowMs: number,
  notes: Notes,
): ScheduleOverrideBody[] | string {
  const range = { fromMs: nowMs, toMs: nowMs + CALENDAR_DAYS * DAY_MS }
  const duties: CalendarDuty[] = []
  for (const kind of kinds) {
    const path = pathsOf(schedule)[kind]
    const text = files.get(path)
    if (typeof text !== 'string') return `it is a calendar: save it as ${path}`
    const read = dutiesOf(parseCalendar(text, zone), range)
    if (read.faults.length > 0) notes.losses.push(`${path}: ${read.faults.join('; ')}`)
    duties.push(
      ...read.duties.map((one) => ({ ...one, priority: one.priority + (kind === 'overrides' ? OVERRIDES_PRIORITY : 0) })),
    )
  }
  const members = duties.flatMap((duty) => membersOf(duty, memberOf, notes))
  // Of two at the same time the later one counts here.
  const sorted = members.toSorted((one, other) => one.priority - other.priority || one.fromMs - other.fromMs)
  if (haveTwoTogether(sorted)) notes.losses.push('people who are on duty together: an override has one, and the later one counts')
  const last = Math.max(...members.map(({ toMs }) => toMs))
  notes.changes.push(
    `who is on duty in the next ${CALENDAR_DAYS} days are overrides, until ${members.length === 0 ? 'now' : toTimestamp(last)}: save the calendar and plan again each day`,
  )
  if (sorted.length <= MAX_SCHEDULE_OVERRIDES) return sorted.map(toOverride)
  const kept = sorted.toSorted((one, other) => one.fromMs - other.fromMs).slice(0, MAX_SCHEDULE_OVERRIDES)
  notes.losses.push(
    `it has ${sorted.length} shifts; the first ${MAX_SCHEDULE_OVERRIDES} of them come, until ${toTimestamp(kept.at(-1)?.toMs as number)}`,
  )
  return sorted.filter((one) => kept.includes(one)).map(toOverride)
}

/**
 * The address of the calendar that a schedule goes on to follow: that of its own calendar, or of its overrides where it has shifts.
 * Undefined: the export has none that can be read here, a fetch has cut the key in it, or the saved calendar names people otherwise than by e-mail. Pure.
 */
export function followedOf(files: SourceFiles, schedule: Json, kind: 'own' | 'overrides'): string | undefined {
  const url = textOf(schedule[kind === 'own' ? 'ical_url_primary' : 'ical_url_overrides']).trim()
  const protocol = URL.parse(url)?.protocol ?? ''
  if (!FOLLOWED.has(protocol) || url.length > MAX_ICAL_URL_LENGTH || url.includes('…')) return undefined
  const text = files.get(pathsOf(schedule)[kind])
  if (typeof text !== 'string') return url
  const names = parseCalendar(text, 'UTC').events.flatMap(namesOf)
  return names.every((name) => name.includes('@')) ? url : undefined
}

const FOLLOWED: ReadonlySet<string> = new Set(['http:', 'https:', 'webcal:'])

type MemberDuty = Omit<CalendarDuty, 'names'> & { userId: string }

function membersOf({ names, ...duty }: CalendarDuty, memberOf: MemberNamed, notes: Notes): MemberDuty[] {
  return names.flatMap((name) => {
    const userId = memberOf(name)
    if (userId === undefined) {
      const loss = `its calendar names ${JSON.stringify(name)}, who is no member here`
      if (!notes.losses.includes(loss)) notes.losses.push(loss)
    }
    return userId === undefined ? [] : [{ ...duty, userId }]
  })
}

/** `sorted`: by priority, then by start. */
function haveTwoTogether(sorted: readonly MemberDuty[]): boolean {
  let [priority, untilMs, userId] = [Number.NaN, 0, '']
  for (const one of sorted) {
    if (one.priority === priority && one.fromMs < untilMs && one.userId !== userId) return true
    untilMs = one.priority === priority ? Math.max(untilMs, one.toMs) : one.toMs
    ;[priority, userId] = [one.priority, one.userId]
  }
  return false
}

const toOverride = ({ userId, fromMs, toMs }: MemberDuty): ScheduleOverrideBody => ({
  user_id: userId,
  starts_at: toTimestamp(fromMs),
  ends_at: toTimestamp(toMs),
})
