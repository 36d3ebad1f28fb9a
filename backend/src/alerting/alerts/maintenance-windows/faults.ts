import {
  type AlertTargetType,
  type CreateMaintenanceWindowBody,
  DAY_MS,
  type ErrorDetail,
  MAX_WINDOW_DAYS,
} from '@vedette/shared'
import { certainFaults, type OwnFaults } from '../../../platform/http/index.ts'
import { instantFaults, parseInstant, zoneFaults } from '../../../platform/time/instant.ts'
import { type Recurrence, repeatFault } from '../../../platform/time/recurrence.ts'

/** What the schema cannot validate in a window. Pure. */
export function windowFaults(window: Recurrence): ErrorDetail[] {
  const faults: ErrorDetail[] = []
  const lengthMs = window.ends_at.getTime() - window.starts_at.getTime()
  if (window.starts_at.getTime() < 0) faults.push({ path: 'starts_at', message: 'must not be before 1970' })
  if (lengthMs <= 0) faults.push({ path: 'ends_at', message: 'must be after starts_at' })
  if (lengthMs > MAX_WINDOW_DAYS * DAY_MS)
    faults.push({ path: 'ends_at', message: `must be at most ${MAX_WINDOW_DAYS} days after starts_at` })
  const zone = zoneFaults(window.time_zone)
  const { repeat } = window
  const fault = repeat === null || zone.length > 0 ? undefined : repeatFault({ ...window, repeat })
  return [...faults, ...zone, ...(fault === undefined ? [] : [{ path: 'repeat', message: fault }])]
}

/** Of a new window. */
export const ownWindowFaults: OwnFaults = (body, isRefused) => {
  const {
    target,
    starts_at: startsAt,
    ends_at: endsAt,
    repeat = null,
    time_zone = 'UTC',
  } = body as Partial<CreateMaintenanceWindowBody>
  const times = [...instantFaults('starts_at', startsAt), ...instantFaults('ends_at', endsAt)]
  const window = {
    starts_at: new Date(parseInstant(startsAt) ?? 0),
    ends_at: new Date(parseInstant(endsAt) ?? 0),
    repeat,
    time_zone,
  }
  const isUnknown = (field: string) => isRefused(field) || times.some(({ path }) => path === field)
  return [...times, ...targetFaults(target ?? {}), ...certainFaults(windowFaults(window), DEPENDS_ON, isUnknown)]
}

const DEPENDS_ON = {
  starts_at: ['starts_at'],
  ends_at: ['starts_at', 'ends_at'],
  repeat: ['starts_at', 'time_zone'],
}

/** Of the target that a body names. Pure. */
export const targetFaults = ({ id, tag }: { type?: AlertTargetType; id?: string | null; tag?: string | null }): ErrorDetail[] =>
  (id ?? null) === null || (tag ?? null) === null ? [] : [{ path: 'target.tag', message: 'cannot be combined with an id' }]
