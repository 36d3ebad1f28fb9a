import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DAY_MS, HOUR_MS, WEEKDAYS } from '@vedette/shared'
import { readConfigureGlobal } from 'fast-check'
import { expect, it } from 'vitest'
import { roundsOf } from '../../../../../scripts/test-rounds.ts'
import { ZONES } from '../../../../test/clock-changes.ts'
import { areParsersMissing, parseByPython } from '../../../../test/peer-parser.ts'
import { randomFrom } from '../../../../test/random.ts'
import { shiftsAt, shiftsIn } from '../rota.ts'
import type { StoredRota } from '../store.ts'

type Layer = StoredRota['layers'][number]

const seed = readConfigureGlobal()?.seed ?? randomInt(2 ** 31)
const random = randomFrom(seed)
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T

const TURNS: readonly Layer['user_ids'][] = [['ada'], ['ada', 'ben', 'cem'], [['ada', 'ben'], 'cem'], [['ada', 'ben'], [], 'dee']]
const RULES = [
  null,
  ...[1, 2, 7].map((interval) => ({ frequency: 'DAILY', interval })),
  ...[1, 2].map((interval) => ({ frequency: 'WEEKLY', interval })),
  { frequency: 'WEEKLY', interval: 1, byday: ['MO', 'FR'] },
  { frequency: 'MONTHLY', interval: 1 },
  ...[1, 5, 8, 12, 36, 168].map((interval) => ({ frequency: 'HOURLY', interval })),
]

/** Hours as they are stored, and as minutes from the midnight of a weekday, which may end days later. */
const all = (from: number, to: number, days = [0, 1, 2, 3, 4, 5, 6]) => days.map((day) => ({ day, from, to }))
const hours = (days: readonly number[], from: string, to: string): Layer['restrictions'][number] => ({
  days: days.map((day) => WEEKDAYS[day] as (typeof WEEKDAYS)[number]),
  from,
  to,
})
const WORKDAYS = [0, 1, 2, 3, 4]
const RESTRICTIONS = [
  { restrictions: [], spans: [] },
  { restrictions: [hours(WORKDAYS, '09:00', '17:30')], spans: all(540, 1_050, WORKDAYS) },
  { restrictions: [hours([5, 6], '22:00', '06:00')], spans: all(1_320, 1_800, [5, 6]) },
  { restrictions: [hours([5, 6], '02:30', '03:15')], spans: all(150, 195, [5, 6]) },
  {
    // From Friday 18:00 to Monday 08:00, split by day.
    restrictions: [hours([4], '18:00', '00:00'), hours([5, 6], '00:00', '00:00'), hours([0], '00:00', '08:00')],
    spans: [{ day: 4, from: 1_080, to: 3 * 1_440 + 480 }],
  },
]

const INSTANTS = 100 * roundsOf(100)
const LAYERS_A_ZONE = 8
const YEAR = { fromMs: Date.parse('2027-01-01T00:00Z'), toMs: Date.parse('2028-01-01T00:00Z') }

function caseOf([zone, ...changes]: (typeof ZONES)[number]) {
  const startsAt = Date.parse('2026-12-01T00:00Z') + Math.floor(random() * 60 * 48) * (HOUR_MS / 2)
  const endsAt = random() < 0.3 ? YEAR.fromMs + Math.floor(random() * 360) * DAY_MS + HOUR_MS : null
  const rule = pick(RULES)
  const { restrictions, spans } = pick(RESTRICTIONS)
  const userIds = pick(TURNS)
  const byday = rule && 'byday' in rule ? `;BYDAY=${rule.byday.join(',')}` : ''
  const layer: Layer = {
    user_ids: userIds,
    starts_at: startsAt,
    ...(endsAt !== null && { ends_at: endsAt }),
    repeat: rule && `FREQ=${rule.frequency};INTERVAL=${rule.interval}${byday}`,
    restrictions,
  }
  const near = () => Date.parse(pick(changes)) + Math.floor((random() - 0.5) * 4 * DAY_MS)
  const far = () => YEAR.fromMs + Math.floor(random() * (YEAR.toMs - YEAR.fromMs))
  const instants = Array.from({ length: INSTANTS }, (_, index) => (index % 2 === 0 ? near() : far()))
  const turns = userIds.map((turn) => [turn].flat())
  return { layer, given: { zone, starts_at: startsAt, ends_at: endsAt, rule, spans, turns, instants } }
}

it.skipIf(areParsersMissing(['dateutil']))(
  `generated layers have the same people on duty as dateutil of Debian says, over both changes of the clock (TEST_SEED=${seed})`,
  { timeout: 600_000 },
  () => {
    const cases = ZONES.flatMap((zone) => Array.from({ length: LAYERS_A_ZONE }, () => caseOf(zone)))
    const script = readFileSync(join(import.meta.dirname, 'rota-oracle.py'), 'utf8')
    const expected = parseByPython(script, JSON.stringify(cases.map(({ given }) => given))) as string[][][]
    for (const [index, { layer, given }] of cases.entries()) {
      const shifts = shiftsIn({ time_zone: given.zone, rota: { layers: [layer], overrides: [] } }, YEAR, () => true)
      const differing = given.instants.flatMap((atMs, place) => {
        const ours = shiftsAt(shifts, atMs).map(({ userId }) => userId)
        const theirs = expected[index]?.[place]
        return ours.toSorted().join() === theirs?.toSorted().join() ? [] : { at: new Date(atMs).toISOString(), ours, theirs }
      })
      expect({ zone: given.zone, layer, differing: differing.slice(0, 3) }).toEqual({ zone: given.zone, layer, differing: [] })
    }
  },
)
