import { HOUR_MS } from '@vedette/shared/tables'
import type { CreateMaintenanceWindowBody, MaintenanceWindow } from '@vedette/shared'
import { localTimeAt, instantAt } from '../../lib/time-zone.ts'
import { ALL_SERVERS, type TargetInput, toTargetInput, toTarget } from '../../lib/alert-target.ts'

export const DAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const
export const REPEATS = ['once', 'daily', 'weekly', 'monthly', 'custom'] as const
export type Repeat = (typeof REPEATS)[number]

/** A window while it is edited, with local times of its zone. */
export interface WindowInput {
  name: string
  target: TargetInput
  zone: string
  starts: string
  ends: string
  repeat: Repeat
  days: readonly string[]
  /** A custom RRULE. */
  rule: string
}

/** A window of one hour from the next full hour. */
export function newWindow(nowMs: number, zone: string): WindowInput {
  const start = Math.ceil(nowMs / HOUR_MS) * HOUR_MS
  return {
    name: '',
    target: ALL_SERVERS,
    zone,
    starts: localTimeAt(start, zone),
    ends: localTimeAt(start + HOUR_MS, zone),
    repeat: 'once',
    days: [],
    rule: '',
  }
}

/** The fields of the editor for an RRULE; one that does not fit them is custom, like a day of the month that is not the first day. */
export function repeatOf(rule: string | null, starts?: string): Pick<WindowInput, 'repeat' | 'days' | 'rule'> {
  const fields = (repeat: Repeat, days: readonly string[] = []) => ({ repeat, days, rule: rule ?? '' })
  if (rule === null) return fields('once')
  if (rule === 'FREQ=DAILY') return fields('daily')
  if (rule === 'FREQ=WEEKLY') return fields('weekly')
  const day = /^FREQ=MONTHLY;BYMONTHDAY=(\d{1,2})$/.exec(rule)?.[1]
  if (day !== undefined) return fields(starts === undefined || Number(day) === dayOf(starts) ? 'monthly' : 'custom')
  const days = /^FREQ=WEEKLY;BYDAY=((?:MO|TU|WE|TH|FR|SA|SU)(?:,(?:MO|TU|WE|TH|FR|SA|SU))*)$/.exec(rule)?.[1]
  return days === undefined ? fields('custom') : fields('weekly', days.split(','))
}

export function toWindowInput(window: MaintenanceWindow): WindowInput {
  const { name, target, time_zone: zone, starts_at, ends_at, repeat } = window
  const starts = localTimeAt(Date.parse(starts_at), zone)
  return {
    name,
    target: toTargetInput(target),
    zone,
    starts,
    ends: localTimeAt(Date.parse(ends_at), zone),
    ...repeatOf(repeat, starts),
  }
}

const dayOf = (local: string): number => Number(local.slice(8, 10))

function ruleOf({ repeat, days, rule, starts }: WindowInput): string | null {
  if (repeat === 'once') return null
  if (repeat === 'daily') return 'FREQ=DAILY'
  if (repeat === 'monthly') return `FREQ=MONTHLY;BYMONTHDAY=${dayOf(starts)}`
  if (repeat === 'custom') return rule.trim()
  const chosen = DAYS.filter((day) => days.includes(day))
  return chosen.length > 0 ? `FREQ=WEEKLY;BYDAY=${chosen.join(',')}` : 'FREQ=WEEKLY'
}

/** The API names of the fields whose local time does not exist in the zone. */
export function nonexistentTimes({ starts, ends, zone }: WindowInput): ('starts_at' | 'ends_at')[] {
  return [
    ...(instantAt(starts, zone) === undefined ? (['starts_at'] as const) : []),
    ...(instantAt(ends, zone) === undefined ? (['ends_at'] as const) : []),
  ]
}

/** A local time that does not exist is sent as typed, so that the API names the field. */
export function toWindowBody(input: WindowInput): CreateMaintenanceWindowBody {
  const { name, target, zone, starts, ends } = input
  const instant = (local: string): string => {
    const ms = instantAt(local, zone)
    return ms === undefined ? local || '-' : new Date(ms).toISOString()
  }
  return {
    name: name.trim(),
    target: toTarget(target),
    starts_at: instant(starts),
    ends_at: instant(ends),
    repeat: ruleOf(input),
    time_zone: zone,
  }
}

/** The same for the check before it is sent: a time that was not entered is missing. */
export function toCheckedBody(input: WindowInput): Partial<CreateMaintenanceWindowBody> {
  const { starts_at, ends_at, ...rest } = toWindowBody(input)
  return { ...rest, ...(input.starts !== '' && { starts_at }), ...(input.ends !== '' && { ends_at }) }
}

/** The body that creates the same window again, with the seconds that the editor does not show. */
export const copyOfWindow = (window: MaintenanceWindow): CreateMaintenanceWindowBody => {
  const { name, target, starts_at, ends_at, repeat, time_zone } = window
  return { name, target, starts_at, ends_at, repeat, time_zone }
}
