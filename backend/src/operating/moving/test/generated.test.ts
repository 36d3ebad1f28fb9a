import { randomInt } from 'node:crypto'
import { DAY_MS, HOUR_MS, offsetMs, type ScheduleLayerBody } from '@vedette/shared'
import { readConfigureGlobal } from 'fast-check'
import { expect, it } from 'vitest'
import { roundsOf } from '../../../../../scripts/test-rounds.ts'
import { randomFrom } from '../../../../test/random.ts'
import { type Rota, shiftsIn } from '../../../notifying/on-call/index.ts'
import { peopleOf } from '../model.ts'
import { readOpsgenie } from '../opsgenie/read.ts'
import { readPagerDuty } from '../pagerduty/read.ts'

// The layers that the readers make, against the rules of the sources evaluated for one instant after the other.

const seed = readConfigureGlobal()?.seed ?? randomInt(2 ** 31)
const random = randomFrom(seed)
const below = (most: number) => Math.floor(random() * most)
const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T

const NOW = Date.parse('2026-11-30T00:00Z')
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Sydney', 'America/Santiago']
const USERS = ['ada', 'ben', 'cem', 'dee']
const people = peopleOf(USERS.map((name) => ({ id: name, email: `${name}@example.com` })))
const DAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY']
const WEEK = 7 * 1_440

interface Rule {
  startMs: number
  endMs: number | null
  turnHours: number
  turns: (string | null)[]
  /** Minutes of the week; empty: always. */
  spans: { from: number; to: number }[]
}

function randomRule(): Rule {
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

/** Who is on duty by a rule: hours are elapsed time, days local time. */
function onDuty(zone: string, { startMs, endMs, turnHours, turns, spans }: Rule, atMs: number): string | null {
  if (atMs < startMs || (endMs !== null && atMs >= endMs)) return null
  const local = (ms: number) => ms + offsetMs(zone, ms)
  const passedMs = turnHours % 24 === 0 ? local(atMs) - local(startMs) : atMs - startMs
  // 1970-01-05 was a Monday.
  const minute = (Math.floor(local(atMs) / 60_000) - 4 * 1_440) % WEEK
  const isWithin =
    spans.length === 0 || spans.some(({ from, to }) => [0, WEEK].some((week) => from <= minute + week && minute + week < to))
  return isWithin ? (turns[Math.floor(passedMs / (turnHours * HOUR_MS)) % turns.length] ?? null) : null
}

const iso = (ms: number) => new Date(ms).toISOString()

const opsgenieRotation = ({ startMs, endMs, turnHours, turns, spans }: Rule, index: number) => {
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

const pagerDutyLayer = ({ startMs, endMs, turnHours, turns, spans }: Rule, index: number) => ({
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
function rotaOf(spec: Record<string, unknown>): Rota {
  const layers = (spec['layers'] as ScheduleLayerBody[]).map(({ user_ids: userIds, starts_at: from, ends_at: to, ...layer }) => ({
    user_ids: userIds,
    starts_at: Date.parse(from),
    ...(typeof to === 'string' && { ends_at: Date.parse(to) }),
    repeat: layer.repeat ?? null,
    restrictions: layer.restrictions ?? [],
  }))
  return { time_zone: String(spec['time_zone']), rota: { layers, overrides: [] } }
}

const SCHEDULES = 24 * roundsOf(20)
const INSTANTS = 40 * roundsOf(10)
/** The hours next to a change of the clock are those of the layers, which have a test of their own. */
const isNearChange = (zone: string, ms: number) => offsetMs(zone, ms - 6 * HOUR_MS) !== offsetMs(zone, ms + 6 * HOUR_MS)

function differencesOf(zone: string, rotas: readonly Rota[], expected: (atMs: number) => string[]) {
  const instants = Array.from({ length: INSTANTS }, () => NOW + 60_000 * below(365 * 1_440)).filter(
    (ms) => !isNearChange(zone, ms),
  )
  return instants.flatMap((ms) => {
    const ours = rotas.flatMap((rota) => shiftsIn(rota, { fromMs: ms, toMs: ms + 1 }, () => true)).map(({ userId }) => userId)
    const [here, there] = [[...new Set(ours)].toSorted(), [...new Set(expected(ms))].toSorted()]
    return here.join() === there.join() ? [] : [{ at: iso(ms), here, there }]
  })
}

it(`schedules of Opsgenie have the people on duty that their rotations say (TEST_SEED=${seed})`, { timeout: 300_000 }, () => {
  for (let number = 0; number < SCHEDULES; number += 1) {
    const [zone, rules] = [pick(ZONES), Array.from({ length: 1 + below(3) }, randomRule)]
    const schedule = { id: `s${number}`, name: 'S', timezone: zone, rotations: rules.map(opsgenieRotation) }
    const { resources, report } = readOpsgenie(new Map([['schedules/s.json', { schedule }]]), people, NOW)
    const found = differencesOf(
      zone,
      resources.map(({ spec }) => rotaOf(spec)),
      (ms) => rules.flatMap((rule) => onDuty(zone, rule, ms) ?? []),
    )
    expect({ schedule, report, found: found.slice(0, 3) }).toEqual({ schedule, report, found: [] })
  }
})

it(`schedules of PagerDuty have the people on duty that their layers say (TEST_SEED=${seed})`, { timeout: 300_000 }, () => {
  const users = { users: USERS.map((name) => ({ id: name, email: `${name}@example.com` })) }
  for (let number = 0; number < SCHEDULES; number += 1) {
    const [zone, rules] = [pick(ZONES), Array.from({ length: 1 + below(3) }, randomRule)]
    // The last layer counts, and is the first one in the file.
    const schedule = { id: 'P1', name: 'S', time_zone: zone, schedule_layers: rules.map(pagerDutyLayer).toReversed() }
    const files = new Map<string, unknown>([
      ['users.json', users],
      ['schedules/P1.json', { schedule }],
    ])
    const { resources, report } = readPagerDuty(files, people, NOW)
    const found = differencesOf(
      zone,
      resources.map(({ spec }) => rotaOf(spec)),
      (ms) => {
        const last = rules.map((rule) => onDuty(zone, rule, ms)).findLast((name) => name !== null)
        return last ? [last] : []
      },
    )
    expect({ schedule, report, found: found.slice(0, 3) }).toEqual({ schedule, report, found: [] })
  }
})
