import { type CreateScheduleBody, type ErrorDetail, type PatchScheduleBody, type ScheduleLayerBody } from '@vedette/shared'
import { repeatFault } from '../alerts/index.ts'
import { invalid } from '../platform/errors.ts'
import { parseId } from '../platform/ids.ts'
import { instantAt } from '../platform/time/instant.ts'
import type { StoredRota } from './store.ts'

type Definition = Required<Pick<CreateScheduleBody, 'time_zone' | 'layers' | 'overrides'>>

/**
 * The stored form of a valid definition. People are looked up for the parts that `given` names; others are kept as they are. Throws
 * validation_error.
 */
export async function readRota(
  { time_zone: timeZone, layers, overrides }: Definition,
  given: PatchScheduleBody,
  lookUp: (userIds: readonly string[]) => Promise<(userId: string) => boolean>,
): Promise<StoredRota> {
  const named = [
    ...(given.layers ?? []).flatMap(({ user_ids: ids }, layer) =>
      ids.map((text, index) => ({ path: `layers.${layer}.user_ids.${index}`, text })),
    ),
    ...(given.overrides ?? []).map(({ user_id: text }, index) => ({ path: `overrides.${index}.user_id`, text })),
  ].map(({ path, text }) => ({ path, id: parseId('user', text) }))
  const isMember = await lookUp(named.flatMap(({ id }) => (id === undefined ? [] : [id])))
  const faults: ErrorDetail[] = named
    .filter(({ id }) => id === undefined || !isMember(id))
    .map(({ path }) => ({ path, message: 'is not a member of this organization' }))
  if (faults.length > 0) throw invalid(...faults)
  return {
    layers: layers.map((layer, index) => readLayer(layer, `layers.${index}`, timeZone)),
    overrides: overrides.map(({ user_id: userId, ...times }, index) => {
      const startsAt = instantAt(`overrides.${index}.starts_at`, times.starts_at).getTime()
      const endsAt = instantAt(`overrides.${index}.ends_at`, times.ends_at).getTime()
      if (endsAt <= startsAt) throw invalid({ path: `overrides.${index}.ends_at`, message: 'must be after starts_at' })
      return { user_id: parseId('user', userId) as string, starts_at: startsAt, ends_at: endsAt }
    }),
  }
}

function readLayer({ repeat = null, restrictions = [], ...layer }: ScheduleLayerBody, path: string, timeZone: string) {
  const startsAt = instantAt(`${path}.starts_at`, layer.starts_at)
  const fault = repeat === null ? undefined : repeatFault({ starts_at: startsAt, ends_at: startsAt, repeat, time_zone: timeZone })
  if (fault !== undefined) throw invalid({ path: `${path}.repeat`, message: fault })
  const userIds = layer.user_ids.map((text) => parseId('user', text) as string)
  return { user_ids: userIds, starts_at: startsAt.getTime(), repeat, restrictions }
}
