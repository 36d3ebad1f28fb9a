import { countStarts } from '../../platform/time/recurrence.ts'
import { cutOut, intersect, type Span } from '../../platform/time/spans.ts'
import { hoursIn } from '../../platform/time/weekly-hours.ts'
import type { ScheduleRow, StoredRota } from './store.ts'

/** The definition of a schedule. */
export type Rota = Pick<ScheduleRow, 'time_zone' | 'rota'>

export interface Shift extends Span {
  userId: string
  /** Index of the layer; null: an override. */
  layer: number | null
}

/**
 * Who is on duty in a range, ordered and cut at its ends. Times of people who may not be on duty any more are those of the layer
 * below, or a gap. Pure.
 */
export function shiftsIn({ time_zone: timeZone, rota }: Rota, range: Span, mayBeOnDuty: (userId: string) => boolean): Shift[] {
  const parts = [
    ...rota.layers.map((layer, index) => layerShifts(timeZone, layer, index, range)),
    ...rota.overrides.map((one) =>
      intersect([{ userId: one.user_id, fromMs: one.starts_at, toMs: one.ends_at, layer: null }], [range]),
    ),
  ]
  let shifts: Shift[] = []
  for (const part of parts) {
    const above = part.filter(({ userId }) => mayBeOnDuty(userId))
    shifts = [...cutOut(shifts, above), ...above].toSorted((one, other) => one.fromMs - other.fromMs)
  }
  return joinShifts(shifts)
}

/** The times of a range without a shift. Pure. */
export const gapsIn = (shifts: readonly Shift[], range: Span): Span[] => cutOut([range], shifts)

function layerShifts(timeZone: string, layer: StoredRota['layers'][number], index: number, range: Span): Shift[] {
  const { user_ids: userIds, starts_at: startsAt, repeat, restrictions } = layer
  if (range.toMs <= startsAt) return []
  // The turn of each person depends on how often they took over before, so that all handovers are counted.
  const window = { starts_at: new Date(startsAt), ends_at: new Date(startsAt + 1), repeat, time_zone: timeZone }
  const { before, starts } = countStarts(window, range.fromMs, range.toMs)
  const turns = [
    ...(before > 0 ? [{ turn: before - 1, fromMs: range.fromMs }] : []),
    ...starts.map((fromMs, after) => ({ turn: before + after, fromMs })),
  ]
  const within = turns.map(({ turn, fromMs }, position) => ({
    userId: userIds[turn % userIds.length] as string,
    fromMs,
    toMs: turns[position + 1]?.fromMs ?? range.toMs,
    layer: index,
  }))
  return restrictions.length === 0 ? within : intersect(within, hoursIn(timeZone, restrictions, range))
}

/** Shifts of one person that follow each other as one, with the layer of the first. Pure. */
export const dutiesOf = (shifts: readonly Shift[]): Shift[] => joinShifts(shifts, () => true)

/** Joins what only a layer of somebody else or a handover to the same person divided. */
function joinShifts(shifts: readonly Shift[], mayJoin = (one: Shift, next: Shift) => one.layer === next.layer): Shift[] {
  const result: Shift[] = []
  for (const shift of shifts) {
    const last = result.at(-1)
    if (last && last.toMs === shift.fromMs && last.userId === shift.userId && mayJoin(last, shift)) last.toMs = shift.toMs
    else result.push({ ...shift })
  }
  return result
}
