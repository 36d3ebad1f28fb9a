import { dayOf } from '../../../platform/time/day.ts'
import { DAY_MS, HOUR_MS } from './schedule.ts'

/** A server by its surrogates. */
export interface ServerKey {
  organization: number
  server: number
}

/** Servers of one organization. */
export interface ServerSet {
  organization: number
  servers: readonly number[]
}

/** Hours [from, to) since the epoch. */
export interface HourSpan {
  from: number
  to: number
}

/** An hour of a server. */
export interface ServerHour {
  server: number
  hour: number
}

export const dateOfHour = (hour: number): string => dayOf(hour * HOUR_MS)
export const dateOfDay = (day: number): string => dayOf(day * DAY_MS)
