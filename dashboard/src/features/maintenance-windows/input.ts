import { HOUR_MS } from '@vedette/shared/tables'
import type { CreateMaintenanceWindowBody, MaintenanceWindow } from '@vedette/shared'
import { type RepeatInput, repeatOf, ruleOf } from '../../lib/repeat.ts'
import { instantAt, instantText, localTimeAt } from '../../lib/time-zone.ts'
import { ALL_SERVERS, type TargetInput, toTargetInput, toTarget } from '../../lib/alert-target.ts'

/** A window while it is edited, with local times of its zone. */
export interface WindowInput extends RepeatInput {
  name: string
  target: TargetInput
  zone: string
  starts: string
  ends: string
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
    ...repeatOf(null),
  }
}

export function toWindowInput(window: MaintenanceWindow): WindowInput {
  const { name, target, time_zone: zone, starts_at, ends_at, repeat } = window
  const starts = localTimeAt(Date.parse(starts_at), zone)
  return {
    name,
    // Silences are not edited here.
    target: target.type === 'source' ? ALL_SERVERS : toTargetInput({ ...target, type: target.type }),
    zone,
    starts,
    ends: localTimeAt(Date.parse(ends_at), zone),
    ...repeatOf(repeat, starts),
  }
}

/** The API names of the fields whose local time does not exist in the zone. */
export function nonexistentTimes({ starts, ends, zone }: WindowInput): ('starts_at' | 'ends_at')[] {
  return [
    ...(instantAt(starts, zone) === undefined ? (['starts_at'] as const) : []),
    ...(instantAt(ends, zone) === undefined ? (['ends_at'] as const) : []),
  ]
}

export function toWindowBody(input: WindowInput): CreateMaintenanceWindowBody {
  const { name, target, zone, starts, ends } = input
  return {
    name: name.trim(),
    target: toTarget(target),
    starts_at: instantText(starts, zone),
    ends_at: instantText(ends, zone),
    repeat: ruleOf(input, starts),
    time_zone: zone,
  }
}

/** The same for the check before it is sent: a time that was not entered is missing. */
export function toCheckedBody(input: WindowInput): Partial<CreateMaintenanceWindowBody> {
  const { starts_at, ends_at, ...rest } = toWindowBody(input)
  return { ...rest, ...(input.starts !== '' && { starts_at }), ...(input.ends !== '' && { ends_at }) }
}
