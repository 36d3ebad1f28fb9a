import {
  DAY_MS,
  type ErrorDetail,
  MAX_LAYER_AGE_YEARS,
  type PatchScheduleBody,
  type ScheduleLayerBody,
  type ScheduleOverrideBody,
} from '@vedette/shared'
import { repeatFault } from '../../platform/time/recurrence.ts'
import { invalid } from '../../platform/errors.ts'
import { parseId } from '../../platform/ids.ts'
import { instantAt } from '../../platform/time/instant.ts'
import type { StoredRota } from './store.ts'

interface NamedPerson {
  path: string
  /** Undefined: not an id. */
  userId: string | undefined
}

/** The people whom a body names, with the paths where it does. */
export function peopleIn({ layers = [], overrides = [] }: PatchScheduleBody): NamedPerson[] {
  return [
    ...layers.flatMap(({ user_ids: texts }, layer) =>
      texts.map((text, index) => ({ path: `layers.${layer}.user_ids.${index}`, userId: parseId('user', text) })),
    ),
    ...overrides.map(({ user_id: text }, index) => ({ path: `overrides.${index}.user_id`, userId: parseId('user', text) })),
  ]
}

/** The stored form of what a body names; the rest is as before. Its people are members. Throws validation_error. */
export function readRota(
  { layers, overrides }: PatchScheduleBody,
  before: StoredRota,
  timeZone: string,
  nowMs: number,
): StoredRota {
  return {
    layers: layers?.map((layer, index) => readLayer(layer, `layers.${index}`, timeZone, nowMs)) ?? before.layers,
    overrides: overrides?.map((one, index) => readOverride(one, `overrides.${index}`)) ?? before.overrides,
  }
}

function readLayer(
  { repeat = null, restrictions = [], ...layer }: ScheduleLayerBody,
  path: string,
  timeZone: string,
  nowMs: number,
) {
  const startsAt = instantAt(`${path}.starts_at`, layer.starts_at)
  if (startsAt.getTime() < nowMs - MAX_LAYER_AGE_YEARS * 365.25 * DAY_MS)
    throw invalid({ path: `${path}.starts_at`, message: `must be at most ${MAX_LAYER_AGE_YEARS} years ago` })
  const fault = repeat === null ? undefined : repeatFault({ starts_at: startsAt, ends_at: startsAt, repeat, time_zone: timeZone })
  if (fault !== undefined) throw invalid({ path: `${path}.repeat`, message: fault })
  const userIds = layer.user_ids.map((text) => parseId('user', text) as string)
  return { user_ids: userIds, starts_at: startsAt.getTime(), repeat, restrictions }
}

function readOverride({ user_id: userId, ...times }: ScheduleOverrideBody, path: string) {
  const startsAt = instantAt(`${path}.starts_at`, times.starts_at).getTime()
  const endsAt = instantAt(`${path}.ends_at`, times.ends_at).getTime()
  if (endsAt <= startsAt) throw invalid({ path: `${path}.ends_at`, message: 'must be after starts_at' })
  return { user_id: parseId('user', userId) as string, starts_at: startsAt, ends_at: endsAt }
}

/** Throws validation_error that names each person who is not a member. */
export function requireMembers(people: readonly NamedPerson[], isMember: (userId: string) => boolean): void {
  const faults: ErrorDetail[] = people
    .filter(({ userId }) => userId === undefined || !isMember(userId))
    .map(({ path }) => ({ path, message: 'is not a member of this organization' }))
  if (faults.length > 0) throw invalid(...faults)
}
