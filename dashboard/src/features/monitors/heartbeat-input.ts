import { parseDuration, typedDuration } from '../../lib/format.ts'

/** A schedule while it is edited: durations as they are typed. */
export type TypedSchedule = Readonly<Record<string, string | number>>

/** Without a name: it is made from that of the monitor. */
export const NEW_HEARTBEAT_URL = 'heartbeat://'
/** Those of Healthchecks. */
const NEW_SCHEDULE = { period_seconds: 86_400, grace_seconds: 3_600 }
const DURATIONS = new Set(['period_seconds', 'grace_seconds'])

const mapDurations = (schedule: object, map: (value: unknown) => string | number): TypedSchedule =>
  Object.fromEntries(Object.entries(schedule).map(([name, value]) => [name, DURATIONS.has(name) ? map(value) : value]))

export const typedSchedule = (stored: unknown): TypedSchedule =>
  mapDurations((stored as object | undefined) ?? NEW_SCHEDULE, (value) => typedDuration(Number(value)))

export const toSchedule = (typed: unknown): TypedSchedule =>
  mapDurations((typed as object | undefined) ?? {}, (value) => (value === '0' ? 0 : parseDuration(String(value))))

export type ScheduleForm = 'period' | 'cron' | 'on_calendar'

export const formOf = (schedule: TypedSchedule): ScheduleForm =>
  'cron' in schedule ? 'cron' : 'on_calendar' in schedule ? 'on_calendar' : 'period'

/** The same grace, and the same time zone where the form has one. */
export function withForm({ grace_seconds, time_zone }: TypedSchedule, form: ScheduleForm): TypedSchedule {
  if (form === 'period') return { period_seconds: typedDuration(NEW_SCHEDULE.period_seconds), grace_seconds: grace_seconds ?? '' }
  const zone = time_zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  return { [form]: form === 'cron' ? '0 2 * * *' : '02:00', time_zone: zone, grace_seconds: grace_seconds ?? '' }
}
