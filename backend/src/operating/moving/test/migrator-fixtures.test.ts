import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DAY_MS } from '@vedette/shared'
import { readConfigureGlobal } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { areParsersMissing, parseByPython } from '../../../../test/peer-parser.ts'
import { shiftsAt, shiftsIn } from '../../../notifying/on-call/index.ts'
import type { SourceFiles } from '../files.ts'
import { type Tool, TOOLS } from '../index.ts'
import { peopleOf, type ReportRow } from '../model.ts'
import { rotaOf } from './generated-rules.ts'

/** `tools/migrators/lib/tests` of Grafana OnCall. */
const folder = process.env['TEST_MIGRATOR_FIXTURES']

interface Fixture {
  tool: string
  name: string
  schedule: { name: string; rotations?: unknown[]; overrides?: unknown[]; [key: string]: unknown }
  /** Who is on duty, from three clocks on: before it begins, when all of it has begun, in 2026. */
  clocks: { now: number; times: number[]; people: string[][] }[]
}

const INSTANTS = 500
const USERS = ['USER_ID_1', 'USER_ID_2', 'USER_ID_3', 'u1', 'u2', 'joeyorlando', 'joeyorlando1']
const emailOf = (user: string) => `${user}@example.com`
/** Ids of members are the names at the source. */
const people = peopleOf(USERS.map((id) => ({ id, email: emailOf(id) })))

/** The folder of an account that has one schedule. */
const FOLDERS: Readonly<Record<string, (schedule: Fixture['schedule']) => SourceFiles>> = {
  pagerduty: (schedule) =>
    new Map<string, unknown>([
      ['users.json', { users: USERS.map((id) => ({ id, email: emailOf(id) })) }],
      ['schedules/S1.json', { schedule: { id: 'S1', ...schedule } }],
      ['schedules/S1/overrides.json', { overrides: schedule.overrides }],
    ]),
  opsgenie: (schedule) =>
    new Map<string, unknown>([
      ...USERS.map((id) => [`users/${id}.json`, { user: { id, username: emailOf(id) } }] as const),
      ['schedules/s1.json', { schedule, scheduleOverrideList: [] }],
    ]),
  'splunk-oncall': ({ rotations, overrides }) =>
    new Map<string, unknown>([
      ['user.json', { users: USERS.map((username) => ({ username, email: emailOf(username) })) }],
      ['team/ops/rotations.json', { rotations }],
      ['team/ops/oncall/schedule.json', { schedules: [{ overrides }] }],
    ]),
}

type Outcome = 'exact' | 'changed and said' | 'refused and said' | 'silently wrong'

function outcomeOf({ tool, schedule }: Fixture, { now, times, people: theirs }: Fixture['clocks'][number]) {
  const files = (FOLDERS[tool] as (typeof FOLDERS)[string])(schedule)
  const { resources, report } = (TOOLS[tool] as Tool).read(files, people, now)
  const rows = report.filter(({ source }) => ['schedule', 'rotation', 'override'].includes(source.kind))
  const range = { fromMs: now, toMs: now + 501 * DAY_MS }
  const shifts = resources.flatMap(({ kind, spec }) => (kind === 'schedule' ? shiftsIn(rotaOf(spec), range, () => true) : []))
  const differing = times.filter((atMs, index) => {
    const ours = [...new Set(shiftsAt(shifts, atMs).map(({ userId }) => userId))].toSorted()
    return ours.join() !== theirs[index]?.join()
  })
  return { outcome: deriveOutcome(rows, differing.length > 0), rows, differing }
}

function deriveOutcome(rows: readonly ReportRow[], differs: boolean): Outcome {
  if (rows.some(({ fidelity }) => fidelity === 'refused')) return 'refused and said'
  if (rows.some(({ fidelity }) => fidelity !== 'exact')) return 'changed and said'
  return differs ? 'silently wrong' : 'exact'
}

describe.skipIf(areParsersMissing(['dateutil']))('the schedules of the tests of Grafana’s migrators', () => {
  it('are exact to 98 %, and none is silently wrong', { timeout: 120_000 }, () => {
    const script = readFileSync(join(import.meta.dirname, 'migrator-fixtures.py'), 'utf8')
    const seed = readConfigureGlobal()?.seed ?? randomInt(2 ** 31)
    const fixtures = parseByPython(script, JSON.stringify({ folder, seed, count: INSTANTS })) as Fixture[]
    const figures = ['before it begins', 'all has begun', 'in 2026'].map((clock, index) => {
      const outcomes = fixtures.map((fixture) => {
        const { outcome, rows, differing } = outcomeOf(fixture, fixture.clocks[index] as Fixture['clocks'][number])
        const first = differing.slice(0, 2).map((ms) => new Date(ms).toISOString())
        const said = rows.flatMap(({ changes, reason }) => [...changes, ...(reason === null ? [] : [reason])])
        const figures = `${differing.length} of ${INSTANTS} instants differ, first ${first.join()}`
        if (outcome !== 'exact')
          console.info(`${clock}: ${fixture.tool} ${fixture.name}: ${outcome}, ${figures}: ${said.join('; ')}`)
        return outcome
      })
      const counts = Object.fromEntries([...Map.groupBy(outcomes, (one) => one)].map(([one, all]) => [one, all.length]))
      console.info(`figure: ${clock}: ${fixtures.length} schedules: ${JSON.stringify(counts)} (TEST_SEED=${seed})`)
      return { wrong: counts['silently wrong'] ?? 0, exact: (counts['exact'] ?? 0) / fixtures.length }
    })
    expect(fixtures.length).toBeGreaterThanOrEqual(18)
    for (const { wrong } of figures) expect(wrong).toBe(0)
    for (const { exact } of figures.slice(1)) expect(exact).toBeGreaterThanOrEqual(0.98)
  })
})
