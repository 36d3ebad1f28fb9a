import { type ScheduleLayerBody, toTimestamp } from '@vedette/shared'
import { type Rota, shiftsIn } from '../../notifying/on-call/index.ts'
import type { Span } from '../../platform/time/spans.ts'

/** The times of a range in which somebody is on duty by layers whose people are those of the source. Pure. */
export const dutyTimes = (zone: string, layers: readonly ScheduleLayerBody[], person: string, range: Span): Span[] =>
  shiftsIn(rotaOf(zone, layers), range, () => true).filter(({ userId }) => userId === person)

/** An override for each of these times. Pure. */
export const overridesFor = (userId: string, times: readonly Span[]) =>
  times.map(({ fromMs, toMs }) => ({ user_id: userId, starts_at: toTimestamp(fromMs), ends_at: toTimestamp(toMs) }))

const rotaOf = (zone: string, layers: readonly ScheduleLayerBody[]): Rota => ({
  time_zone: zone,
  rota: {
    layers: layers.map(({ starts_at: startsAt, ends_at: endsAt, user_ids: userIds, ...layer }) => ({
      user_ids: userIds,
      repeat: layer.repeat ?? null,
      restrictions: layer.restrictions ?? [],
      starts_at: Date.parse(startsAt),
      ...(endsAt ? { ends_at: Date.parse(endsAt) } : {}),
    })),
    overrides: [],
  },
})
