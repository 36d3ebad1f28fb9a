import type { Check, Transition } from '@vedette/shared'
import { DAY_MS } from '@vedette/shared/tables'

/**
 * `came`: all pings of the day in time. `late`: one came after its grace, but on the same day. `missed`: one did not come that day.
 * `failed`: a job reported a failure. `trouble`: not all came, and the checks that say why are not here. `none`: no ping was due.
 */
export type PingDay = 'came' | 'late' | 'missed' | 'failed' | 'trouble' | 'none'

export interface PingHistory {
  /** Start of the first day of `uptime`, ms. */
  fromMs: number
  /** Percent of each day in UTC; null without a ping that was due. */
  uptime: readonly (number | null)[]
  /** The checks that were down, of these days. */
  downs: readonly Pick<Check, 'checked_at' | 'error'>[]
  transitions: readonly Pick<Transition, 'at' | 'to_status'>[]
}

export const WEEKS = 6
const DAYS_OF_WEEK = 7
/** 1970-01-01 was a Thursday: weeks begin on Monday. */
const MONDAY_OFFSET = 3

const dayOf = (ms: number): number => Math.floor(ms / DAY_MS)

/** How it went on a day in UTC. A failure counts more than a ping that is missing, and this more than a late one. */
export function pingDay({ fromMs, uptime, downs, transitions }: PingHistory, dayMs: number): PingDay {
  const day = dayOf(dayMs)
  const percent = uptime[day - dayOf(fromMs)] ?? null
  if (percent === null) return 'none'
  if (percent >= 100) return 'came'
  const own = downs.filter(({ checked_at }) => dayOf(Date.parse(checked_at)) === day)
  if (own.length === 0) return 'trouble'
  if (own.some(({ error }) => error?.code !== 'timeout')) return 'failed'
  const cameAt = transitions.filter(({ to_status }) => to_status === 'up').map(({ at }) => Date.parse(at))
  const lastMs = Math.max(...own.map(({ checked_at }) => Date.parse(checked_at)))
  return cameAt.some((ms) => ms >= lastMs && dayOf(ms) === day) ? 'late' : 'missed'
}

/** The days of the last weeks by week, oldest first; each day as its start in UTC, undefined for one that is to come. */
export function calendarWeeks(nowMs: number): (number | undefined)[][] {
  const today = dayOf(nowMs)
  const monday = today - ((today + MONDAY_OFFSET) % DAYS_OF_WEEK) - (WEEKS - 1) * DAYS_OF_WEEK
  return Array.from({ length: WEEKS }, (_, week) =>
    Array.from({ length: DAYS_OF_WEEK }, (__, weekday) => {
      const day = monday + week * DAYS_OF_WEEK + weekday
      return day <= today ? day * DAY_MS : undefined
    }),
  )
}
