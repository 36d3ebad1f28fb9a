import {
  DAY_MS,
  HOUR_MS,
  MAX_LAYER_RESTRICTIONS,
  MAX_LAYER_USERS,
  MAX_TURN_USERS,
  offsetMs,
  type ScheduleLayerBody,
  toTimestamp,
} from '@vedette/shared'
import { quickInstantOf } from '../../platform/time/zone.ts'
import type { Notes } from './model.ts'
import { restrictionsOf, type WeekSpan } from './restrictions.ts'

/** People who take turns, as all of these tools have them. */
export interface Rotation {
  name: string
  /** Ids of members; empty: a turn of nobody. */
  turns: readonly (readonly string[])[]
  startMs: number
  endMs: number | undefined
  length: TurnLength
  /** Empty: always. */
  spans: readonly WeekSpan[]
  /** When a turn begins, in place of `length`: an RRULE. Such rotations begin less than nine years ago. */
  repeat?: string
}

export interface TurnLength {
  unit: 'hour' | 'day' | 'week'
  count: number
}

const FREQUENCY = { hour: 'HOURLY', day: 'DAILY', week: 'WEEKLY' } as const
const UNIT_MS = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS } as const
const MAX_COUNT = 999
/** Layers begin at most 10 years ago; older ones begin a whole number of rounds later. */
const OLD_MS = 9 * 365 * DAY_MS

/** The turns of so many seconds; undefined where they are not whole hours. */
export function lengthOfSeconds(seconds: number): TurnLength | undefined {
  if (!(seconds > 0) || seconds % 3_600 !== 0) return undefined
  const hours = seconds / 3_600
  if (hours % 24 !== 0) return { unit: 'hour', count: hours }
  return hours % 168 === 0 ? { unit: 'week', count: hours / 168 } : { unit: 'day', count: hours / 24 }
}

/** A layer of ours, or why there is none; what differs is noted. Pure. */
export function toLayer(rotation: Rotation, timeZone: string, nowMs: number, notes: Notes): ScheduleLayerBody | string {
  const { name, turns, length, endMs } = rotation
  const of = (text: string) => `${name}: ${text}`
  if (turns.length === 0) return of('it has no participants')
  if (turns.length > MAX_LAYER_USERS) return of(`it has ${turns.length} turns; a layer has at most ${MAX_LAYER_USERS}`)
  if (!Number.isInteger(length.count) || length.count < 1 || length.count > MAX_COUNT)
    return of(`its turns are ${length.count} ${length.unit}s long; 1 to ${MAX_COUNT} are possible`)
  if (rotation.repeat !== undefined && rotation.startMs < nowMs - OLD_MS) return of('it begins more than nine years ago')
  const restrictions = restrictionsOf(rotation.spans)
  if (restrictions.length > MAX_LAYER_RESTRICTIONS)
    return of(`its hours become ${restrictions.length} restrictions; a layer has at most ${MAX_LAYER_RESTRICTIONS}`)
  for (const turn of turns)
    if (turn.length > MAX_TURN_USERS)
      notes.losses.push(of(`${turn.length} people are on duty together; the first ${MAX_TURN_USERS} of them come`))
  const startMs = startOf(rotation, timeZone, nowMs)
  if (turns.length > 1 && skipsHandover(length, startMs, timeZone, nowMs))
    notes.changes.push(of('a change of the clock skips the time of its handovers: the turns of that day come later'))
  const repeat = rotation.repeat ?? `FREQ=${FREQUENCY[length.unit]}${length.count === 1 ? '' : `;INTERVAL=${length.count}`}`
  return {
    user_ids: turns.map((turn) => (turn.length === 1 ? (turn[0] as string) : turn.slice(0, MAX_TURN_USERS))),
    starts_at: toTimestamp(startMs),
    ends_at: endMs === undefined ? null : toTimestamp(endMs),
    repeat: turns.length === 1 ? null : repeat,
    restrictions,
  }
}

/** When the turn of this number begins, from 0: turns by days and longer at the local time of the first one. Undefined: it does not exist. */
export function startOfTurn(startMs: number, { unit, count }: TurnLength, turn: number, timeZone: string): number | undefined {
  const afterMs = turn * count * UNIT_MS[unit]
  return unit === 'hour' ? startMs + afterMs : quickInstantOf(timeZone, startMs + offsetMs(timeZone, startMs) + afterMs)
}

/**
 * A rotation whose turns are counted from its start, and that has somebody on duty only from `fromMs` on, earlier or later: the rest of
 * the turn that is under way then, and the rotation from its next handover on. Undefined where that one does not exist. Pure.
 */
export function fromInstant(rotation: Rotation, fromMs: number, timeZone: string): Rotation[] | undefined {
  const { startMs, endMs = Infinity, length, turns } = rotation
  if (turns.length < 2) return endMs > fromMs ? [{ ...rotation, startMs: fromMs }] : []
  const lengthMs = length.count * UNIT_MS[length.unit]
  // A change of the clock moves handovers by an hour or so.
  let next = Math.floor((fromMs - startMs) / lengthMs) - 1
  let nextMs = startOfTurn(startMs, length, next, timeZone)
  while (nextMs !== undefined && nextMs < fromMs) nextMs = startOfTurn(startMs, length, (next += 1), timeZone)
  if (nextMs === undefined) return undefined
  const turnOf = (number: number) => turns.at(number % turns.length) as readonly string[]
  const rest = { ...rotation, turns: [turnOf(next - 1)], startMs: fromMs, endMs: Math.min(endMs, nextMs) }
  const later = { ...rotation, turns: turns.map((_, turn) => turnOf(next + turn)), startMs: nextMs }
  return [...(nextMs > fromMs && endMs > fromMs ? [rest] : []), ...(endMs > nextMs ? [later] : [])]
}

/** The start, or where it is too long ago, that of a later round: its first turn is that of the first person again. */
function startOf({ startMs, turns, length }: Rotation, timeZone: string, nowMs: number): number {
  if (startMs >= nowMs - OLD_MS) return startMs
  const roundMs = UNIT_MS[length.unit] * length.count * turns.length
  for (let round = Math.floor((nowMs - 366 * DAY_MS - startMs) / roundMs); round > 0; round -= 1) {
    const ms = startOfTurn(startMs, length, round * turns.length, timeZone)
    if (ms !== undefined) return ms
  }
  return startMs
}

/** Whether a handover by days is at a local time that does not exist on one of its days, until a year from now. */
function skipsHandover({ unit, count }: TurnLength, startMs: number, timeZone: string, nowMs: number): boolean {
  if (unit === 'hour') return false
  const localMs = startMs + offsetMs(timeZone, startMs)
  // Clocks are set forward in the night.
  if ((localMs % DAY_MS) + (localMs < 0 ? DAY_MS : 0) >= 4 * HOUR_MS) return false
  const stepMs = UNIT_MS[unit] * count
  for (let ms = localMs; ms < nowMs + 366 * DAY_MS; ms += stepMs) if (quickInstantOf(timeZone, ms) === undefined) return true
  return false
}
