import {
  instantOf as localInstantOf,
  isTimeZone,
  MAX_SCHEDULE_OVERRIDES,
  type ScheduleLayerBody,
  type ScheduleOverrideBody,
} from '@vedette/shared'
import { groupsOf, noteGroups } from '../groups.ts'
import { instantOf, type Json, listOf, numberOf, objectOf, snakeOf, textOf, wordOf } from '../json.ts'
import { type Rotation, toLayer } from '../layers.ts'
import { nameOf, type Notes } from '../model.ts'
import { dutyTimes, overridesFor } from '../replaced.ts'
import { rotationOf } from './recurrence.ts'
import type { MemberOf, ScheduleSpec } from './specs.ts'

// Schedules of PagerDuty's API v3: rotations of events that recur by RFC 5545, and shifts of one time. All of them are on duty together.

const EMPTY = 'empty-member'
const MAX_CUSTOM_SHIFTS = 20

interface Item {
  /** People are ids of the source. */
  rotation: Rotation
  zone: string
  /** Of the rotation or of the custom shift. */
  id: string
}

/** One schedule, or several where people of several rotations are on duty together; or why there is none. Pure. */
export function readShiftBased(
  given: Json,
  name: string,
  memberOf: MemberOf,
  nowMs: number,
  notes: Notes,
): ScheduleSpec[] | string {
  const schedule = objectOf(snakeOf(given))
  const usual = textOf(schedule['time_zone']) || 'UTC'
  const items: Item[] = []
  for (const rotation of listOf(schedule['rotations']))
    for (const event of listOf(rotation['events'])) {
      const item = eventItem(event, textOf(rotation['id']), usual, nowMs, notes)
      if (typeof item === 'string') return item
      if (item) items.push(item)
    }
  if (!isTimeZone(usual)) return `${usual} is no time zone`
  items.push(...customItems(listOf(schedule['custom_shifts']), usual, nowMs, notes))
  const zones = [...Map.groupBy(items, ({ zone }) => zone).values()]
  const groups = zones.length === 0 ? [[]] : zones.flatMap((own) => groupsOf(own))
  const specs: ScheduleSpec[] = []
  for (const [index, group] of groups.entries()) {
    const zone = group[0]?.zone ?? usual
    const there = layersOf(group, zone, nowMs, notes)
    if (typeof there === 'string') return there
    const layers = there.map((layer, place) => ({ ...layer, user_ids: membersOf(layer, group[place] as Item, memberOf, notes) }))
    const overrides = overridesOf(listOf(schedule['overrides']), { group, zone, there }, memberOf, nowMs, notes)
    specs.push({
      name: nameOf(index === 0 ? name : `${name}: ${group[0]?.rotation.name ?? ''}`),
      time_zone: zone,
      layers,
      overrides,
    })
  }
  noteGroups(
    specs.map((spec) => spec.name),
    notes,
  )
  return specs
}

/** A time of the API: an instant with the zone in which it recurs, or text alone. */
function timeOf(value: unknown, usual: string): { ms: number | undefined; zone: string } {
  const zoned = objectOf(value)
  const [text, zone] = [textOf(zoned['date_time']) || textOf(value), textOf(zoned['time_zone']) || usual]
  const isLocal = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text)
  return { ms: isLocal && isTimeZone(zone) ? localInstantOf(zone, Date.parse(`${text}Z`)) : instantOf(text), zone }
}

const STRATEGY = '-member-assignment-strategy'

/** Undefined: it has ended. */
function eventItem(event: Json, id: string, usual: string, nowMs: number, notes: Notes): Item | string | undefined {
  const name = textOf(event['name']) || 'Event'
  const [start, end] = [timeOf(event['start_time'], usual), timeOf(event['end_time'], usual)]
  const [sinceMs, untilMs] = [instantOf(event['effective_since']), instantOf(event['effective_until'])]
  if (untilMs !== undefined && untilMs <= nowMs) return undefined
  if (event['effective_until'] && untilMs === undefined) return `${name}: its effective_until is no instant`
  if (start.ms === undefined || end.ms === undefined) return `${name}: its start_time and end_time must be instants`
  if (!isTimeZone(start.zone)) return `${name}: ${start.zone} is no time zone`
  const lines = event['recurrence'] ?? event['recurrences']
  const rules = (Array.isArray(lines) ? lines : [lines]).map(textOf).filter((line) => line !== '')
  const other = rules.find((line) => /^(EXDATE|RDATE|EXRULE)/i.test(line))
  if (other !== undefined) return `${name}: it has dates of its own (${other.slice(0, 6).replace(/\W/g, '')})`
  const [rule, ...more] = rules
  if (rule === undefined || more.length > 0) return `${name}: it has ${rules.length} rules, and must have one`
  const slots = slotsOf(event, name)
  if (typeof slots === 'string') return slots
  const rotation = rotationOf({
    name,
    startMs: start.ms,
    endMs: end.ms,
    zone: start.zone,
    rule,
    sinceMs: sinceMs ?? start.ms,
    untilMs,
    slots,
  })
  if (typeof rotation === 'string') return rotation
  // Whether the people who come before are skipped is not documented.
  if (slots.length > 1 && rotation.startMs > start.ms)
    notes.changes.push(`${name}: its turns are counted from its first shift after effective_since`)
  return rotation.endMs !== undefined && rotation.endMs <= Math.max(nowMs, rotation.startMs)
    ? undefined
    : { rotation, zone: start.zone, id }
}

/** Who has each shift, as ids of the source. */
function slotsOf(event: Json, name: string): string[][] | string {
  const given = event['assignment_strategy'] ?? event['assignment_strategies']
  const strategy = listOf(given)[0] ?? objectOf(given)
  const type = wordOf(strategy['type'])
  const members = listOf(strategy['members'] ?? strategy['member'])
  const people = members.map((one) => (wordOf(one['type']) === EMPTY ? [] : [textOf(one['user_id'])]))
  if (people.length === 0) return `${name}: it has no members`
  if (type === `every${STRATEGY}`) return [people.flat()]
  if (type !== `rotating${STRATEGY}`) return `${name}: its assignment strategy ${JSON.stringify(strategy['type'])} is unknown`
  const each = numberOf(strategy['shifts_per_member']) ?? 1
  if (!Number.isInteger(each) || each < 1 || each > 999) return `${name}: shifts_per_member is ${each}, and must be 1 to 999`
  if (people.length === 1) return people
  return people.flatMap((one) => Array.from({ length: each }, () => one))
}

/** Shifts of one time are layers with an end. */
function customItems(shifts: readonly Json[], zone: string, nowMs: number, notes: Notes): Item[] {
  const items = shifts.flatMap((shift): Item[] => {
    const [startMs, endMs, id] = [instantOf(shift['start_time']), instantOf(shift['end_time']), textOf(shift['id'])]
    if (endMs !== undefined && endMs <= nowMs) return []
    const name = `custom shift ${id}`.trim()
    const people = listOf(shift['assignments']).map((one) => textOf(objectOf(one['member'])['user_id']))
    const turn = people.filter((one) => one !== '')
    if (startMs !== undefined && endMs !== undefined && startMs < endMs)
      return [{ id, zone, rotation: { name, turns: [turn], startMs, endMs, length: { unit: 'day', count: 1 }, spans: [] } }]
    notes.losses.push(`${name}: it has no start_time and end_time with an offset`)
    return []
  })
  if (items.length > MAX_CUSTOM_SHIFTS)
    notes.losses.push(`it has ${items.length} custom shifts; the first ${MAX_CUSTOM_SHIFTS} of them come`)
  return items.toSorted((one, other) => one.rotation.startMs - other.rotation.startMs).slice(0, MAX_CUSTOM_SHIFTS)
}

function layersOf(group: readonly Item[], zone: string, nowMs: number, notes: Notes): ScheduleLayerBody[] | string {
  const layers = group.map(({ rotation }) => toLayer(rotation, zone, nowMs, notes))
  return layers.find((layer) => typeof layer === 'string') ?? layers.filter((layer) => typeof layer !== 'string')
}

const membersOf = (
  layer: ScheduleLayerBody,
  { rotation }: Item,
  memberOf: MemberOf,
  notes: Notes,
): ScheduleLayerBody['user_ids'] =>
  layer.user_ids.map((turn) => {
    const members = [turn].flat().flatMap((id) => memberOf({ id }, rotation.name, notes) ?? [])
    return members.length === 1 ? (members[0] as string) : members
  })

interface Group {
  group: readonly Item[]
  zone: string
  /** Their layers with the people of the source. */
  there: readonly ScheduleLayerBody[]
}

/** Somebody is on duty in place of somebody else of a rotation, or of a custom shift. */
function overridesOf(all: readonly Json[], { group, zone, there }: Group, memberOf: MemberOf, nowMs: number, notes: Notes) {
  const found = all.flatMap((one): ScheduleOverrideBody[] => {
    const [fromMs, toMs] = [instantOf(one['start_time']), instantOf(one['end_time'])]
    if (toMs !== undefined && toMs <= nowMs) return []
    const of = `override ${textOf(one['id'])}`.trim()
    const named = textOf(one['rotation_id']) || textOf(one['custom_shift_id'])
    const own = there.filter((_, index) => named === '' || group[index]?.id === named)
    if (own.length === 0) return []
    const [original, substitute] = [objectOf(one['overridden_member']), objectOf(one['overriding_member'])]
    if (fromMs === undefined || toMs === undefined || fromMs >= toMs) {
      notes.losses.push(`${of}: it has no start_time and end_time with an offset`)
      return []
    }
    const times = dutyTimes(zone, own, textOf(original['user_id']), { fromMs, toMs })
    if (times.length === 0) return []
    if (wordOf(substitute['type']) === EMPTY) {
      notes.losses.push(`${of}: it takes somebody off duty, which an override cannot do here`)
      return []
    }
    if (own.some(({ user_ids: turns }) => turns.some((turn) => typeof turn !== 'string' && turn.length > 1)))
      notes.changes.push(`${of}: it is in place of all who are on duty together`)
    const userId = memberOf({ id: textOf(substitute['user_id']) }, of, notes)
    return userId === undefined ? [] : overridesFor(userId, times)
  })
  if (found.length > MAX_SCHEDULE_OVERRIDES)
    notes.losses.push(`it has ${found.length} overrides; the first ${MAX_SCHEDULE_OVERRIDES} of them come`)
  return found.slice(0, MAX_SCHEDULE_OVERRIDES)
}
