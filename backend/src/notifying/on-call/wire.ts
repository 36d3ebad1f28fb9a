import {
  MASK,
  type OnCall,
  type Schedule,
  type ScheduleIcal,
  type ScheduleOverride,
  type Shift as ShiftAnswer,
  toTimestamp,
} from '@vedette/shared'
import type { StoredOverride } from '../../platform/db/index.ts'
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
  overrides: row.rota.overrides.map(toOverride),
  handover_mail: row.handover_mail,
  ical_url: row.ical_url && MASK,
  ical: row.ical_url && toIcal(row),
  has_calendar: row.calendar_hash !== null,
  managed: row.managed,
  created_at: toTimestamp(row.created_at.getTime()),
  updated_at: toTimestamp(row.updated_at.getTime()),
})

const toOverride = (one: StoredOverride): ScheduleOverride => ({
  user_id: encodeId('user', one.user_id),
  starts_at: toTimestamp(one.starts_at),
  ends_at: toTimestamp(one.ends_at),
})

const instantOrNull = (ms: number | null | undefined) => (typeof ms === 'number' ? toTimestamp(ms) : null)

const toIcal = ({ ical_state: state, rota }: ScheduleRow): ScheduleIcal => ({
  read_at: instantOrNull(state?.read_at),
  error: state?.error ?? null,
  failing_since: instantOrNull(state?.failing_since),
  faults: state?.faults ?? [],
  shifts: (rota.calendar ?? []).map(toOverride),
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
