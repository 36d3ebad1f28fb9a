import { isTimeZone, type ScheduleLayerBody } from '@vedette/shared'
import { groupsOf } from '../groups.ts'
import { instantOf, type Json, listOf, numberOf, objectOf, textOf, wordOf } from '../json.ts'
import { type Rotation, toLayer } from '../layers.ts'
import type { Notes } from '../model.ts'
import { DAY_MINUTES, spanOf, type WeekSpan } from '../restrictions.ts'

/** The id of a member by a user name; undefined, and noted: nobody here. */
export type MemberOf = (username: string, of: string, notes: Notes) => string | undefined

const DAYS = ['m', 't', 'w', 'th', 'f', 'sa', 'su']

interface Layered {
  rotation: Rotation
  layer: ScheduleLayerBody
}

/**
 * The layers of a rotation, one a shift, in the zone of its first one; or why it cannot be read. Shifts that are on duty at the same
 * time are in groups of their own. Pure.
 */
export function layersOf(
  rotation: Json,
  memberOf: MemberOf,
  nowMs: number,
  notes: Notes,
): { zone: string; groups: Layered[][] } | string {
  const shifts = listOf(rotation['shifts'])
  const zone = textOf(shifts[0]?.['timezone']) || 'UTC'
  if (!isTimeZone(zone)) return `${zone} is no time zone`
  const layered: Layered[] = []
  for (const shift of shifts) {
    const name = textOf(shift['label']) || 'Shift'
    if ((textOf(shift['timezone']) || 'UTC') !== zone) return `${name}: its shifts have several time zones`
    const read = rotationOf(shift, name, memberOf, notes)
    if (typeof read === 'string') return `${name}: ${read}`
    const layer = toLayer(read, zone, nowMs, notes)
    if (typeof layer === 'string') return layer
    layered.push({ rotation: read, layer })
  }
  return { zone, groups: groupsOf(layered) }
}

function rotationOf(shift: Json, name: string, memberOf: MemberOf, notes: Notes): Rotation | string {
  const startMs = instantOf(shift['start'])
  const days = numberOf(shift['duration']) ?? 0
  if (startMs === undefined) return `its start ${JSON.stringify(shift['start'])} is no instant`
  if (!Number.isInteger(days) || days < 1) return `its duration of ${days} days is no number of days`
  const spans = spansOf(shift)
  if (typeof spans === 'string') return spans
  const turns = listOf(shift['shiftMembers']).map((member) => {
    const id = memberOf(textOf(member['username']), name, notes)
    return id === undefined ? [] : [id]
  })
  const length = days % 7 === 0 ? ({ unit: 'week', count: days / 7 } as const) : ({ unit: 'day', count: days } as const)
  return { name, turns, startMs, endMs: undefined, length, spans }
}

/** The hours of a shift: `std` has all, `pho` hours of days, `cstm` one span over several days. */
function spansOf(shift: Json): WeekSpan[] | string {
  const type = wordOf(shift['shifttype'])
  if (type === 'std') return []
  const mask = objectOf(shift['mask'])
  if (type === 'pho') {
    const days = daysOf(mask)
    const times = timesOf(mask)
    if (days.length === 0 || times.length === 0) return 'its mask has no days or no times'
    return days.flatMap((day) =>
      times.map(({ start, end }) => ({
        from: day * DAY_MINUTES + start,
        minutes: (end - start + DAY_MINUTES) % DAY_MINUTES || DAY_MINUTES,
      })),
    )
  }
  if (type !== 'cstm') return `its type ${JSON.stringify(shift['shifttype'])} is none of std, pho, cstm`
  const last = objectOf(shift['mask3'])
  const [[from], [to], [begin], [end]] = [daysOf(mask), daysOf(last), timesOf(mask), timesOf(last)]
  if (from === undefined || to === undefined || !begin || !end) return 'its masks have no first and last day'
  return [spanOf(from * DAY_MINUTES + begin.start, to * DAY_MINUTES + end.end)]
}

const daysOf = (mask: Json): number[] => {
  const day = objectOf(mask['day'])
  return DAYS.flatMap((name, index) => (day[name] === true ? [index] : []))
}

const timesOf = (mask: Json): { start: number; end: number }[] =>
  listOf(mask['time']).map((time) => {
    const minuteOf = (value: unknown) => {
      const { hour, minute } = objectOf(value)
      return ((numberOf(hour) ?? 0) * 60 + (numberOf(minute) ?? 0)) % DAY_MINUTES
    }
    return { start: minuteOf(time['start']), end: minuteOf(time['end']) }
  })
