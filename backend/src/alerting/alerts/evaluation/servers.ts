import { HOUR_MS, SEVERITIES } from '@vedette/shared'
import { type DerivedHealth, evaluateHealth } from '../../../hosts/health/index.ts'
import { createLiveWindows, decodePushes, fieldIdOf, type LiveWindows, readLive } from '../../../hosts/metrics/index.ts'
import { createNodeLanes, inTransaction } from '../../../platform/db/index.ts'
import { findUpSince, readPresence } from '../../../hosts/servers/index.ts'
import { listOpenOfTargets } from '../../incidents/index.ts'
import { appliesTo } from '../rules/rule.ts'
import { listServerRules } from '../rules/store.ts'
import type { Evaluator } from './evaluator.ts'
import { evaluateEntities } from './entity-rules.ts'
import { createFleet, type Fleet, type FleetDeps, nextDueMs, startOver, takeDue, updateFleet } from './fleet.ts'
import { createForecastEvaluator, type ForecastEvaluator } from './forecast-rules.ts'
import { evaluateHealthRules } from './health-rules.ts'
import { evaluateHostCertificates } from './host-certificate-rules.ts'
import { createMeanReader, type MeanReader } from './means.ts'
import { createMountCache, type MountCache } from './mounts.ts'
import { resolveOrphanedIncidents } from './apply-finding.ts'
import { applyServerResult, type ServerResult } from './apply-server-result.ts'
import { evaluateStatus, type Presence, presenceOf, publishPresenceChange } from './server-presence.ts'
import { noteEvaluated, readPushes } from './server-pushes.ts'
import { type DueServer, evaluateSamples } from './server-samples.ts'
import { nextEvaluationAt, type TrackedServer } from './server-schedule.ts'
import { FILESYSTEM_METRIC } from './server-values.ts'

// Every server is evaluated right after its next push is expected, or after one that came before that, in one query for all that are
// due, and from what is stored: it does not matter which instance received the push. Only the schedule and caches are in memory.

interface ServerEvaluatorDeps extends FleetDeps {
  pushIntervalSeconds: number
}

interface Caches {
  mounts: MountCache
  windows: LiveWindows
  means: MeanReader
  forecasts: ForecastEvaluator
}

interface EvaluationContext extends ServerEvaluatorDeps, Caches {
  fleet: Fleet
  /** Since when an instance accepts pushes, ms; undefined: none does, and no server counts as offline. */
  upSinceMs: number | undefined
  nowMs: number
  /** Later than now where the clock has just stepped back: until then samples are read. */
  untilMs: number
}

/** Servers per query. */
const AT_ONCE = 500
/** The longest pause between evaluations of an offline server; its next push may be announced. */
const [AWAY_EVERY_MS, ANNOUNCED_AWAY_EVERY_MS] = [60_000, HOUR_MS]
/** When servers are evaluated again whose pushes could not be read: nobody knows whether they are offline. */
const NODE_AWAY_MS = 5_000
/** When servers are evaluated whose node is still busy with earlier ones. */
const NODE_BUSY_MS = 1_000

export function createServerEvaluator(deps: ServerEvaluatorDeps): Evaluator {
  const { db, clock } = deps
  const fleet = createFleet(deps)
  const windows = createLiveWindows({ db, clock })
  const means = createMeanReader(windows, clock)
  const caches = { mounts: createMountCache(db), windows, means, forecasts: createForecastEvaluator(db) }
  const inLanes = createNodeLanes(deps)
  let lastMs = clock.now()
  const dueMs = () => nextDueMs(fleet)
  return {
    isDue: () => {
      const nowMs = clock.now()
      return nowMs < lastMs || dueMs() <= nowMs
    },
    dueMs,
    evaluate: async () => {
      const nowMs = clock.now()
      const untilMs = Math.max(nowMs, lastMs)
      if (nowMs < lastMs) startOver(fleet, nowMs)
      lastMs = nowMs
      await updateFleet(fleet, nowMs)
      if (!fleet.queue.isDue(nowMs)) return
      const upSinceMs = (await findUpSince(db, new Date(nowMs)))?.getTime()
      const due = takeDue(fleet, nowMs)
      const context = { ...deps, ...caches, fleet, upSinceMs, nowMs, untilMs }
      try {
        const left = await inLanes(due, (some) => evaluateDue(context, some))
        for (const one of left) one.dueMs = nowMs + NODE_BUSY_MS
        addAgain(fleet, left)
      } catch (error) {
        // It may have failed before it came to any of them.
        addAgain(fleet, due)
        throw error
      }
    },
  }
}

/** After an error the remaining servers stay due. */
async function evaluateDue(context: EvaluationContext, due: readonly TrackedServer[]): Promise<void> {
  let at = 0
  try {
    for (; at < due.length; at += AT_ONCE) {
      const some = due.slice(at, at + AT_ONCE)
      await evaluateBatch(context, some)
      addAgain(context.fleet, some)
    }
  } finally {
    addAgain(context.fleet, due.slice(at))
  }
}

/** Each for its `dueMs`; added twice it is taken once. */
function addAgain({ tracked, queue }: Fleet, some: readonly TrackedServer[]): void {
  for (const one of some) if (tracked.get(one.id) === one) queue.add(one)
}

async function evaluateBatch(context: EvaluationContext, due: readonly TrackedServer[]): Promise<void> {
  const dueServers = await readDueServers(context, due)
  const measured = dueServers.filter(
    ({ rules, pushes }) => pushes.length > 0 && rules.some(({ metric }) => metric === FILESYSTEM_METRIC),
  )
  await context.mounts.load(measured.map(({ tracked }) => tracked))
  const sampleResults = await evaluateSamples(context, dueServers)
  const entityResults = await evaluateEntities(context, dueServers)
  const forecastResults = await context.forecasts.evaluate(dueServers, context.nowMs)
  const certificateResults = await evaluateHostCertificates(context.db, dueServers, context.nowMs)
  const health = await deriveDue(context, dueServers)
  for (const [index, one] of dueServers.entries())
    await evaluateServer(context, one, [
      ...[sampleResults, entityResults, forecastResults, certificateResults].flatMap((results) => results[index] ?? []),
      ...evaluateHealthRules(one, health.get(one.server.id), context.nowMs),
    ])
}

/** The health of those that pushed since their last evaluation. */
function deriveDue(
  { db, nowMs, forecasts }: EvaluationContext,
  dueServers: readonly DueServer[],
): Promise<Map<string, DerivedHealth>> {
  const pushed = dueServers.filter(({ pushes }) => pushes.some(({ block }) => block !== null))
  const servers = pushed.map(({ server }) => server)
  const pushesOf = new Map(pushed.map(({ server, pushes }) => [server.id, pushes]))
  const failedUnitsOf = ({ id }: DueServer['server']) =>
    readLive(decodePushes(pushesOf.get(id) ?? [], FAILED_UNITS))
      .values()
      .next().value?.newest
  return evaluateHealth(db, servers, new Date(nowMs), { forecastOf: forecasts.ofHealth(nowMs), failedUnitsOf })
}

const FAILED_UNITS: ReadonlySet<number> = new Set([fieldIdOf('host.failed_units') ?? 0])

/** With what is read for all of them; without those that were deleted, or whose node is away. */
async function readDueServers(context: EvaluationContext, due: readonly TrackedServer[]): Promise<DueServer[]> {
  const { db, nowMs, untilMs, fleet } = context
  const organizations = [...new Set(due.map(({ organization }) => organization))]
  const ids = due.map(({ id }) => id)
  const [seen, rules, openIncidents, pushes] = await Promise.all([
    readPresence(db, due),
    listServerRules(db, organizations),
    listOpenOfTargets(db, organizations, ids),
    readPushes(db, due, nowMs, untilMs),
  ])
  const servers = new Map(seen.map((server) => [server.id, server]))
  const rulesOf = Map.groupBy(rules, ({ organization }) => organization)
  const openOf = Map.groupBy(openIncidents, ({ target_id }) => target_id)
  return due.flatMap((tracked, index): DueServer[] => {
    const server = servers.get(tracked.id)
    const recent = pushes[index]
    if (!server) fleet.tracked.delete(tracked.id)
    else if (!recent) tracked.dueMs = nowMs + NODE_AWAY_MS
    if (!server || !recent) return []
    const own = (rulesOf.get(tracked.organization) ?? []).filter((rule) => appliesTo(rule, { type: 'server', ...server }))
    const open = new Set((openOf.get(server.id) ?? []).map(({ rule_id }) => rule_id))
    return [{ tracked, server, rules: own, open, pushes: recent }]
  })
}

async function evaluateServer(
  context: EvaluationContext,
  dueServer: DueServer,
  ofSamples: readonly ServerResult[],
): Promise<void> {
  const { db, nowMs } = context
  const { tracked, server, rules, open, pushes } = dueServer
  const presence = presenceOf(dueServer, context)
  await publishPresenceChange(db, dueServer, presence, nowMs)
  const known = new Set(rules.map(({ id }) => id))
  if ([...open].some((id) => !known.has(id)))
    await inTransaction(db, (transaction) =>
      resolveOrphanedIncidents(transaction, tracked.organization, server.id, known, new Date(nowMs)),
    )
  // The worst first: what several rules say of one thing is notified once, unless it becomes critical.
  for (const result of [...evaluateStatus(dueServer, presence, nowMs), ...ofSamples].toSorted(bySeverity))
    await applyServerResult(db, tracked.organization, server.id, result)
  noteEvaluated(tracked, pushes, nowMs)
  tracked.dueMs = nextDueOf(context, dueServer, presence)
}

const bySeverity = (one: ServerResult, other: ServerResult): number =>
  SEVERITIES.indexOf(other.rule.severity) - SEVERITIES.indexOf(one.rule.severity)

function nextDueOf(context: EvaluationContext, dueServer: DueServer, presence: Presence): number {
  const { nowMs, pushIntervalSeconds, changes } = context
  const { tracked, rules, pushes } = dueServer
  const { lastMs, graceMs, offlineMs } = presence
  const waits = rules.filter(({ metric }) => metric === 'status').map((rule) => offlineMs + rule.for_seconds * 1000)
  const next = nextEvaluationAt(
    {
      // The clock may have stepped back since.
      receivedMs: pushes.length > 0 ? Math.min(nowMs, Math.max(...pushes.map(({ receivedAtMs }) => receivedAtMs))) : undefined,
      offlineMs,
      awaySinceMs: lastMs + graceMs,
      pushIntervalMs: pushIntervalSeconds * 1000,
      awayEveryMs: changes.isHeard() ? ANNOUNCED_AWAY_EVERY_MS : AWAY_EVERY_MS,
    },
    nowMs,
  )
  // Announced during this evaluation, which may have read the pushes before.
  return Math.min(next, tracked.announcedForMs ?? next, ...waits.filter((ms) => ms > nowMs))
}
