import {
  DAY_MS,
  instantOf as localInstantOf,
  isTimeZone,
  MAX_SCHEDULE_LAYERS,
  offsetMs,
  type ScheduleLayerBody,
  WEEKDAYS,
} from '@vedette/shared'
import { instantOf, type Json, numberOf, textOf, wordOf } from '../json.ts'
import { type Rotation, toLayer, type TurnLength } from '../layers.ts'
import type { Notes } from '../model.ts'
import { DAY_MINUTES, overlaps, weekMinuteOf, type WeekSpan } from '../restrictions.ts'

/** The people of a list of ids; who is no member here is noted. */
export type PeopleIn = (ids: unknown, of: string, notes: Notes) => string[]

const UNITS: Readonly<Record<string, TurnLength['unit']>> = { hourly: 'hour', daily: 'day', weekly: 'week' }
const UNIT_MINUTES = { hour: 60, day: DAY_MINUTES, week: 7 * DAY_MINUTES } as const

interface Leveled {
  level: number
  rotation: Rotation
}

/** The layers of shifts: those of a higher level count before those of a lower one, here as there. Or why they cannot be read. Pure. */
export function layersOf(
  shifts: readonly Json[],
  zone: string,
  peopleIn: PeopleIn,
  nowMs: number,
  notes: Notes,
): ScheduleLayerBody[] | string {
  const leveled: Leveled[] = []
  for (const shift of shifts) {
    const own = textOf(shift['time_zone']) || zone
    const rotation = isTimeZone(own) ? rotationOf(shift, own, peopleIn, notes) : `${own} is no time zone`
    if (typeof rotation === 'string') return `${textOf(shift['name']) || 'Shift'}: ${rotation}`
    if (rotation.endMs !== undefined && rotation.endMs <= nowMs) continue
    // Hours and handovers of a layer are local times of its schedule.
    if (
      own !== zone &&
      (rotation.spans.length > 0 || rotation.length.unit !== 'hour') &&
      rotation.turns.length + rotation.spans.length > 1
    )
      notes.changes.push(`${rotation.name}: its times are those of ${own} there, and of ${zone} here after a change of the clock`)
    leveled.push({ level: levelOf(shift), rotation })
  }
  const sorted = leveled.toSorted((one, other) => one.level - other.level)
  noteTogether(sorted, notes)
  if (sorted.length > MAX_SCHEDULE_LAYERS)
    return `it has ${sorted.length} shifts; a schedule has at most ${MAX_SCHEDULE_LAYERS} layers`
  const layers: ScheduleLayerBody[] = []
  for (const { rotation } of sorted) {
    const layer = toLayer(rotation, zone, nowMs, notes)
    if (typeof layer === 'string') return layer
    layers.push(layer)
  }
  return layers
}

/** Overrides are above all levels. */
const levelOf = (shift: Json): number => (wordOf(shift['type']) === 'override' ? Infinity : (numberOf(shift['level']) ?? 0))

function noteTogether(sorted: readonly Leveled[], notes: Notes): void {
  for (const [index, { level, rotation }] of sorted.entries()) {
    const other = sorted.slice(0, index).find((one) => one.level === level && overlaps(one.rotation.spans, rotation.spans))
    if (other)
      notes.changes.push(
        `${other.rotation.name} and ${rotation.name} have one level and were on duty together: where they overlap the latter counts`,
      )
  }
}

/** A local time without an offset, or an instant. */
function startOf(value: unknown, zone: string): number | undefined {
  const text = textOf(value)
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text)) return instantOf(value)
  return localInstantOf(zone, Date.parse(`${text}Z`))
}

function rotationOf(shift: Json, zone: string, peopleIn: PeopleIn, notes: Notes): Rotation | string {
  const name = textOf(shift['name']) || 'Shift'
  const type = wordOf(shift['type'])
  const startMs = startOf(shift['start'], zone)
  const minutes = (numberOf(shift['duration']) ?? 0) / 60
  if (startMs === undefined) return `its start ${JSON.stringify(shift['start'])} is no time`
  if (minutes <= 0 || !Number.isInteger(minutes)) return `its duration of ${minutes * 60} seconds is no whole minutes`
  const groups = Array.isArray(shift['rolling_users']) ? (shift['rolling_users'] as unknown[]) : []
  const together = peopleIn(shift['users'] ?? groups[0], name, notes)
  if (type === 'single-event' || type === 'override') {
    const length = { unit: 'day', count: 1 } as const
    return { name, turns: [together], startMs, endMs: startMs + minutes * 60_000, length, spans: [] }
  }
  if (type !== 'recurrent-event' && type !== 'rolling-users') return `its type ${JSON.stringify(shift['type'])} is unknown`
  const first = numberOf(shift['start_rotation_from_user_index']) ?? 0
  const all = type === 'rolling-users' ? groups.map((group) => peopleIn(group, name, notes)) : [together]
  const turns = [...all.slice(first), ...all.slice(0, first)]
  const endMs = shift['until'] === null || shift['until'] === undefined ? undefined : startOf(shift['until'], zone)
  return recurring({ name, turns, startMs, endMs }, shift, zone, minutes)
}

/** What recurs is a rotation with hours: of each day, of each week, or of some days of the week. */
function recurring(
  own: Pick<Rotation, 'name' | 'turns' | 'startMs' | 'endMs'>,
  shift: Json,
  zone: string,
  minutes: number,
): Rotation | string {
  const unit = UNITS[wordOf(shift['frequency'])]
  const count = numberOf(shift['interval']) ?? 1
  if (!unit) return `its frequency ${JSON.stringify(shift['frequency'])} is none of hourly, daily, weekly`
  for (const name of ['by_month', 'by_monthday']) if (Array.isArray(shift[name])) return `it has ${name}`
  const length = { unit, count }
  const local = weekMinuteOf(own.startMs, zone)
  const days = Array.isArray(shift['by_day']) ? shift['by_day'].map((day) => WEEKDAYS.indexOf(textOf(day) as 'MO')) : []
  if (days.includes(-1)) return `its by_day ${JSON.stringify(shift['by_day'])} has something else than days`
  if (days.length > 0) {
    if (unit === 'hour' || count !== 1 || minutes > DAY_MINUTES)
      return 'days of the week are possible with shifts of at most a day that are repeated each day or each week'
    const spans = days.map((day) => ({ from: day * DAY_MINUTES + (local % DAY_MINUTES), minutes }))
    if (unit === 'day') return { ...own, length, spans }
    // The week begins on its day, at the time of day of its shifts.
    const weekStart = Math.max(0, WEEKDAYS.indexOf((textOf(shift['week_start']) || 'SU') as 'MO'))
    const since = (Math.floor(local / DAY_MINUTES) - weekStart + 7) % 7
    const beginsMs = localInstantOf(zone, own.startMs + offsetMs(zone, own.startMs) - since * DAY_MS)
    return { ...own, startMs: beginsMs ?? own.startMs - since * DAY_MS, length, spans }
  }
  const period = UNIT_MINUTES[unit] * count
  if (minutes > period) return 'its shifts are longer than their interval, and overlap'
  if (minutes === period) return { ...own, length, spans: [] }
  if (count !== 1 || unit === 'hour') return 'its shifts are shorter than their interval of several days or of hours'
  const starts = unit === 'week' ? [local] : WEEKDAYS.map((_, day) => day * DAY_MINUTES + (local % DAY_MINUTES))
  return { ...own, length, spans: starts.map((from): WeekSpan => ({ from, minutes })) }
}
