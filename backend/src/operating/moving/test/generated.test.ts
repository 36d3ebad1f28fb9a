import { randomInt } from 'node:crypto'
import { HOUR_MS, offsetMs } from '@vedette/shared'
import { readConfigureGlobal } from 'fast-check'
import { expect, it } from 'vitest'
import { roundsOf } from '../../../../../scripts/test-rounds.ts'
import { randomFrom } from '../../../../test/random.ts'
import { type Rota, shiftsIn } from '../../../notifying/on-call/index.ts'
import { readOpsgenie } from '../opsgenie/read.ts'
import { readPagerDuty } from '../pagerduty/read.ts'
import { NOW, opsgenieRotation, pagerDutyLayer, people, randomRule, rotaOf, type Rule, USERS } from './generated-rules.ts'

// The layers that the readers make, against the rules of the sources evaluated for one instant after the other.

const seed = readConfigureGlobal()?.seed ?? randomInt(2 ** 31)
const random = randomFrom(seed)
const below = (most: number) => Math.floor(random() * most)
const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Sydney', 'America/Santiago']
const WEEK = 7 * 1_440

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
    const [zone, rules] = [pick(ZONES), Array.from({ length: 1 + below(3) }, () => randomRule(random))]
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
    const [zone, rules] = [pick(ZONES), Array.from({ length: 1 + below(3) }, () => randomRule(random))]
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
