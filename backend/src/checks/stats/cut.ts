export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000
const HOURS_A_DAY = 24

/** [from, to) in milliseconds. */
export interface Window {
  fromMs: number
  toMs: number
}

/** [from, to) in hours or days since the epoch. */
export interface Span {
  from: number
  to: number
}

/** The last hour and day since the epoch that are put together. */
export interface Progress {
  hour: number
  day: number
}

/** Where the checks of a window are read from: each instant of it lies in exactly one part. Empty parts are left out. */
export interface Cut {
  days: Span
  hours: Span[]
  raw: Window[]
}

/**
 * Takes whole days and whole hours of the window from what is put together, and its edges from single checks. Without
 * `withDays` hours are the largest part: they keep every check.
 */
export function cutWindow(window: Window, progress: Progress, withDays: boolean): Cut {
  const hours = wholeIn(window, HOUR_MS, progress.hour)
  if (isEmpty(hours)) return { days: NOTHING, hours: [], raw: [window] }
  const inHours = { fromMs: hours.from * HOUR_MS, toMs: hours.to * HOUR_MS }
  const raw = [
    { fromMs: window.fromMs, toMs: inHours.fromMs },
    { fromMs: inHours.toMs, toMs: window.toMs },
  ].filter(({ fromMs, toMs }) => fromMs < toMs)
  const days = withDays ? wholeIn(inHours, DAY_MS, progress.day) : NOTHING
  if (isEmpty(days)) return { days: NOTHING, hours: [hours], raw }
  const edges = [
    { from: hours.from, to: days.from * HOURS_A_DAY },
    { from: days.to * HOURS_A_DAY, to: hours.to },
  ]
  return { days, hours: edges.filter((span) => !isEmpty(span)), raw }
}

const NOTHING: Span = { from: 0, to: 0 }
const isEmpty = ({ from, to }: Span): boolean => from >= to

/** The whole units within the window, no further than what is done. */
function wholeIn({ fromMs, toMs }: Window, unitMs: number, done: number): Span {
  return { from: Math.ceil(fromMs / unitMs), to: Math.min(Math.floor(toMs / unitMs), done + 1) }
}
