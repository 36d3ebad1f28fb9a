/** The greatest value of a day, in percent of what there is. */
export interface DailyMaximum {
  /** Days since the epoch. */
  day: number
  percent: number
}

export interface Forecast {
  /** Days from the last one until the line reaches 100 %. */
  days: number
  /** By the steepest and the flattest line that the data allows with 95 % confidence; null: it may never fill. */
  earliest: number
  latest: number | null
  /** Percent a day. */
  slope: number
}

/** Why there is no forecast. */
export type Silence = 'too_few_days' | 'not_growing' | 'no_line' | 'too_far'

export const DAYS = { least: 14, most: 60 } as const
/** What lies further ahead is not said: nothing grows in a line for that long. */
const FAR_DAYS = 365
/** Of a normal distribution, on both sides 95 %. */
const Z = 1.96
/** Residuals: their median may be this part of what the line grew, or this many percent points, whichever is greater. */
const NOISE = { part: 0.15, points: 0.5 } as const
/** The last days must lie near the line: after a clean-up the past says nothing. */
const RECENT_DAYS = 3
const RECENT_PARTS = 4

/**
 * Growth that has just begun: so many last days lie on a line of their own, after so many days that were calm. It counts only where it
 * leads to where the disk has not been, by this many percent points: logs that are rotated grow as steadily, and fall each time.
 */
const BEGUN = { least: 5, most: 13, calm: 7, points: 3 } as const

/** How many hours before now are read. */
export const HOURS = 72
/**
 * The same within hours: lines of so many last hours, after a day or more without a stretch of that length that grew half as much, and
 * without a fall since `calmDays`. What a line says reaches `reach` times as far ahead as it goes back.
 */
const HOURLY = { counts: [6, 8, 12, 18, 24, 36, 48], calm: 24, calmDays: 14, points: 3, reach: 4 } as const

/**
 * When the line through all of the days reaches 100 %, else that of growth that has just begun; that of the last hours where it does so
 * sooner. Days ascend, each once, within 60 days; hours too, `day` being their begin, within 72 hours. Pure.
 */
export function forecast(days: readonly DailyMaximum[], hours: readonly DailyMaximum[] = []): Forecast | Silence {
  const found = forecastOfDays(days)
  const hourly = hourlyLineOf(days, hours)
  return hourly && (typeof found === 'string' || hourly.days < found.days) ? hourly : found
}

function forecastOfDays(days: readonly DailyMaximum[]): Forecast | Silence {
  if (days.length < DAYS.least) return 'too_few_days'
  const found = lineOf(days)
  return typeof found === 'object' ? found : (begunLineOf(days) ?? found)
}

/** The line of as few last hours as have one. */
function hourlyLineOf(days: readonly DailyMaximum[], hours: readonly DailyMaximum[]): Forecast | undefined {
  const [oldest, last] = [hours[0], hours.at(-1)]
  if (!oldest || !last) return undefined
  const earlier = days.filter(({ day }) => day + 1 <= oldest.day && day > last.day - HOURLY.calmDays)
  for (const count of HOURLY.counts) {
    if (hours.length < count + HOURLY.calm) return undefined
    const recent = hours.slice(-count)
    const first = recent[0] as DailyMaximum
    // Most disks hardly change: no line is laid for them.
    if (last.percent - first.percent < HOURLY.points / 2) continue
    const found = lineOf(recent)
    if (typeof found !== 'object') continue
    const length = last.day - first.day
    const grown = found.slope * length
    const before = hours.slice(0, 1 - count)
    if (grown < HOURLY.points || found.days > HOURLY.reach * length) continue
    if (isCalm([...earlier, ...before], grown) && !hasGrown(before, count, grown)) return found
  }
  return undefined
}

/** Whether a stretch of so many values grew by more than half of what grew since: what grows each day does not fill the disk today. */
const hasGrown = (before: readonly DailyMaximum[], count: number, grown: number): boolean =>
  before.some(({ percent }, index) => {
    const later = before[index + count - 1]
    return later !== undefined && later.percent - percent > grown / 2
  })

/** The line of as few last days as have one: what grows faster each day is nearest to it. */
function begunLineOf(days: readonly DailyMaximum[]): Forecast | undefined {
  for (let count: number = BEGUN.least; count <= Math.min(BEGUN.most, days.length - BEGUN.calm); count += 1) {
    const recent = days.slice(-count)
    const found = lineOf(recent)
    if (typeof found !== 'object') continue
    const [first, last] = [recent[0] as DailyMaximum, recent.at(-1) as DailyMaximum]
    const grown = found.slope * (last.day - first.day)
    if (grown >= BEGUN.points && isCalm(days.slice(0, 1 - count), grown)) return found
  }
  return undefined
}

/** Whether nothing fell by half of what grew since, nor stood near where it stands now. */
function isCalm(before: readonly DailyMaximum[], grown: number): boolean {
  let highest = 0
  const hasFallen = before.some(({ percent }) => {
    highest = Math.max(highest, percent)
    return highest - percent > grown / 2
  })
  return !hasFallen && highest - (before.at(-1)?.percent ?? 0) < grown / 2
}

/**
 * When a line through the daily maxima reaches 100 %: the median of the slopes between all pairs of days (Theil 1950, Sen 1968), which up
 * to 29 % of outliers do not change, with Sen's interval of the slopes by the variance of Kendall's S. Silent where it does not grow, where
 * the days do not lie on a line, and after a fall.
 */
function lineOf(days: readonly DailyMaximum[]): Forecast | Exclude<Silence, 'too_few_days'> {
  const count = days.length
  const slopes: number[] = []
  for (const [index, later] of days.entries())
    for (const earlier of days.slice(0, index)) slopes.push((later.percent - earlier.percent) / (later.day - earlier.day))
  slopes.sort((one, other) => one - other)
  const slope = medianOfSorted(slopes)
  const margin = Z * Math.sqrt((count * (count - 1) * (2 * count + 5)) / 18)
  const low = slopes[Math.max(0, Math.floor((slopes.length - margin) / 2))] as number
  const high = slopes[Math.min(slopes.length - 1, Math.ceil((slopes.length + margin) / 2))] as number
  if (slope <= 0 || low <= 0) return 'not_growing'
  const [first, last] = [days[0] as DailyMaximum, days.at(-1) as DailyMaximum]
  const level = median(days.map(({ day, percent }) => percent - slope * (day - last.day)))
  const residuals = days.map(({ day, percent }) => percent - (level + slope * (day - last.day)))
  const noise = median(residuals.map(Math.abs))
  const tolerance = Math.max(NOISE.points, NOISE.part * slope * (last.day - first.day))
  const recent = median(residuals.slice(-RECENT_DAYS))
  if (noise > tolerance || Math.abs(recent) > Math.max(tolerance, RECENT_PARTS * noise)) return 'no_line'
  const left = Math.max(0, 100 - level)
  const until = (by: number) => left / by
  if (until(slope) > FAR_DAYS) return 'too_far'
  return { days: until(slope), earliest: until(high), latest: until(low) > FAR_DAYS ? null : until(low), slope }
}

const median = (values: readonly number[]): number => medianOfSorted(values.toSorted((one, other) => one - other))

function medianOfSorted(sorted: readonly number[]): number {
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2
}
