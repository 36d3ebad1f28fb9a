import { DAY_MS, type ScheduleLayerBody, type ScheduleOverrideBody } from '@vedette/shared'
import type { Rota } from '../../../notifying/on-call/index.ts'
import { peopleOf } from '../model.ts'

// Schedules of other tools that are drawn at random.

export const NOW = Date.parse('2026-11-30T00:00Z')
export const USERS = ['ada', 'ben', 'cem', 'dee']
export const people = peopleOf(USERS.map((name) => ({ id: name, email: `${name}@example.com` })))
const DAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY']

export interface Rule {
  startMs: number
  endMs: number | null
  turnHours: number
  turns: (string | null)[]
  /** Minutes of the week; empty: always. */
  spans: { from: number; to: number }[]
}

/** `random`: from 0 to 1. */
export function randomRule(random: () => number): Rule {
  const below = (most: number) => Math.floor(random() * most)
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T
  const spans = pick([
    [],
    Array.from({ length: 7 }, (_, day) => ({ from: day * 1_440 + 540, to: day * 1_440 + 1_020 })),
    Array.from({ length: 7 }, (_, day) => ({ from: day * 1_440 + 1_200, to: day * 1_440 + 1_440 + 300 })),
    [{ from: 4 * 1_440 + 1_080, to: 7 * 1_440 + 480 }],
    [
      { from: 540, to: 1_440 + 600 },
      { from: 3 * 1_440 + 360, to: 5 * 1_440 + 720 },
    ],
  ])
  return {
    // After 04:00 in most zones: no clock is set forward over a handover.
    startMs: Date.parse('2012-01-01T17:30Z') + below(5_300) * DAY_MS,
    endMs: random() < 0.2 ? NOW + below(200) * DAY_MS : null,
    turnHours: pick([1, 7, 12, 24, 48, 168, 336]),
    turns: Array.from({ length: 1 + below(4) }, () => (random() < 0.1 ? null : pick(USERS))),
    spans,
  }
}

const iso = (ms: number) => new Date(ms).toISOString()

export const opsgenieRotation = ({ startMs, endMs, turnHours, turns, spans }: Rule, index: number) => {
  const [type, hours] =
    turnHours % 168 === 0
      ? (['weekly', 168] as const)
      : turnHours % 24 === 0
        ? (['daily', 24] as const)
        : (['hourly', 1] as const)
  const end = (minute: number) => ({
    day: DAYS[Math.floor(minute / 1_440) % 7],
    hour: Math.floor((minute % 1_440) / 60),
    min: minute % 60,
  })
  return {
    id: `r${index}`,
    name: `R${index}`,
    type,
    length: turnHours / hours,
    startDate: iso(startMs),
    ...(endMs !== null && { endDate: iso(endMs) }),
    participants: turns.map((name) => (name === null ? { type: 'none' } : { type: 'user', username: `${name}@example.com` })),
    ...(spans.length > 0 && {
      timeRestriction: {
        type: 'weekday-and-time-of-day',
        restrictions: spans.map(({ from, to }) => {
          const [start, stop] = [end(from), end(to)]
          return {
            startDay: start.day,
            startHour: start.hour,
            startMin: start.min,
            endDay: stop.day,
            endHour: stop.hour,
            endMin: stop.min,
          }
        }),
      },
    }),
  }
}

export const pagerDutyLayer = ({ startMs, endMs, turnHours, turns, spans }: Rule, index: number) => ({
  name: `L${index}`,
  start: iso(startMs),
  end: endMs === null ? null : iso(endMs),
  rotation_virtual_start: iso(startMs),
  rotation_turn_length_seconds: turnHours * 3_600,
  users: turns.map((name) => ({ user: { id: name ?? 'gone' } })),
  restrictions: spans.map(({ from, to }) => ({
    type: 'weekly_restriction',
    start_day_of_week: Math.floor(from / 1_440) + 1,
    start_time_of_day: `${String(Math.floor((from % 1_440) / 60)).padStart(2, '0')}:${String(from % 60).padStart(2, '0')}:00`,
    duration_seconds: (to - from) * 60,
  })),
})

/** The definition as it is stored once it is applied. */
export function rotaOf(spec: Record<string, unknown>): Rota {
  const layers = (spec['layers'] as ScheduleLayerBody[]).map(({ user_ids: userIds, starts_at: from, ends_at: to, ...layer }) => ({
    user_ids: userIds,
    starts_at: Date.parse(from),
    ...(typeof to === 'string' && { ends_at: Date.parse(to) }),
    repeat: layer.repeat ?? null,
    restrictions: layer.restrictions ?? [],
  }))
  const overrides = ((spec['overrides'] ?? []) as ScheduleOverrideBody[]).map(
    ({ user_id: userId, starts_at: from, ends_at: to }) => ({
      user_id: userId,
      starts_at: Date.parse(from),
      ends_at: Date.parse(to),
    }),
  )
  return { time_zone: String(spec['time_zone']), rota: { layers, overrides } }
}
