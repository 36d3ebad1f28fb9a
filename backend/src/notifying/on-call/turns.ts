import { HOUR_MS } from '@vedette/shared'
import { countStarts, repeatFault } from '../../platform/time/recurrence.ts'
import type { Span } from '../../platform/time/spans.ts'
import type { StoredRota } from './store.ts'

type Repeating = Pick<StoredRota['layers'][number], 'starts_at' | 'repeat'>

/** A turn, by its number from the start of its layer. */
export interface Turn extends Span {
  turn: number
}

const BY_HOURS = /^FREQ=HOURLY(?:;INTERVAL=([1-9]\d{0,2}))?$/

/** How long turns by hours are, ms; undefined for another rule. */
const hourlyMs = (repeat: string | null): number | undefined => {
  const [rule, hours = 1] = BY_HOURS.exec(repeat ?? '') ?? []
  return rule === undefined ? undefined : Number(hours) * HOUR_MS
}

/** Why a rule for turns is invalid; undefined where it is valid. Pure. */
export function turnFault(repeat: string, startsAtMs: number, timeZone: string): string | undefined {
  if (hourlyMs(repeat) !== undefined) return undefined
  if (repeat.includes('HOURLY')) return 'may have only an INTERVAL of 1 to 999 with FREQ=HOURLY, as FREQ=HOURLY;INTERVAL=12'
  const startsAt = new Date(startsAtMs)
  return repeatFault({ starts_at: startsAt, ends_at: startsAt, repeat, time_zone: timeZone })
}

/** The turns of a layer in a range, ordered and cut at its ends. Which turn it is depends on all before, so that they are counted. Pure. */
export function turnsIn(timeZone: string, layer: Repeating, range: Span): Turn[] {
  if (range.toMs <= layer.starts_at) return []
  const { before, starts } = countTurns(timeZone, layer, range)
  const turns = [
    ...(before > 0 ? [{ turn: before - 1, fromMs: range.fromMs }] : []),
    ...starts.map((fromMs, after) => ({ turn: before + after, fromMs })),
  ]
  return turns.map((one, position) => ({ ...one, toMs: turns[position + 1]?.fromMs ?? range.toMs }))
}

function countTurns(timeZone: string, { starts_at: firstMs, repeat }: Repeating, { fromMs, toMs }: Span) {
  const lengthMs = hourlyMs(repeat)
  if (lengthMs === undefined) {
    const window = { starts_at: new Date(firstMs), ends_at: new Date(firstMs + 1), repeat, time_zone: timeZone }
    return countStarts(window, fromMs, toMs)
  }
  // Elapsed time: a change of the clock moves the local times of these handovers.
  const before = fromMs < firstMs ? 0 : Math.floor((fromMs - firstMs) / lengthMs) + 1
  const count = Math.max(0, Math.ceil((toMs - firstMs) / lengthMs) - before)
  return { before, starts: Array.from({ length: count }, (_, after) => firstMs + (before + after) * lengthMs) }
}
