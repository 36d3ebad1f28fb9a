import { type OnCall, type Schedule, type Shift as ShiftAnswer, toTimestamp } from '@vedette/shared'
import { encodeId } from '../platform/ids.ts'
import type { Rota, Shift } from './rota.ts'
import type { ScheduleRow, StoredRota } from './store.ts'

export const toSchedule = (row: ScheduleRow): Schedule => ({
  id: encodeId('schedule', row.id),
  name: row.name,
  time_zone: row.time_zone,
  layers: row.rota.layers.map((layer) => ({
    user_ids: layer.user_ids.map((id) => encodeId('user', id)),
    starts_at: toTimestamp(layer.starts_at),
    repeat: layer.repeat,
    restrictions: layer.restrictions,
  })),
  overrides: row.rota.overrides.map((one) => ({
    user_id: encodeId('user', one.user_id),
    starts_at: toTimestamp(one.starts_at),
    ends_at: toTimestamp(one.ends_at),
  })),
  created_at: toTimestamp(row.created_at.getTime()),
  updated_at: toTimestamp(row.updated_at.getTime()),
})

export const toRota = ({ layers, overrides }: StoredRota, timeZone: string): Rota => ({
  timeZone,
  layers: layers.map((layer) => ({
    userIds: layer.user_ids,
    startsAtMs: layer.starts_at,
    repeat: layer.repeat,
    restrictions: layer.restrictions,
  })),
  overrides: overrides.map((one) => ({ userId: one.user_id, fromMs: one.starts_at, toMs: one.ends_at })),
})

export const usersOf = ({ layers, overrides }: StoredRota): string[] => [
  ...new Set([...layers.flatMap((layer) => layer.user_ids), ...overrides.map((one) => one.user_id)]),
]

/** A shift with the address of its person. */
export const toShift = (shift: Shift, emails: ReadonlyMap<string, string>): ShiftAnswer => ({
  user_id: encodeId('user', shift.userId),
  email: emails.get(shift.userId) ?? '',
  from: toTimestamp(shift.fromMs),
  to: toTimestamp(shift.toMs),
  layer: shift.layer,
})

/** Shifts that begin at this instant or later. */
export function toOnCall(atMs: number, shifts: readonly Shift[], emails: ReadonlyMap<string, string>): OnCall {
  const current = shifts.find(({ fromMs }) => fromMs <= atMs)
  // A handover from a layer to another one of the same person is none.
  const untilMs = shifts.reduce(
    (until, { fromMs, toMs, userId }) => (fromMs === until && userId === current?.userId ? toMs : until),
    current?.toMs ?? atMs,
  )
  const next = shifts.find(({ fromMs }) => fromMs >= untilMs && fromMs > atMs)
  return {
    at: toTimestamp(atMs),
    current: current ? toShift({ ...current, toMs: untilMs }, emails) : null,
    next: next ? toShift(next, emails) : null,
  }
}
