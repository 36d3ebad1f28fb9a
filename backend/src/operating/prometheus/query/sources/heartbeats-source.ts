import { countChecks } from '../../../../monitoring/checks/index.ts'
import { matches, type SeriesData } from '../../../../querying/promql/index.ts'
import type { Family } from '../../export/format.ts'
import { requireWithinBounds } from './bounds.ts'
import { toDoubles } from './check-samples.ts'
import { numbersOf, singlesFrom } from './check-series.ts'
import { type HeartbeatState, listHeartbeatStates, readPings } from './heartbeats-store.ts'
import { chooseMonitors, readStatusSteps, shownSteps } from './monitors-source.ts'
import { isNamed } from './names.ts'
import type { Scope, SeriesSource, Wanted } from './source.ts'
import { type Step, stepSamples, stepSeries } from './steps.ts'

const gauge = (name: string, help: string): Family => ({ name, type: 'gauge', help })
const FAMILIES = {
  lastPing: gauge('vedette_heartbeat_last_ping_timestamp_seconds', 'Unix time of the last ping that ended a run.'),
  duration: gauge('vedette_heartbeat_duration_seconds', 'How long the last run took whose duration is known.'),
  expected: gauge(
    'vedette_heartbeat_expected_timestamp_seconds',
    'Unix time at which the next ping should come, without the grace.',
  ),
} as const

/** What pings of heartbeats say. */
export function heartbeatsSource(): SeriesSource {
  return {
    families: Object.values(FAMILIES),
    mayHave: (matchers) => Object.values(FAMILIES).some(({ name }) => isNamed(matchers)(name)),
    list: async (scope, wanted) => (await read(scope, wanted)).map(({ labels }) => ({ ...labels })),
    read: async (scope, wanted) => ({ series: await read(scope, wanted) }),
  }
}

async function read(scope: Scope, wanted: Wanted): Promise<SeriesData[]> {
  const { from, organization, nowMs } = scope
  const monitors = await chooseMonitors(scope, wanted, 'heartbeat')
  if (monitors.length === 0) return []
  const numbers = numbersOf(monitors)
  const toMs = Math.min(wanted.toMs, nowMs)
  const fromMs = Math.min(Math.max(wanted.fromMs, singlesFrom(scope) - 1), toMs)
  // Each of these pings is a check.
  const checks = await countChecks(from.db, organization, numbers, { fromMs, toMs: toMs + 1 })
  const pings = [...checks.values()].reduce((sum, count) => sum + count, 0)
  requireWithinBounds({ series: 3 * monitors.length, samples: 2 * pings + 3 * monitors.length * stepSamples(wanted) })
  const [states, columns, statuses] = [
    new Map((await listHeartbeatStates(from.db, organization, numbers)).map((state) => [state.monitor, state])),
    new Map((await readPings(from.db, organization, numbers, { fromMs, toMs })).map((own) => [own.monitor, own])),
    await readStatusSteps(scope, wanted, monitors),
  ]
  return monitors.flatMap(({ monitor: { number }, labels }) => {
    const own = columns.get(number)
    const runs = runsOf(toDoubles(own?.atMs), toDoubles(own?.durationMs))
    const state = states.get(number)
    const shown = statuses.get(number) ?? []
    const add = ({ name }: Family, steps: readonly Step[]): SeriesData[] => {
      const all = { __name__: name, ...labels }
      const series = matches(wanted.matchers, all) ? stepSeries(all, shownSteps(steps, shown), wanted, scope) : undefined
      return series ? [series] : []
    }
    return [
      ...add(FAMILIES.lastPing, lastPings(runs, state, fromMs)),
      ...add(
        FAMILIES.duration,
        runs.flatMap(({ atMs, durationMs }) => (durationMs === undefined ? [] : [{ atMs, value: durationMs / 1_000 }])),
      ),
      ...add(FAMILIES.expected, expectedOf(state)),
    ]
  })
}

interface Run {
  atMs: number
  durationMs: number | undefined
}

const runsOf = (atMs: Float64Array, durationMs: Float64Array): Run[] =>
  Array.from(atMs, (at, index) => {
    const took = durationMs[index] as number
    return { atMs: at, durationMs: Number.isNaN(took) ? undefined : took }
  })

/** The last ping may be older than those that are kept. */
function lastPings(runs: readonly Run[], state: HeartbeatState | undefined, fromMs: number): Step[] {
  const steps = runs.map(({ atMs }) => ({ atMs, value: atMs / 1_000 }))
  const lastMs = state?.lastPingAtMs ?? null
  return steps.length === 0 && lastMs !== null && lastMs <= fromMs ? [{ atMs: lastMs, value: lastMs / 1_000 }] : steps
}

/** What was awaited before is not stored. */
const expectedOf = (state: HeartbeatState | undefined): Step[] =>
  state === undefined || state.expectedAtMs === null ? [] : [{ atMs: state.sinceMs, value: state.expectedAtMs / 1_000 }]
