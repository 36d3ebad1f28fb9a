import {
  type ConfigurationResource,
  isTimeZone,
  MAX_SCHEDULE_OVERRIDES,
  type ScheduleLayerBody,
  type ScheduleOverrideBody,
  toTimestamp,
} from '@vedette/shared'
import { groupsOf, noteGroups } from '../groups.ts'
import { instantOf, type Json, listOf, objectOf, partOf, textOf, wordOf } from '../json.ts'
import { type Rotation, toLayer } from '../layers.ts'
import { moved, type MovedSchedules, nameOf, newNotes, type Notes, refOf, type ReportRow, refused } from '../model.ts'
import type { Accounts } from './accounts.ts'
import { membersOf, readRotation } from './rotations.ts'

interface Layered {
  rotation: Rotation
  id: string
  layer: ScheduleLayerBody
}

/** Schedules of Opsgenie. Rotations that are on duty at the same time are schedules of their own here. Pure. */
export function readSchedules(files: readonly unknown[], accounts: Accounts, nowMs: number): MovedSchedules {
  const resources: ConfigurationResource[] = []
  const report: ReportRow[] = []
  const refs = new Map<string, readonly string[]>()
  for (const file of files) {
    const schedule = partOf(file, 'schedule')
    const overrides = listOf(objectOf(file)['scheduleOverrideList'] ?? schedule['overrides'])
    const source = { kind: 'schedule', id: textOf(schedule['id']), name: textOf(schedule['name']) }
    const zone = textOf(schedule['timezone']) || 'UTC'
    const notes = newNotes()
    const layered = layersOf(schedule, zone, accounts, nowMs, notes)
    const reason =
      schedule['enabled'] === false
        ? 'it is switched off at the source'
        : isTimeZone(zone)
          ? undefined
          : `${zone} is no time zone`
    if (reason !== undefined || typeof layered === 'string') {
      report.push(refused(source, reason ?? (layered as string)))
      continue
    }
    const made = groupsOf(layered).map((group, index, { length }) => {
      const first = group[0]
      const ref = `${refOf('opsgenie', 'schedules', source.id)}${index === 0 ? '' : `/${index + 1}`}`
      const name = index === 0 ? source.name : `${source.name}: ${first?.rotation.name ?? ''}`
      const own = overridesOf(overrides, group, length > 1, accounts, nowMs, notes)
      const spec = { name: nameOf(name), time_zone: zone, layers: group.map(({ layer }) => layer), overrides: own }
      return { kind: 'schedule' as const, ref, spec }
    })
    noteGroups(
      made.map(({ spec }) => spec.name),
      notes,
    )
    resources.push(...made)
    const own = made.map(({ ref }) => ref)
    for (const key of [source.id, source.name]) if (key !== '') refs.set(key, own)
    report.push(
      moved(
        source,
        own.map((ref) => `schedule:${ref}`),
        notes,
      ),
    )
  }
  return { resources, report, refs }
}

function layersOf(schedule: Json, zone: string, accounts: Accounts, nowMs: number, notes: Notes): Layered[] | string {
  const layered: Layered[] = []
  if (!isTimeZone(zone)) return layered
  for (const one of listOf(schedule['rotations'])) {
    if (one['enabled'] === false) continue
    const rotation = readRotation(one, accounts, notes)
    if (typeof rotation === 'string') return rotation
    // One that has ended must not go on here.
    if (rotation.endMs !== undefined && rotation.endMs <= nowMs) continue
    const layer = toLayer(rotation, zone, nowMs, notes)
    if (typeof layer === 'string') return layer
    layered.push({ rotation, id: textOf(one['id']), layer })
  }
  return layered
}

/** The overrides that have not ended, in a schedule of these rotations. */
function overridesOf(
  all: readonly Json[],
  group: readonly Layered[],
  isSplit: boolean,
  accounts: Accounts,
  nowMs: number,
  notes: Notes,
): ScheduleOverrideBody[] {
  const found: ScheduleOverrideBody[] = []
  for (const one of all) {
    const [startMs, endMs] = [instantOf(one['startDate']), instantOf(one['endDate'])]
    if (endMs !== undefined && endMs <= nowMs) continue
    const of = `override ${textOf(one['alias'])}`.trim()
    if (startMs === undefined || endMs === undefined || endMs <= startMs) {
      notes.losses.push(`${of}: it has no start and end with an offset`)
      continue
    }
    const named = listOf(one['rotations']).map(({ id }) => textOf(id))
    const own = group.filter(({ id }) => named.includes(id))
    if (named.length > 0 && own.length === 0) continue
    if (named.length > 0 && own.length < group.length)
      notes.changes.push(
        `${of}: it is in place of all rotations, not only of ${own.map(({ rotation }) => rotation.name).join(', ')}`,
      )
    const user = objectOf(one['user'])
    const type = wordOf(user['type']) || 'user'
    if (type !== 'user' && type !== 'none') notes.losses.push(`${of}: it names a ${type}, and may name one person`)
    const [userId] = type === 'user' ? membersOf([user], of, accounts, notes) : []
    if (userId === undefined) {
      if (type === 'none') notes.losses.push(`${of}: it takes everybody off duty, which an override cannot do here`)
      continue
    }
    found.push({ user_id: userId, starts_at: toTimestamp(startMs), ends_at: toTimestamp(endMs) })
  }
  if (isSplit && found.length > 0) notes.remarks.push('its overrides are in each of its schedules')
  if (found.length > MAX_SCHEDULE_OVERRIDES)
    notes.losses.push(`it has ${found.length} overrides; the first ${MAX_SCHEDULE_OVERRIDES} of them come`)
  return found.slice(0, MAX_SCHEDULE_OVERRIDES)
}
