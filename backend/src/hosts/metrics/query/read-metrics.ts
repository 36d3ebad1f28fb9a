import { DAY_MS } from '@vedette/shared'
import type { DimensionKind, MetricGroup, ServerMetrics } from '@vedette/shared'
import { ALL_FIELDS, METRIC_GROUPS, toTimestamp } from '@vedette/shared'
import type { Tenant } from '../../../access/auth/index.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Db, Reader, ReadSource } from '../../../platform/db/index.ts'
import { encodeId } from '../../../platform/ids.ts'
import { yieldToEventLoop } from '../../../platform/concurrency/yield-to-event-loop.ts'
import type { ItemExtras, SampleSource, Snapshot } from '../../servers/index.ts'
import {
  alignWindow,
  chooseStep,
  columnsOf,
  mergeSamples,
  Series,
  type StoredPiece,
  Summary,
  type Window,
} from '../aggregate/index.ts'
import { newestSample, toMetricGroups, toMetricSeries, toSnapshot } from './answer.ts'
import type { CachedServer, ServerCache } from './server-cache.ts'
import { KNOWN_FIELD_IDS, type SampleColumns } from '@vedette/shared/metrics/block'
import type { ProcessBuffer } from '../ingest/process-buffer.ts'
import { checkBy, readBy } from './read-by.ts'
import type { StateBuffer } from '../ingest/state-buffer.ts'
import { createSampleReader, type SampleReader, type Sinks } from './sample-reader.ts'
import { HOUR_MS } from '../storage/schedule.ts'
import { readNewestHours } from '../storage/hour-store.ts'
import { pieceOf, toPiece } from '../storage/hour.ts'
import { readHoursOfDay } from '../storage/day-samples.ts'
import { findNewestHours, readHoursOfDays } from '../storage/day-store.ts'
import type { ServerSet } from '../storage/keys.ts'
import { deletePushes, readNewestPieces } from '../storage/push-store.ts'
import { resolveWindow, type WindowRequest } from './window.ts'

export interface ReadDeps {
  db: Db
  /** Where stored samples are read, which may be a replica. */
  from: ReadSource
  samples: SampleReader
  servers: ServerCache
  clock: Clock
  states: StateBuffer
  sampleIntervalSeconds: number
  /** How long samples are kept one by one. */
  rawRetentionMs: number
}

export interface MetricsRequest extends WindowRequest {
  metrics?: string
  points?: number
  by?: DimensionKind
}

/**
 * What a server measured over a period that ends now, or over a range; of what is longer than the plan lets read, its last part.
 * Throws not_found across organizations, validation_error for a range that makes no sense.
 */
export async function readMetrics(
  deps: ReadDeps,
  tenant: Tenant,
  serverId: string,
  request: MetricsRequest,
): Promise<ServerMetrics> {
  const guess = deps.servers.cached(tenant.number, serverId)
  const answer = guess && (await readAs(deps, tenant, serverId, guess, request))
  if (answer) return answer
  const found = await deps.servers.find(tenant.number, serverId)
  // Another look-up would meet another change: what was just found is what counts.
  return (await readAs(deps, tenant, serverId, found, request, () => true)) as ServerMetrics
}

/** Undefined when the server is not as known any more. */
async function readAs(
  deps: ReadDeps,
  tenant: Tenant,
  serverId: string,
  cached: CachedServer,
  request: MetricsRequest,
  isAsKnown = (found: { server: number | undefined; plan: string | undefined }) =>
    found.server === cached.server && found.plan === cached.plan,
): Promise<ServerMetrics | undefined> {
  const { server, plan } = cached
  const groups = groupsOf(request.metrics)
  checkBy(request.by, groups)
  const { sampleIntervalSeconds, rawRetentionMs } = deps
  const readable = { plan, nowMs: deps.clock.now(), sampleIntervalSeconds, rawRetentionMs }
  const { window, period, finestSeconds } = resolveWindow(request, readable)
  const summary = new Summary(window)
  const steps = request.points === undefined ? undefined : stepsOf(window, request.points, finestSeconds)
  const series = steps && new Series(steps.window, steps.stepMs)
  const sinks: Sinks = series ? { summary, series } : { summary }
  const isRead = await deps.samples.read(deps.from, {
    organization: tenant.number,
    servers: [server],
    ...spanOf(window, steps?.window),
    groups: request.by === undefined ? groups : [...groups, request.by],
    stepMs: steps?.stepMs,
    sinksOf: () => sinks,
    server: { id: serverId, isAsKnown },
  })
  if (!isRead) return undefined
  const owner = { organization: tenant.number, number: server, id: serverId }
  return {
    server_id: encodeId('server', serverId),
    period,
    metrics: toMetricGroups(summary.totals(), groups),
    ...(series ? { series: toMetricSeries(series.points(), groups) } : {}),
    ...(request.by === undefined ? {} : await readBy(deps, owner, request.by, summary, series)),
  }
}

function groupsOf(metrics: string | undefined): MetricGroup[] {
  const wanted = metrics?.split(',')
  return METRIC_GROUPS.filter((group) => wanted?.includes(group) ?? true)
}

function stepsOf(window: Window, points: number, finestSeconds: number): { window: Window; stepMs: number } {
  const stepMs = chooseStep(window.toMs - 1 - window.fromMs, points, finestSeconds) * 1_000
  return { window: alignWindow({ fromMs: window.fromMs, toMs: window.toMs - 1 }, stepMs), stepMs }
}

/** What two windows cover together, and what lies in both. */
function spanOf(one: Window, other: Window = one): { window: Window; core: Window } {
  return {
    window: { fromMs: Math.min(one.fromMs, other.fromMs), toMs: Math.max(one.toMs, other.toMs) },
    core: { fromMs: Math.max(one.fromMs, other.fromMs), toMs: Math.min(one.toMs, other.toMs) },
  }
}

export interface SourceDeps {
  reader: Reader
  clock: Clock
  states: StateBuffer
  processes: ProcessBuffer
}

/** What the server lists ask of the samples. */
export function sampleSource({ reader, clock, states, processes }: SourceDeps): SampleSource {
  const samples = createSampleReader()
  return {
    newestSamples: (organization, servers) =>
      reader((from) => readNewestSamples(from, organization, servers, clock.now() - RAW_RANGE_MS)),
    sparklines: (organization, servers) =>
      reader((from) => readSparklines({ from, samples }, { organization, servers }, clock.now())),
    freshState: (serverId) => states.fresh(serverId),
    pendingProcesses: (serverId) => processes.waiting(serverId),
    deleteSamples: deletePushes,
  }
}

/** Some milliseconds of work: a list by load shows the snapshots of all servers, and pushes do not wait for that. */
const SNAPSHOTS_AT_ONCE = 25

/** How long ago a push may have come to be shown as the newest. */
const RAW_RANGE_MS = 9 * DAY_MS

async function readNewestSamples(from: ReadSource, organization: number, servers: readonly number[], sinceMs: number) {
  const pieces = Map.groupBy(await readNewestPieces(from, organization, servers, sinceMs), ({ server }) => server)
  // The pushes of a server that is long silent are gone; its last hour is kept longer.
  const silent = servers.filter((server) => !pieces.has(server))
  if (silent.length > 0) {
    for (const piece of await newestHours(from.db, { organization, servers: silent })) pieces.set(piece.server, [piece])
  }
  const newest = new Map<number, NonNullable<Snapshot>>()
  for (const [server, own] of pieces) {
    const { atMs, values } = newestSample(samplesOf(own))
    newest.set(server, toSnapshot(atMs, values))
    if (newest.size % SNAPSHOTS_AT_ONCE === 0) await yieldToEventLoop()
  }
  return newest
}

/** The newest compacted hour of each of these servers. */
async function newestHours(db: Db, set: ServerSet): Promise<(StoredPiece & { server: number })[]> {
  const hours = await readNewestHours(db, set)
  const found = new Set(hours.map(({ server }) => server))
  const others = await findNewestHours(db, { ...set, servers: set.servers.filter((server) => !found.has(server)) })
  const chapters = Map.groupBy(await readHoursOfDays(db, set.organization, others), ({ server }) => server)
  return [
    ...hours.map((row) => ({ server: row.server, ...toPiece(row, KNOWN_FIELD_IDS) })),
    ...[...chapters].flatMap(([server, own]) =>
      readHoursOfDay(own[0]?.hour ?? 0, own, KNOWN_FIELD_IDS).map(({ hour, columns }) => ({ server, ...pieceOf(hour, columns) })),
    ),
  ]
}

/** Nearly always there is one. */
function samplesOf(pieces: StoredPiece[]): SampleColumns {
  const [first, ...others] = pieces
  if (first && others.length === 0) return columnsOf(first, KNOWN_FIELD_IDS)
  return mergeSamples(pieces.sort((left, right) => left.t0Ms - right.t0Ms))
}

const SPARKLINE_HOURS = 24

/** What is drawn of a server in a list, and nothing else of its samples: a page of them is decoded and divided in one go. */
const SPARKLINE_FIELDS = { cpu: fieldIdNamed('cpu'), memory: fieldIdNamed('memory') } as const
const SPARKLINE_IDS: ReadonlySet<number> = new Set(Object.values(SPARKLINE_FIELDS))
const NO_MEANS = Array.from({ length: SPARKLINE_HOURS }, () => null)

function fieldIdNamed(group: MetricGroup): number {
  return (ALL_FIELDS.find((field) => field.group === group && field.name === 'percent') as { id: number }).id
}

/** Hourly means of cpu and memory over the last day, the hour under way included. */
async function readSparklines(
  { from, samples }: { from: ReadSource; samples: SampleReader },
  set: { organization: number; servers: readonly number[] },
  nowMs: number,
) {
  const window = alignWindow({ fromMs: nowMs + 1 - SPARKLINE_HOURS * HOUR_MS, toMs: nowMs + 1 }, HOUR_MS)
  const series = new Map(set.servers.map((server) => [server, new Series(window, HOUR_MS)]))
  const sinksOf = (server: number): Sinks => {
    const own = series.get(server)
    return own ? { series: own } : {}
  }
  const groups = ['cpu', 'memory'] as const
  await samples.read(from, { ...set, ...spanOf(window), groups, fieldIds: SPARKLINE_IDS, stepMs: HOUR_MS, sinksOf })
  return new Map([...series].map(([server, own]) => [server, toSparkline(own, window.fromMs)]))
}

function toSparkline(series: Series, fromMs: number): NonNullable<ItemExtras['sparkline']> {
  const { fields } = series.points()
  const meansOf = (id: number) => fields.get(id)?.avg ?? NO_MEANS
  return {
    from: toTimestamp(fromMs),
    step_seconds: HOUR_MS / 1000,
    cpu_percent: meansOf(SPARKLINE_FIELDS.cpu),
    memory_percent: meansOf(SPARKLINE_FIELDS.memory),
  }
}
