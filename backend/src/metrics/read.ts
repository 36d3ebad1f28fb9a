import type { MetricGroup, MetricPeriod, ServerMetrics } from '@vedette/shared'
import { METRIC_GROUPS, METRIC_PERIODS, oldestReadableMs, toTimestamp } from '@vedette/shared'
import type { Tenant } from '../auth/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db/index.ts'
import { notFound } from '../platform/errors.ts'
import { encodeId } from '../platform/ids.ts'
import { nextTurn } from '../platform/turn.ts'
import { findPlan } from '../plans/index.ts'
import { findServerNumber, type ItemExtras, type SampleSource, type Snapshot } from '../servers/index.ts'
import {
  alignWindow,
  chooseStep,
  fieldIdsOf,
  mergeSamples,
  newestSample,
  PieceMerger,
  type SampleSink,
  Series,
  type StoredPiece,
  Summary,
  toMetricGroups,
  toMetricSeries,
  toSnapshot,
  type Window,
} from './aggregate.ts'
import type { StateBuffer } from './state-buffer.ts'
import { deletePushes, readNewestPieces, readPieces } from './store.ts'

export interface ReadDeps {
  db: Db
  clock: Clock
  sampleIntervalSeconds: number
}

export interface MetricsRequest {
  period?: MetricPeriod
  metrics?: string
  points?: number
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/**
 * What a server measured over a period that ends now; of a period longer than the plan lets read, its last part. Throws
 * not_found across organizations.
 */
export async function readMetrics(
  deps: ReadDeps,
  tenant: Tenant,
  serverId: string,
  request: MetricsRequest,
): Promise<ServerMetrics> {
  const { period = '1h' } = request
  const server = await findServerNumber(deps.db, tenant.number, serverId)
  if (server === undefined) throw notFound()
  const now = deps.clock.now()
  const groups = groupsOf(request.metrics)
  // A sample taken at this very millisecond belongs to the period.
  const oldestMs = oldestReadableMs(await findPlan(deps.db, tenant.number), now)
  const window = { fromMs: Math.max(now - METRIC_PERIODS[period], oldestMs), toMs: now + 1 }
  const summary = new Summary(window)
  const series = request.points === undefined ? undefined : createSeries(window, request.points, deps.sampleIntervalSeconds)
  const sinks: SampleSink[] = series ? [summary, series] : [summary]
  await addPieces(await readPieces(deps.db, tenant.number, server, window), new PieceMerger(window, sinks, fieldIdsOf(groups)))
  return {
    server_id: encodeId('server', serverId),
    period,
    metrics: toMetricGroups(summary.totals(), groups),
    ...(series ? { series: toMetricSeries(series.points(), groups) } : {}),
  }
}

function groupsOf(metrics: string | undefined): MetricGroup[] {
  const wanted = metrics?.split(',')
  return METRIC_GROUPS.filter((group) => wanted?.includes(group) ?? true)
}

function createSeries(window: Window, points: number, sampleIntervalSeconds: number): Series {
  const stepMs = chooseStep(window.toMs - 1 - window.fromMs, points, sampleIntervalSeconds) * 1_000
  return new Series(alignWindow({ fromMs: window.fromMs, toMs: window.toMs - 1 }, stepMs), stepMs)
}

/** Pieces decoded between two looks at other requests: some 2 ms. */
const PIECES_A_TURN = 500

/** Takes pieces in slices: a week of one server is 10,000 of them, and others wait for the loop. */
async function addPieces(pieces: readonly StoredPiece[], merger: PieceMerger): Promise<void> {
  for (const [index, piece] of pieces.entries()) {
    if (index > 0 && index % PIECES_A_TURN === 0) await nextTurn()
    merger.add(piece)
  }
  merger.finish()
}

/** What the server lists ask of the samples. */
export function sampleSource({ db, clock, states }: { db: Db; clock: Clock; states: StateBuffer }): SampleSource {
  return {
    newestSamples: (organization, servers) => readNewestSamples(db, organization, servers, clock.now() - RAW_LOOK_BACK_MS),
    sparklines: async (organization, servers) => {
      const sparklines = new Map<number, NonNullable<ItemExtras['sparkline']>>()
      for (const server of servers) sparklines.set(server, await readSparkline(db, organization, server, clock.now()))
      return sparklines
    },
    freshState: (serverId) => states.fresh(serverId),
    deleteSamples: deletePushes,
  }
}

/** How long ago a push may have come to be shown as the newest. */
const RAW_LOOK_BACK_MS = 9 * DAY_MS

async function readNewestSamples(db: Db, organization: number, servers: readonly number[], sinceMs: number) {
  const pieces = Map.groupBy(await readNewestPieces(db, organization, servers, sinceMs), ({ server }) => server)
  const newest = new Map<number, NonNullable<Snapshot>>()
  for (const [server, own] of pieces) {
    const { atMs, values } = newestSample(mergeSamples(own.sort((left, right) => left.t0Ms - right.t0Ms)))
    newest.set(server, toSnapshot(atMs, values))
  }
  return newest
}

const SPARKLINE_HOURS = 24

/** Hourly means of cpu and memory over the last day, the hour under way included. */
async function readSparkline(
  db: Db,
  organization: number,
  server: number,
  nowMs: number,
): Promise<NonNullable<ItemExtras['sparkline']>> {
  const window = alignWindow({ fromMs: nowMs + 1 - SPARKLINE_HOURS * HOUR_MS, toMs: nowMs + 1 }, HOUR_MS)
  const series = new Series(window, HOUR_MS)
  await addPieces(
    await readPieces(db, organization, server, window),
    new PieceMerger(window, [series], fieldIdsOf(['cpu', 'memory'])),
  )
  const { cpu, memory } = toMetricSeries(series.points(), ['cpu', 'memory'])
  const nothing = Array.from({ length: SPARKLINE_HOURS }, () => null)
  return {
    from: toTimestamp(window.fromMs),
    step_seconds: HOUR_MS / 1000,
    cpu_percent: cpu?.['percent']?.avg ?? nothing,
    memory_percent: memory?.['percent']?.avg ?? nothing,
  }
}
