import {
  type ConfigurationResource,
  isTimeZone,
  MAX_SCHEDULE_LAYERS,
  MAX_SCHEDULE_OVERRIDES,
  type ScheduleLayerBody,
  type ScheduleOverrideBody,
  toTimestamp,
} from '@vedette/shared'
import { instantOf, type Json, listOf, numberOf, objectOf, textOf, wordOf } from '../json.ts'
import { fromInstant, lengthOfSeconds, type Rotation, toLayer } from '../layers.ts'
import { moved, type Moved, type MovedSchedules, nameOf, newNotes, type Notes, refOf, refused } from '../model.ts'
import { DAY_MINUTES, WEEK_MINUTES, type WeekSpan } from '../restrictions.ts'
import { readShiftBased } from './shift-based.ts'
import type { MemberOf, ScheduleSpec } from './specs.ts'

/** Schedules of PagerDuty, each with the overrides that its file has. Pure. */
export function readSchedules(schedules: readonly Json[], memberOf: MemberOf, nowMs: number): MovedSchedules {
  const resources: ConfigurationResource[] = []
  const report: Moved['report'] = []
  const refs = new Map<string, readonly string[]>()
  for (const schedule of schedules) {
    const source = { kind: 'schedule', id: textOf(schedule['id']), name: textOf(schedule['name']) || textOf(schedule['summary']) }
    const notes = newNotes()
    const specs = Array.isArray(schedule['rotations'])
      ? readShiftBased(schedule, source.name, memberOf, nowMs, notes)
      : specOf(schedule, source.name, memberOf, nowMs, notes)
    if (typeof specs === 'string') {
      report.push(refused(source, specs))
      continue
    }
    const ref = refOf('pagerduty', 'schedules', source.id)
    const own = specs.map((_, index) => (index === 0 ? ref : `${ref}/${index + 1}`))
    resources.push(...specs.map((spec, index) => ({ kind: 'schedule' as const, ref: own[index] as string, spec: { ...spec } })))
    refs.set(source.id, own)
    report.push(
      moved(
        source,
        own.map((one) => `schedule:${one}`),
        notes,
      ),
    )
  }
  return { resources, report, refs }
}

function specOf(schedule: Json, name: string, memberOf: MemberOf, nowMs: number, notes: Notes): ScheduleSpec[] | string {
  const zone = textOf(schedule['time_zone']) || 'UTC'
  if (!isTimeZone(zone)) return `${zone} is no time zone`
  const isAlone = listOf(schedule['schedule_layers']).length + listOf(schedule['overrides']).length === 1
  const memberIn: MemberOf = (user, of) => memberOf(user, of, notes, isAlone)
  const layers = layersOf(schedule, zone, memberIn, nowMs, notes)
  if (typeof layers === 'string') return layers
  const overrides = overridesOf(listOf(schedule['overrides']), memberIn, nowMs, notes)
  return [{ name: nameOf(name), time_zone: zone, layers, overrides }]
}

function layersOf(schedule: Json, zone: string, memberOf: MemberOf, nowMs: number, notes: Notes): ScheduleLayerBody[] | string {
  if (!Array.isArray(schedule['schedule_layers'])) return 'its file has no schedule_layers: save the answer of /schedules/<id>'
  const layers: ScheduleLayerBody[] = []
  // The API has the last layer first; a later one counts before an earlier one there as here.
  for (const one of listOf(schedule['schedule_layers']).toReversed()) {
    const endMs = one['end'] === null || one['end'] === undefined ? undefined : instantOf(one['end'])
    if (endMs !== undefined && endMs <= nowMs) continue
    const rotations = rotationsOf(one, endMs, zone, memberOf, nowMs, notes)
    if (typeof rotations === 'string') return rotations
    for (const rotation of rotations) {
      const layer = toLayer(rotation, zone, nowMs, notes)
      if (typeof layer === 'string') return layer
      layers.push(layer)
    }
  }
  if (layers.length > MAX_SCHEDULE_LAYERS) return `it has ${layers.length} layers; a schedule has at most ${MAX_SCHEDULE_LAYERS}`
  return layers
}

/** One that begins in the future begins within one of its turns, which is a rotation of its own. Empty: it has nobody on duty at any time. */
function rotationsOf(
  layer: Json,
  endMs: number | undefined,
  zone: string,
  memberOf: MemberOf,
  nowMs: number,
  notes: Notes,
): Rotation[] | string {
  const name = textOf(layer['name']) || 'Layer'
  const seconds = numberOf(layer['rotation_turn_length_seconds']) ?? 0
  const length = lengthOfSeconds(seconds)
  if (!length) return `${name}: its turns of ${seconds} seconds are no whole hours`
  const [virtualMs, startMs] = [instantOf(layer['rotation_virtual_start']), instantOf(layer['start'])]
  if (virtualMs === undefined || startMs === undefined) return `${name}: rotation_virtual_start and start must be instants`
  if (layer['end'] && endMs === undefined) return `${name}: end ${JSON.stringify(layer['end'])} is no instant`
  if (endMs !== undefined && endMs <= startMs) return []
  const spans = spansOf(listOf(layer['restrictions']), name, notes)
  if (typeof spans === 'string') return spans
  const turns = listOf(layer['users']).map((user) => {
    const id = memberOf(objectOf(user['user']), name, notes)
    return id === undefined ? [] : [id]
  })
  const rotation = { name, turns, startMs: virtualMs, endMs, length, spans }
  if (Math.max(startMs, virtualMs) <= nowMs) return [rotation]
  return fromInstant(rotation, startMs, zone) ?? `${name}: it begins in a turn whose handover is skipped by a change of the clock`
}

function spansOf(restrictions: readonly Json[], name: string, notes: Notes): WeekSpan[] | string {
  const spans: WeekSpan[] = []
  for (const one of restrictions) {
    const [, hour = '', minute = '', second = '0'] = /^(\d\d):(\d\d)(?::(\d\d))?$/.exec(textOf(one['start_time_of_day'])) ?? []
    const seconds = numberOf(one['duration_seconds'])
    if (hour === '' || seconds === undefined || seconds <= 0)
      return `${name}: a restriction has no start_time_of_day and duration_seconds`
    if (Number(second) !== 0 || seconds % 60 !== 0) notes.changes.push(`${name}: its hours are read to the minute`)
    const from = Number(hour) * 60 + Number(minute)
    const type = wordOf(one['type'])
    const minutes = Math.max(1, Math.floor(seconds / 60))
    if (type === 'daily-restriction')
      for (let day = 0; day < 7; day += 1) spans.push({ from: day * DAY_MINUTES + from, minutes: Math.min(minutes, DAY_MINUTES) })
    else if (type === 'weekly-restriction') {
      const day = numberOf(one['start_day_of_week']) ?? 0
      if (day < 1 || day > 7) return `${name}: start_day_of_week is ${day}, and must be 1 to 7`
      spans.push({ from: (day - 1) * DAY_MINUTES + from, minutes: Math.min(minutes, WEEK_MINUTES) })
    } else return `${name}: a restriction has the unknown type ${JSON.stringify(one['type'])}`
  }
  return spans
}

function overridesOf(all: readonly Json[], memberOf: MemberOf, nowMs: number, notes: Notes): ScheduleOverrideBody[] {
  const found = all.flatMap((one) => {
    const [startMs, endMs] = [instantOf(one['start']), instantOf(one['end'])]
    if (endMs !== undefined && endMs <= nowMs) return []
    const of = `override ${textOf(one['id'])}`.trim()
    const userId = memberOf(objectOf(one['user']), of, notes)
    if (userId !== undefined && (startMs === undefined || endMs === undefined || endMs <= startMs))
      notes.losses.push(`${of}: it has no start and end with an offset`)
    if (startMs === undefined || endMs === undefined || endMs <= startMs) return []
    return userId === undefined ? [] : { user_id: userId, starts_at: toTimestamp(startMs), ends_at: toTimestamp(endMs) }
  })
  if (found.length > MAX_SCHEDULE_OVERRIDES)
    notes.losses.push(`it has ${found.length} overrides; the first ${MAX_SCHEDULE_OVERRIDES} of them come`)
  return found.slice(0, MAX_SCHEDULE_OVERRIDES)
}
