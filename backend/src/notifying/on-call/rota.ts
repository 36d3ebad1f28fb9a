import { cutOut, intersect, joined, type Span } from '../../platform/time/spans.ts'
import { hoursIn } from '../../platform/time/weekly-hours.ts'
import type { ScheduleRow, StoredRota } from './store.ts'
import { togetherIn } from './ical/together.ts'
import { turnsIn } from './turns.ts'

/** The definition of a schedule. */
export type Rota = Pick<ScheduleRow, 'time_zone' | 'rota'>

export interface Shift extends Span {
  userId: string
  /** Index of the layer; null: an override. */
  layer: number | null
}

/** A time of a layer or an override, and who is on duty in it together. */
interface Duty extends Span {
  userIds: readonly string[]
  layer: number | null
}

/**
 * Who is on duty in a range, by their start and cut at its ends; those of people who are on duty together overlap. Times of people who
 * may not be on duty any more are those of the others in their turn, else of the layer below, or a gap. Pure.
 */
export function shiftsIn({ time_zone: timeZone, rota }: Rota, range: Span, mayBeOnDuty: (userId: string) => boolean): Shift[] {
  const parts: Duty[][] = [
    ...rota.layers.map((layer, index) => layerDuties(timeZone, layer, index, range)),
    calendarDuties(rota.calendar ?? [], range, mayBeOnDuty),
    ...rota.overrides.map((one) =>
      intersect([{ userIds: [one.user_id], fromMs: one.starts_at, toMs: one.ends_at, layer: null }], [range]),
    ),
  ]
  let duties: Duty[] = []
  for (const part of parts) {
    const above = part
      .map((duty) => ({ ...duty, userIds: duty.userIds.filter(mayBeOnDuty) }))
      .filter(({ userIds }) => userIds.length > 0)
    duties = [...cutOut(duties, above), ...above].toSorted((one, other) => one.fromMs - other.fromMs)
  }
  return joinShifts(duties.flatMap(({ userIds, ...duty }) => userIds.map((userId) => ({ userId, ...duty }))))
}

/** People of the calendar that it follows may be on duty together: who may not be is no reason that the others are not. */
function calendarDuties(
  calendar: NonNullable<StoredRota['calendar']>,
  { fromMs, toMs }: Span,
  mayBeOnDuty: (userId: string) => boolean,
): Duty[] {
  const spans = calendar.flatMap(({ user_id: userId, starts_at: from, ends_at: to }) =>
    from < toMs && to > fromMs && mayBeOnDuty(userId)
      ? [{ userId, fromMs: Math.max(from, fromMs), toMs: Math.min(to, toMs) }]
      : [],
  )
  return togetherIn(spans).map((one) => ({ ...one, layer: null }))
}

/** The times of a range without a shift. Pure. */
export const gapsIn = (shifts: readonly Shift[], range: Span): Span[] => cutOut([range], joined(shifts))

/** Those who are on duty at an instant. Pure. */
export const shiftsAt = (shifts: readonly Shift[], atMs: number): Shift[] =>
  shifts.filter(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs)

function layerDuties(timeZone: string, layer: StoredRota['layers'][number], index: number, range: Span): Duty[] {
  const { user_ids: turnPeople, ends_at: endsAt = Infinity, restrictions } = layer
  const within = { fromMs: range.fromMs, toMs: Math.min(range.toMs, endsAt) }
  if (within.toMs <= within.fromMs) return []
  const duties = turnsIn(timeZone, layer, within).map(({ turn, ...span }) => ({
    userIds: [turnPeople[turn % turnPeople.length] as string | string[]].flat(),
    ...span,
    layer: index,
  }))
  return restrictions.length === 0 ? duties : intersect(duties, hoursIn(timeZone, restrictions, within))
}

/** Shifts of one person that follow each other as one, with the layer of the first. Pure. */
export const dutiesOf = (shifts: readonly Shift[]): Shift[] => joinShifts(shifts, () => true)

/** Joins what only a layer of somebody else or a handover to the same person divided. */
function joinShifts(shifts: readonly Shift[], mayJoin = (one: Shift, next: Shift) => one.layer === next.layer): Shift[] {
  const result: Shift[] = []
  const lastOf = new Map<string, Shift>()
  for (const shift of shifts) {
    const last = lastOf.get(shift.userId)
    if (last && last.toMs === shift.fromMs && mayJoin(last, shift)) {
      last.toMs = shift.toMs
      continue
    }
    const begun = { ...shift }
    lastOf.set(shift.userId, begun)
    result.push(begun)
  }
  return result
}
