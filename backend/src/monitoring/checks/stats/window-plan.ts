import { DAY_MS, HOUR_MS } from '@vedette/shared'
import type { Progress } from '../../../platform/db/index.ts'

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

/** From where the checks of a window are read; each instant is in exactly one part, and no part is empty. */
export interface WindowPlan {
  days: Span
  hours: Span[]
  raw: Window[]
}

/**
 * Reads whole days and whole hours of the window from compacted rows and its edges from single checks. Without `withDays` only
 * from hours, which keep every check.
 */
export function planWindow(window: Window, progress: Progress, withDays: boolean): WindowPlan {
  const hours = wholeUnits(window, HOUR_MS, progress.hour)
  if (isEmpty(hours)) return { days: NOTHING, hours: [], raw: [window] }
  const inHours = { fromMs: hours.from * HOUR_MS, toMs: hours.to * HOUR_MS }
  const raw = [
    { fromMs: window.fromMs, toMs: inHours.fromMs },
    { fromMs: inHours.toMs, toMs: window.toMs },
  ].filter(({ fromMs, toMs }) => fromMs < toMs)
  const days = withDays ? wholeUnits(inHours, DAY_MS, progress.day) : NOTHING
  if (isEmpty(days)) return { days: NOTHING, hours: [hours], raw }
  const edges = [
    { from: hours.from, to: days.from * HOURS_A_DAY },
    { from: days.to * HOURS_A_DAY, to: hours.to },
  ]
  return { days, hours: edges.filter((span) => !isEmpty(span)), raw }
}

const NOTHING: Span = { from: 0, to: 0 }
const isEmpty = ({ from, to }: Span): boolean => from >= to

/** The whole units in the window that are compacted. */
function wholeUnits({ fromMs, toMs }: Window, unitMs: number, done: number): Span {
  return { from: Math.ceil(fromMs / unitMs), to: Math.min(Math.floor(toMs / unitMs), done + 1) }
}
