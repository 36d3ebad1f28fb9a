import type { MonitorItem, SloDetails } from '@vedette/shared'
import { BURN_ALERTS, DAY_MS } from '@vedette/shared/tables'

/** A monitor that counts, with its uptime of whole days in UTC. */
export interface CountedMonitor {
  id: string
  name: string
  /** How many checks a day it has, next to the others. */
  weight: number
  /** Start of the first day, ms. */
  fromMs: number
  /** Percent of each day; null without a check. */
  days: readonly (number | null)[]
}

/** Composites have time in place of checks, which counts only where there are no checks. */
export function toCounted(monitors: readonly MonitorItem[]): CountedMonitor[] {
  const checked = monitors.filter(({ interval }) => interval !== undefined)
  return (checked.length > 0 ? checked : monitors).flatMap(({ id, name, interval = 1, regions = [''], uptime }) =>
    uptime
      ? [
          {
            id,
            name,
            weight: regions.length / Math.max(1, interval),
            fromMs: Date.parse(uptime.from),
            days: uptime.uptime_percent,
          },
        ]
      : [],
  )
}

type Window = Pick<SloDetails['status'], 'from' | 'to' | 'budget_left_percent'>

const firstDay = (from: string): number => Math.floor(Date.parse(from) / DAY_MS)
/** The end of a calendar window is to come. */
const lastDay = (to: string, nowMs: number): number => Math.floor((Math.min(Date.parse(to), nowMs + 1) - 1) / DAY_MS)

/** The bad checks of a monitor on a day, in the unit of its weight. */
const badOn = ({ weight, fromMs, days }: CountedMonitor, day: number): number => {
  const percent = days[day - Math.floor(fromMs / DAY_MS)] ?? 100
  return (weight * (100 - percent)) / 100
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/**
 * What was left of the budget at the end of each day of the window, %. The uptime of days gives the course, and the exact budget its
 * end: the days know nothing of maintenance. Undefined without checks, and where nothing is known to be bad.
 */
export function burnDown(
  { from, to, budget_left_percent: left }: Window,
  monitors: readonly CountedMonitor[],
  nowMs: number,
): { from: number; values: number[] } | undefined {
  if (left === null) return undefined
  const [first, last] = [firstDay(from), lastDay(to, nowMs)]
  const days = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) =>
    sum(monitors.map((monitor) => badOn(monitor, first + index))),
  )
  const total = sum(days)
  if (days.length === 0 || (total === 0 && left < 100)) return undefined
  let used = 0
  const values = days.map((bad) => {
    used += bad
    return total === 0 ? 100 : 100 - (used / total) * (100 - left)
  })
  return { from: first * DAY_MS, values }
}

/** Which monitors ate the budget, the worst first, with their share of the bad checks, %; those without any are left out. */
export function eaters({ from, to }: Window, monitors: readonly CountedMonitor[], nowMs: number, most = 10) {
  const [first, last] = [firstDay(from), lastDay(to, nowMs)]
  const bad = monitors.map(({ id, name, ...monitor }) => ({
    id,
    name,
    bad: sum(Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => badOn({ id, name, ...monitor }, first + index))),
  }))
  const total = sum(bad.map((one) => one.bad))
  return bad
    .filter((one) => one.bad > 0)
    .toSorted((one, other) => other.bad - one.bad || one.name.localeCompare(other.name))
    .slice(0, most)
    .map(({ id, name, bad: own }) => ({ id, name, percent: (own / total) * 100 }))
}

/**
 * When the budget is used up at the rate of the longest burn-rate window; undefined where it lasts to the end of the window or longer,
 * is used up already, or nothing is known. A rate of 1 uses it up in one window.
 */
export function usedUpAt({ status }: Pick<SloDetails, 'status'>, nowMs: number): number | undefined {
  const { from, to, budget_left_percent: left, burn_rates: rates } = status
  const longest = rates.toSorted((one, other) => BURN_ALERTS[other.window].longSeconds - BURN_ALERTS[one.window].longSeconds)[0]
  const rate = longest?.burn_rate ?? 0
  if (left === null || left <= 0 || rate <= 0) return undefined
  const windowMs = Date.parse(to) - Date.parse(from)
  const at = nowMs + ((left / 100) * windowMs) / rate
  return at < nowMs + windowMs ? at : undefined
}
