import { DAY_MS, HOUR_MS, instantOf, type LayerRestriction, offsetMs, WEEKDAYS } from '@vedette/shared'
import { occurrencesIn } from '../alerts/index.ts'
import { cutOut, intersect, joined, type Span } from './spans.ts'

export interface Layer {
  /** In the order in which they take over. */
  userIds: readonly string[]
  startsAtMs: number
  /** An RRULE; null: the first one stays. */
  repeat: string | null
  restrictions: readonly LayerRestriction[]
}

export interface Override extends Span {
  userId: string
}

/** The definition of a schedule. */
export interface Rota {
  timeZone: string
  /** Later ones count before earlier ones. */
  layers: readonly Layer[]
  /** Count before all layers; later ones before earlier ones. */
  overrides: readonly Override[]
}

export interface Shift extends Span {
  userId: string
  /** Index of the layer; null: an override. */
  layer: number | null
}

/**
 * Who is on duty in a range, ordered and cut at its ends. Times of people who may not be on duty any more are those of the layer
 * below, or a gap. Pure.
 */
export function shiftsIn(rota: Rota, range: Span, mayBeOnDuty: (userId: string) => boolean): Shift[] {
  const parts = [
    ...rota.layers.map((layer, index) => layerShifts(rota.timeZone, layer, index, range)),
    ...rota.overrides.map((one) => intersect([{ ...one, layer: null }], [range])),
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

function layerShifts(timeZone: string, layer: Layer, index: number, range: Span): Shift[] {
  if (range.toMs <= layer.startsAtMs) return []
  // The turn of each person depends on how often they took over before, so that all handovers are counted.
  const first = { starts_at: new Date(layer.startsAtMs), ends_at: new Date(layer.startsAtMs + 1) }
  const handovers = occurrencesIn({ ...first, repeat: layer.repeat, time_zone: timeZone }, layer.startsAtMs, range.toMs)
  const shifts = handovers.map(({ fromMs }, turn) => ({
    userId: layer.userIds[turn % layer.userIds.length] as string,
    fromMs,
    toMs: handovers[turn + 1]?.fromMs ?? range.toMs,
    layer: index,
  }))
  const within = intersect(shifts, [range])
  return layer.restrictions.length === 0 ? within : intersect(within, restrictedTimes(timeZone, layer.restrictions, range))
}

/** The hours of all local days that touch the range. */
function restrictedTimes(timeZone: string, restrictions: readonly LayerRestriction[], range: Span): Span[] {
  const localDay = (atMs: number) => Math.floor((atMs + offsetMs(timeZone, atMs)) / DAY_MS) * DAY_MS
  const found: Span[] = []
  // Hours that begin on the day before may reach into the range.
  for (let day = localDay(range.fromMs) - DAY_MS; day <= localDay(range.toMs); day += DAY_MS)
    for (const { days, from, to } of restrictions) {
      if (!days.includes(WEEKDAYS[(new Date(day).getUTCDay() + 6) % 7] as (typeof WEEKDAYS)[number])) continue
      const [begin, end] = [day + clockMs(from), day + clockMs(to)]
      found.push({ fromMs: toInstant(timeZone, begin), toMs: toInstant(timeZone, end > begin ? end : end + DAY_MS) })
    }
  return joined(found)
}

const clockMs = (text: string): number => Number(text.slice(0, 2)) * HOUR_MS + Number(text.slice(3)) * 60_000

/** A local time that daylight saving skips is the one an hour later. */
const toInstant = (timeZone: string, localMs: number): number =>
  instantOf(timeZone, localMs) ?? instantOf(timeZone, localMs + HOUR_MS) ?? localMs

/** Joins what only a layer of somebody else or a handover to the same person divided. */
function joinShifts(shifts: readonly Shift[]): Shift[] {
  const result: Shift[] = []
  for (const shift of shifts) {
    const last = result.at(-1)
    if (last && last.toMs === shift.fromMs && last.userId === shift.userId && last.layer === shift.layer) last.toMs = shift.toMs
    else result.push({ ...shift })
  }
  return result
}
