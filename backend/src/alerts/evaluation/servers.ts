import { HOUR_MS, NEW_SERVER_MS, toTimestamp } from '@vedette/shared'
import { createLiveWindows, type LiveWindows, readNewestPushes, type RecentPush } from '../../metrics/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { type Changes, createNodeLanes, createRereading, type Db, inTransaction, type Slices } from '../../platform/db/index.ts'
import {
  findUpSince,
  listServersAfter,
  listServersRegisteredAfter,
  type ServerIdentity,
  offlineAfterMs,
  readPresence,
  sumServers,
} from '../../servers/index.ts'
import { listOpenOfTargets } from '../../incidents/index.ts'
import { appliesTo } from '../rules/rule.ts'
import { listOrganizationsWithChangedServerRules, listServerRules } from '../rules/store.ts'
import { publishPresence } from '../events/presence.ts'
import type { Evaluator } from './evaluator.ts'
import { evaluateEntities } from './entity-rules.ts'
import { createForecastEvaluator, type ForecastEvaluator } from './forecast-rules.ts'
import { createMeanReader, type MeanReader } from './means.ts'
import { createMountCache, type MountCache } from './mounts.ts'
import { resolveOrphanedIncidents } from './apply-finding.ts'
import { applyServerResult, type ServerResult } from './apply-server-result.ts'
import { type DueServer, evaluateSamples } from './server-samples.ts'
import { createSchedule, nextEvaluationAt, type TrackedServer } from './server-schedule.ts'
import { clockTime } from './summary.ts'
import { FILESYSTEM_METRIC } from './server-values.ts'

// Every server is evaluated right after its next push is expected, in one query for all that are due, and from what is stored: it does
// not matter which instance received the push. Only the schedule and caches are in memory.

interface ServerEvaluatorDeps {
  db: Db
  clock: Clock
  pushIntervalSeconds: number
  changes: Pick<Changes, 'on' | 'isHeard'>
  /** Which servers this process evaluates, by their number. */
  slices(): Slices
}

interface EvaluationContext extends ServerEvaluatorDeps {
  mounts: MountCache
  windows: LiveWindows
  means: MeanReader
  forecasts: ForecastEvaluator
  /** Stops the evaluation of a deleted server. */
  untrack(gone: TrackedServer): void
  /** Since when an instance accepts pushes, ms; undefined: none does, and no server counts as offline. */
  upSinceMs: number | undefined
  nowMs: number
}

/** Servers per query. */
const AT_ONCE = 500
/** How often new servers are listed, and changed rules; less often where both are announced. */
const [LIST_EVERY_MS, RULES_EVERY_MS, ANNOUNCED_EVERY_MS] = [15_000, 1_000, 60_000]
/** The longest pause between evaluations of an offline server; its next push may be announced. */
const [AWAY_EVERY_MS, ANNOUNCED_AWAY_EVERY_MS] = [60_000, HOUR_MS]
/** A registration whose transaction ends after this many later ones, or an import, is found when all servers are counted. */
const [RECENT_REGISTRATIONS, COUNT_EVERY_MS] = [1_000, 120_000]
/** The whole fleet in one statement would delay everything else. */
const LIST_AT_ONCE = 2_000
/** Pushes read per server; more where all of them are new. */
const [FEW, MANY] = [2, 60]
/** When servers are evaluated again whose pushes could not be read: nobody knows whether they are offline. */
const NODE_AWAY_MS = 5_000
/** When servers are evaluated whose node is still busy with earlier ones. */
const NODE_BUSY_MS = 1_000
/** Clocks of instances may differ, and a rule is visible only after its transaction has ended. */
const RULES_OVERLAP_MS = 10_000

export function createServerEvaluator(deps: ServerEvaluatorDeps): Evaluator {
  const { db, clock, changes } = deps
  const tracked = new Map<string, TrackedServer>()
  let queue = createSchedule()
  const mounts = createMountCache(db)
  const windows = createLiveWindows({ db, clock })
  const means = createMeanReader(windows, clock)
  const forecasts = createForecastEvaluator(db)
  const inLanes = createNodeLanes(deps)
  let slices: Slices | undefined
  let countedMs = Number.NEGATIVE_INFINITY
  let newest = 0
  let lastMs = clock.now()
  let rulesSeen = new Date(lastMs)
  const listing = createRereading(deps, 'server', LIST_EVERY_MS, ANNOUNCED_EVERY_MS)
  const rules = createRereading(deps, 'alert_rule', RULES_EVERY_MS, ANNOUNCED_EVERY_MS)
  // A server that pushes again; after an interruption it may be any.
  changes.on('metric_push', (id) => {
    const returned = id === undefined ? tracked.values() : [tracked.get(id)].filter((one) => one !== undefined)
    for (const one of returned) {
      one.returnedAtMs = clock.now()
      one.dueMs = Math.min(one.dueMs, one.returnedAtMs)
      queue.add(one)
    }
  })

  /** Of a clock that stepped back: nothing planned before would be due until it has caught up. */
  function startOver(nowMs: number): void {
    queue = createSchedule()
    countedMs = Number.NEGATIVE_INFINITY
    for (const reading of [listing, rules]) reading.expire()
    rulesSeen = new Date(nowMs - RULES_OVERLAP_MS)
    for (const server of tracked.values()) {
      ;[server.dueMs, server.evaluatedUntilMs] = [nowMs, 0]
      queue.add(server)
    }
  }

  /** A new or changed rule is evaluated on what is stored. */
  async function rescheduleForChangedRules(nowMs: number): Promise<void> {
    const fresh = new Set(await listOrganizationsWithChangedServerRules(db, rulesSeen))
    rulesSeen = new Date(nowMs - RULES_OVERLAP_MS)
    if (fresh.size === 0) return
    for (const server of tracked.values()) {
      if (!fresh.has(server.organization)) continue
      ;[server.dueMs, server.evaluatedUntilMs] = [nowMs, 0]
      queue.add(server)
    }
  }

  /** Servers that another process evaluates from now on are dropped, those that it evaluated before are listed. */
  function followShare(current: Slices): void {
    for (const one of tracked.values()) if (!current.has(one.server)) tracked.delete(one.id)
    slices = current
    countedMs = Number.NEGATIVE_INFINITY
    listing.expire()
  }

  function track(some: readonly ServerIdentity[], nowMs: number): void {
    for (const { organization, number: server, id } of some) {
      newest = Math.max(newest, server)
      if (tracked.has(id) || !slices?.has(server)) continue
      const one = { organization, server, id, dueMs: nowMs, evaluatedUntilMs: 0, takenOverMs: nowMs }
      tracked.set(id, one)
      queue.add(one)
    }
  }

  async function listAll(nowMs: number): Promise<void> {
    let last: ServerIdentity | undefined
    const listed = new Set<string>()
    do {
      const some: ServerIdentity[] = await listServersAfter(db, last, LIST_AT_ONCE, deps.slices())
      track(some, nowMs)
      for (const { id } of some) listed.add(id)
      last = some.length < LIST_AT_ONCE ? undefined : some.at(-1)
    } while (last)
    for (const id of tracked.keys()) if (!listed.has(id)) tracked.delete(id)
  }

  async function hasAll(): Promise<boolean> {
    const { count, sum } = await sumServers(db, deps.slices())
    return count === tracked.size && sum === tracked.values().reduce((total, { server }) => total + server, 0)
  }

  async function list(nowMs: number): Promise<void> {
    if (nowMs - countedMs >= COUNT_EVERY_MS) {
      // To list 50,000 servers takes 120 ms and more here, to count them 6 ms.
      if (!(await hasAll())) await listAll(nowMs)
      countedMs = nowMs
    } else track(await listServersRegisteredAfter(db, newest - RECENT_REGISTRATIONS), nowMs)
  }

  /** After an error the remaining servers stay due. */
  async function evaluateDue(context: EvaluationContext, due: readonly TrackedServer[]): Promise<void> {
    let at = 0
    try {
      for (; at < due.length; at += AT_ONCE) {
        const some = due.slice(at, at + AT_ONCE)
        await evaluateBatch(context, some)
        for (const one of some) if (tracked.get(one.id) === one) queue.add(one)
      }
    } finally {
      for (const one of due.slice(at)) queue.add(one)
    }
  }

  const dueMs = () =>
    slices === deps.slices() ? Math.min(listing.dueMs(), rules.dueMs(), queue.nextMs()) : Number.NEGATIVE_INFINITY
  return {
    isDue: () => {
      const nowMs = clock.now()
      return nowMs < lastMs || dueMs() <= nowMs
    },
    dueMs,
    evaluate: async () => {
      const nowMs = clock.now()
      if (nowMs < lastMs) startOver(nowMs)
      lastMs = nowMs
      if (slices !== deps.slices()) followShare(deps.slices())
      if (listing.dueMs() <= nowMs) await listing.read(() => list(nowMs))
      if (rules.dueMs() <= nowMs) await rules.read(() => rescheduleForChangedRules(nowMs))
      if (!queue.isDue(nowMs)) return
      const upSinceMs = (await findUpSince(db, new Date(nowMs)))?.getTime()
      const due = queue.takeDue(nowMs).filter((one) => tracked.get(one.id) === one)
      const untrack = ({ id }: TrackedServer) => void tracked.delete(id)
      const context = { ...deps, mounts, windows, means, forecasts, untrack, upSinceMs, nowMs }
      const left = await inLanes(due, (some) => evaluateDue(context, some))
      for (const one of left) {
        one.dueMs = nowMs + NODE_BUSY_MS
        queue.add(one)
      }
    },
  }
}

async function evaluateBatch(context: EvaluationContext, due: readonly TrackedServer[]): Promise<void> {
  const { db } = context
  const organizations = [...new Set(due.map(({ organization }) => organization))]
  const ids = due.map(({ id }) => id)
  const [seen, rules, openIncidents, pushes] = await Promise.all([
    readPresence(db, due),
    listServerRules(db, organizations),
    listOpenOfTargets(db, organizations, ids),
    readPushes(context, due),
  ])
  const servers = new Map(seen.map((server) => [server.id, server]))
  const rulesOf = Map.groupBy(rules, ({ organization }) => organization)
  const openOf = Map.groupBy(openIncidents, ({ target_id }) => target_id)
  const dueServers: DueServer[] = []
  for (const [index, one] of due.entries()) {
    const server = servers.get(one.id)
    if (!server) {
      context.untrack(one)
      continue
    }
    const recent = pushes[index]
    if (!recent) {
      one.dueMs = context.nowMs + NODE_AWAY_MS
      continue
    }
    const serverRules = (rulesOf.get(one.organization) ?? []).filter((rule) => appliesTo(rule, { type: 'server', ...server }))
    const open = new Set((openOf.get(server.id) ?? []).map(({ rule_id }) => rule_id))
    dueServers.push({ tracked: one, server, rules: serverRules, open, pushes: recent })
  }
  const measured = dueServers.filter(
    ({ rules, pushes }) => pushes.length > 0 && rules.some(({ metric }) => metric === FILESYSTEM_METRIC),
  )
  await context.mounts.load(measured.map(({ tracked }) => tracked))
  const sampleResults = await evaluateSamples(context, dueServers)
  const entityResults = await evaluateEntities(context, dueServers)
  const forecastResults = await context.forecasts.evaluate(dueServers, context.nowMs)
  for (const [index, one] of dueServers.entries())
    await evaluateServer(
      context,
      one,
      [sampleResults, entityResults, forecastResults].flatMap((results) => results[index] ?? []),
    )
}

async function readPushes(
  { db, nowMs }: EvaluationContext,
  due: readonly TrackedServer[],
): Promise<(RecentPush[] | undefined)[]> {
  const queries = due.map(({ organization, server, evaluatedUntilMs }) => ({ organization, server, sinceMs: evaluatedUntilMs }))
  const few = await readNewestPushes(db, queries, FEW, nowMs)
  const isFull = (pushes: readonly RecentPush[] = [], index: number) =>
    pushes.length === FEW && (queries[index]?.sinceMs ?? 0) > 0 && pushes.every(({ block }) => block !== null)
  const full = [...few.keys()].filter((index) => isFull(few[index], index))
  if (full.length === 0) return few
  const more = await readNewestPushes(
    db,
    full.map((index) => queries[index] as (typeof queries)[number]),
    MANY,
    nowMs,
  )
  return few.map((pushes, index) => (full.includes(index) ? (more[full.indexOf(index)] ?? pushes) : pushes))
}

async function evaluateServer(
  context: EvaluationContext,
  dueServers: DueServer,
  ofSamples: readonly ServerResult[],
): Promise<void> {
  const { nowMs, pushIntervalSeconds } = context
  const { tracked, server, pushes } = dueServers
  const received = pushes.map(({ receivedAtMs }) => receivedAtMs).sort((one, other) => other - one)
  const lastMs = Math.max(received[0] ?? 0, tracked.evaluatedUntilMs, server.last_push_ms ?? 0, server.registered_at.getTime())
  const silenceMs = offlineAfterMs(pushIntervalSeconds)
  const graceMs = hasPushed(dueServers) ? silenceMs : Math.max(silenceMs, NEW_SERVER_MS)
  const offlineMs = context.upSinceMs === undefined ? Number.POSITIVE_INFINITY : Math.max(lastMs, context.upSinceMs) + graceMs
  const isOnline = nowMs < lastMs + graceMs
  await publishPresenceChange(context, dueServers, { lastMs, isOnline, isOffline: nowMs >= offlineMs && hasPushed(dueServers) })
  const findings = [...evaluateStatus(context, dueServers, { lastMs, offlineMs, isOnline }), ...ofSamples]
  const known = new Set(dueServers.rules.map(({ id }) => id))
  if ([...dueServers.open].some((id) => !known.has(id)))
    await inTransaction(context.db, (db) => resolveOrphanedIncidents(db, tracked.organization, server.id, known, new Date(nowMs)))
  for (const finding of findings) await applyServerResult(context.db, tracked.organization, server.id, finding)
  tracked.evaluatedUntilMs = received[0] ?? tracked.evaluatedUntilMs
  delete tracked.takenOverMs
  const waits = dueServers.rules.filter(({ metric }) => metric === 'status').map((rule) => offlineMs + rule.for_seconds * 1000)
  const next = nextEvaluationAt(
    {
      receivedMs: received,
      offlineMs,
      awaySinceMs: lastMs + graceMs,
      pushIntervalMs: pushIntervalSeconds * 1000,
      awayEveryMs: context.changes.isHeard() ? ANNOUNCED_AWAY_EVERY_MS : AWAY_EVERY_MS,
    },
    nowMs,
  )
  // Announced during this evaluation, which may have read the pushes before.
  const hasReturned = (tracked.returnedAtMs ?? 0) >= nowMs
  tracked.dueMs = hasReturned ? nowMs : Math.min(next, ...waits.filter((ms) => ms > nowMs))
}

/** A server that never pushed is not offline. */
const hasPushed = ({ tracked, server, pushes }: DueServer): boolean =>
  pushes.length > 0 || tracked.evaluatedUntilMs > 0 || server.last_push_ms !== null

async function publishPresenceChange(
  { db, nowMs }: EvaluationContext,
  { server }: DueServer,
  { lastMs, isOnline, isOffline }: { lastMs: number; isOnline: boolean; isOffline: boolean },
): Promise<void> {
  const isNews = server.is_reported_offline ? isOnline : isOffline
  if (isNews) await publishPresence(db, server, { isOffline, lastSeenMs: lastMs }, new Date(nowMs))
}

function evaluateStatus(
  { nowMs }: EvaluationContext,
  dueServer: DueServer,
  { lastMs, offlineMs, isOnline }: { lastMs: number; offlineMs: number; isOnline: boolean },
): ServerResult[] {
  const { server, rules, open } = dueServer
  return rules.flatMap((rule): ServerResult[] => {
    if (rule.metric !== 'status') return []
    if (open.has(rule.id)) {
      const summary = `${server.name} is online (last seen ${clockTime(lastMs, nowMs)})`
      return isOnline ? [{ rule, result: 'resolved', summary, evidence: {}, atMs: lastMs }] : []
    }
    // The rule may come from a clock that was ahead of ours.
    const opensMs = Math.max(offlineMs + rule.for_seconds * 1000, Math.min(rule.defined_at.getTime(), nowMs))
    if (nowMs < opensMs) return []
    const clock = clockTime(lastMs, nowMs)
    const summary = hasPushed(dueServer)
      ? `${server.name} is offline (last seen ${clock})`
      : `${server.name} has not sent a sample (registered ${clock})`
    return [
      { rule, result: 'opened', summary, evidence: { status: 'offline', last_seen_at: toTimestamp(lastMs) }, atMs: opensMs },
    ]
  })
}
