import type { CreateMaintenanceWindowBody, MaintenanceWindow } from '@vedette/shared'
import { clockAt, instantOf } from '../../../lib/zoned.ts'
import { ANY_SERVER, type TargetDraft, targetDraftOf, targetOf } from '../target.ts'

export const DAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const
export const REPEATS = ['once', 'daily', 'weekly', 'monthly', 'custom'] as const
export type Repeat = (typeof REPEATS)[number]

/** What the editor of a window holds: times by the clock of its zone. */
export interface WindowDraft {
  name: string
  target: TargetDraft
  zone: string
  starts: string
  ends: string
  repeat: Repeat
  days: readonly string[]
  /** What stands in the field of an own rule. */
  rule: string
}

const HOUR_MS = 3_600_000

/** From the next full hour on, for an hour. */
export function newWindow(nowMs: number, zone: string): WindowDraft {
  const begin = Math.ceil(nowMs / HOUR_MS) * HOUR_MS
  return {
    name: '',
    target: ANY_SERVER,
    zone,
    starts: clockAt(begin, zone),
    ends: clockAt(begin + HOUR_MS, zone),
    repeat: 'once',
    days: [],
    rule: '',
  }
}

/** A rule as the editor knows it; any other stands as it is. */
export function repeatOf(rule: string | null): Pick<WindowDraft, 'repeat' | 'days' | 'rule'> {
  const known = (repeat: Repeat, days: readonly string[] = []) => ({ repeat, days, rule: rule ?? '' })
  if (rule === null) return known('once')
  if (rule === 'FREQ=DAILY') return known('daily')
  if (rule === 'FREQ=WEEKLY') return known('weekly')
  if (/^FREQ=MONTHLY;BYMONTHDAY=\d{1,2}$/.test(rule)) return known('monthly')
  const days = /^FREQ=WEEKLY;BYDAY=((?:MO|TU|WE|TH|FR|SA|SU)(?:,(?:MO|TU|WE|TH|FR|SA|SU))*)$/.exec(rule)?.[1]
  return days === undefined ? known('custom') : known('weekly', days.split(','))
}

export function windowDraftOf(window: MaintenanceWindow): WindowDraft {
  const { name, target, time_zone: zone, starts_at, ends_at, repeat } = window
  return {
    name,
    target: targetDraftOf(target),
    zone,
    starts: clockAt(Date.parse(starts_at), zone),
    ends: clockAt(Date.parse(ends_at), zone),
    ...repeatOf(repeat),
  }
}

function ruleOf({ repeat, days, rule, starts }: WindowDraft): string | null {
  if (repeat === 'once') return null
  if (repeat === 'daily') return 'FREQ=DAILY'
  if (repeat === 'monthly') return `FREQ=MONTHLY;BYMONTHDAY=${Number(starts.slice(8, 10))}`
  if (repeat === 'custom') return rule.trim()
  const chosen = DAYS.filter((day) => days.includes(day))
  return chosen.length > 0 ? `FREQ=WEEKLY;BYDAY=${chosen.join(',')}` : 'FREQ=WEEKLY'
}

/** Which times there are not in the zone, by the API's names of the fields. */
export function missingTimes({ starts, ends, zone }: WindowDraft): ('starts_at' | 'ends_at')[] {
  return [
    ...(instantOf(starts, zone) === undefined ? (['starts_at'] as const) : []),
    ...(instantOf(ends, zone) === undefined ? (['ends_at'] as const) : []),
  ]
}

/** As the API takes it. A time that there is not goes as it was typed, so that the API names the field. */
export function windowBodyOf(draft: WindowDraft): CreateMaintenanceWindowBody {
  const { name, target, zone, starts, ends } = draft
  const instant = (local: string): string => {
    const ms = instantOf(local, zone)
    return ms === undefined ? local || '-' : new Date(ms).toISOString()
  }
  return {
    name: name.trim(),
    target: targetOf(target),
    starts_at: instant(starts),
    ends_at: instant(ends),
    repeat: ruleOf(draft),
    time_zone: zone,
  }
}

/** The same window, for one that is made anew: seconds that no field of a form shows are kept. */
export const bodyOfWindow = (window: MaintenanceWindow): CreateMaintenanceWindowBody => {
  const { name, target, starts_at, ends_at, repeat, time_zone } = window
  return { name, target, starts_at, ends_at, repeat, time_zone }
}
