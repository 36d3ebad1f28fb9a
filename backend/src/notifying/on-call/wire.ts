import { type OnCall, type Schedule, type Shift as ShiftAnswer, toTimestamp } from '@vedette/shared'
import { encodeId } from '../../platform/ids.ts'
import { dutiesOf, type Shift } from './rota.ts'
import type { MemberPerson, ScheduleRow } from './store.ts'

export const toSchedule = (row: ScheduleRow): Schedule => ({
  id: encodeId('schedule', row.id),
  name: row.name,
  time_zone: row.time_zone,
  layers: row.rota.layers.map((layer) => ({
    user_ids: layer.user_ids.map((turn) =>
      typeof turn === 'string' ? encodeId('user', turn) : turn.map((id) => encodeId('user', id)),
    ),
    starts_at: toTimestamp(layer.starts_at),
    ends_at: layer.ends_at === undefined ? null : toTimestamp(layer.ends_at),
    repeat: layer.repeat,
    restrictions: layer.restrictions,
  })),
  overrides: row.rota.overrides.map((one) => ({
    user_id: encodeId('user', one.user_id),
    starts_at: toTimestamp(one.starts_at),
    ends_at: toTimestamp(one.ends_at),
  })),
  handover_mail: row.handover_mail,
  has_calendar: row.calendar_hash !== null,
  managed: row.managed,
  created_at: toTimestamp(row.created_at.getTime()),
  updated_at: toTimestamp(row.updated_at.getTime()),
})

/** A shift with its person. */
export const toShift = (shift: Shift, members: ReadonlyMap<string, MemberPerson>): ShiftAnswer => ({
  user_id: encodeId('user', shift.userId),
  email: members.get(shift.userId)?.email ?? '',
  name: members.get(shift.userId)?.name ?? null,
  from: toTimestamp(shift.fromMs),
  to: toTimestamp(shift.toMs),
  layer: shift.layer,
})

/** `shifts` are those of a range that begins at the instant. */
export function toOnCall(atMs: number, shifts: readonly Shift[], members: ReadonlyMap<string, MemberPerson>): OnCall {
  const duties = dutiesOf(shifts)
  const nextMs = duties.find(({ fromMs }) => fromMs > atMs)?.fromMs
  const beginningAt = (ms: number | undefined) =>
    duties.filter(({ fromMs }) => fromMs === ms).map((shift) => toShift(shift, members))
  return { at: toTimestamp(atMs), current: beginningAt(atMs), next: beginningAt(nextMs) }
}
