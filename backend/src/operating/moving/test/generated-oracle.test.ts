import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DAY_MS } from '@vedette/shared'
import { readConfigureGlobal } from 'fast-check'
import { expect, it } from 'vitest'
import { roundsOf } from '../../../../../scripts/test-rounds.ts'
import { areParsersMissing, parseByPython } from '../../../../test/peer-parser.ts'
import { randomFrom } from '../../../../test/random.ts'
import { type Rota, shiftsAt, shiftsIn } from '../../../notifying/on-call/index.ts'
import { ZONES } from '../../../../test/clock-changes.ts'
import { readOpsgenie } from '../opsgenie/read.ts'
import { readPagerDuty } from '../pagerduty/read.ts'
import { NOW, opsgenieRotation, pagerDutyLayer, people, randomRule, rotaOf, type Rule, USERS } from './generated-rules.ts'

// What the readers make of schedules, against dateutil of Debian on the rules of the sources.

const seed = readConfigureGlobal()?.seed ?? randomInt(2 ** 31)
const random = randomFrom(seed)
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T

const INSTANTS = 100 * roundsOf(100)
const SCHEDULES_A_ZONE = roundsOf(3)
const YEAR = { fromMs: Date.parse('2027-01-01T00:00Z'), toMs: Date.parse('2028-01-01T00:00Z') }

const frequencyOf = (hours: number) =>
  hours % 168 === 0
    ? { frequency: 'WEEKLY', interval: hours / 168 }
    : hours % 24 === 0
      ? { frequency: 'DAILY', interval: hours / 24 }
      : { frequency: 'HOURLY', interval: hours }

/** A rule as the script reads it. */
const caseOf = (zone: string, { startMs, endMs, turnHours, turns, spans }: Rule, instants: readonly number[]) => ({
  zone,
  starts_at: startMs,
  ends_at: endMs,
  rule: frequencyOf(turnHours),
  spans: spans.map(({ from, to }) => {
    const day = Math.floor(from / 1_440)
    return { day: day % 7, from: from - day * 1_440, to: to - day * 1_440 }
  }),
  turns: turns.map((name) => (name === null ? [] : [name])),
  instants,
})

interface Drawn {
  tool: string
  rules: Rule[]
  rotas: Rota[]
  /** Whom the rules have on duty together. */
  combine(people: readonly string[][]): string[]
}

function opsgenie(zone: string, rules: Rule[]): Drawn {
  const schedule = { id: 's', name: 'S', timezone: zone, rotations: rules.map(opsgenieRotation) }
  const { resources } = readOpsgenie(new Map([['schedules/s.json', { schedule }]]), people, NOW)
  return { tool: 'opsgenie', rules, rotas: resources.map(({ spec }) => rotaOf(spec)), combine: (all) => all.flat() }
}

function pagerDuty(zone: string, rules: Rule[]): Drawn {
  const users = { users: USERS.map((name) => ({ id: name, email: `${name}@example.com` })) }
  // The last layer counts, and is the first one in the file.
  const schedule = { id: 'P1', name: 'S', time_zone: zone, schedule_layers: rules.map(pagerDutyLayer).toReversed() }
  const files = new Map<string, unknown>([
    ['users.json', users],
    ['schedules/P1.json', { schedule }],
  ])
  const { resources } = readPagerDuty(files, people, NOW)
  return {
    tool: 'pagerduty',
    rules,
    rotas: resources.map(({ spec }) => rotaOf(spec)),
    combine: (all) => all.findLast((some) => some.length > 0) ?? [],
  }
}

it.skipIf(areParsersMissing(['dateutil']))(
  `schedules of Opsgenie and PagerDuty have the people on duty that dateutil says, over both changes of the clock of 2027 (TEST_SEED=${seed})`,
  { timeout: 900_000 },
  () => {
    const script = readFileSync(join(import.meta.dirname, '../../../notifying/on-call/test/rota-oracle.py'), 'utf8')
    for (const [zone, ...changes] of ZONES) {
      const drawn = Array.from({ length: SCHEDULES_A_ZONE }, () => [opsgenie, pagerDuty]).flatMap((makers) =>
        makers.map((make) =>
          make(
            zone,
            Array.from({ length: 1 + Math.floor(random() * 3) }, () => randomRule(random)),
          ),
        ),
      )
      const instants = Array.from({ length: INSTANTS }, (_, index) =>
        index % 2 === 0
          ? Date.parse(pick(changes)) + Math.floor((random() - 0.5) * 4 * DAY_MS)
          : YEAR.fromMs + Math.floor(random() * (YEAR.toMs - YEAR.fromMs)),
      )
      const cases = drawn.flatMap(({ rules }) => rules.map((rule) => caseOf(zone, rule, instants)))
      const expected = parseByPython(script, JSON.stringify(cases)) as string[][][]
      let taken = 0
      for (const { tool, rules, rotas, combine } of drawn) {
        const own = expected.slice(taken, (taken += rules.length))
        const shifts = rotas.map((rota) => shiftsIn(rota, YEAR, () => true))
        const differing = instants.flatMap((atMs, place) => {
          const ours = [...new Set(shifts.flatMap((some) => shiftsAt(some, atMs)).map(({ userId }) => userId))].toSorted()
          const theirs = [...new Set(combine(own.map((one) => one[place] as string[])))].toSorted()
          return ours.join() === theirs.join() ? [] : [{ at: new Date(atMs).toISOString(), ours, theirs }]
        })
        expect({ tool, zone, rules, differing: differing.slice(0, 3) }).toEqual({ tool, zone, rules, differing: [] })
      }
    }
  },
)
