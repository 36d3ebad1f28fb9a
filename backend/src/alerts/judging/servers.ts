import { toTimestamp } from '@vedette/shared'
import { createLiveWindows, type LiveWindows, readNewestPushes, type RecentPush } from '../../metrics/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/index.ts'
import {
  findUpSince,
  listMeasuredAfter,
  listMeasuredSince,
  type MeasuredServer,
  offlineAfterMs,
  readSeen,
} from '../../servers/index.ts'
import { listStandingOf } from '../incidents/store.ts'
import { appliesTo } from '../rules/rule.ts'
import { listFreshServerRules, listServerRules } from '../rules/store.ts'
import { publishPresence } from '../telling/index.ts'
import { createMeans, type Means } from './means.ts'
import { createMounts, type KnownMounts } from './mounts.ts'
import { followServer, resolveStrangers, type ServerFinding } from './server-follow.ts'
import { type Looked, sampleFindings } from './server-samples.ts'
import { createQueue, nextLook, type Waited } from './server-schedule.ts'
import { MOUNTED } from './server-values.ts'

// Every server is looked at right after its next push is expected, in one query for all that are due: what it sent is judged from
// what is stored, so that it does not matter which instance took the push. In memory is the time of the next look, and what spares
// reading again what was read.

export interface ServerJudge {
  /** Judges the servers that are due. Called every second. */
  judge(): Promise<void>
}

export interface ServerJudgeDeps {
  db: Db
  clock: Clock
  pushIntervalSeconds: number
}

interface Work extends ServerJudgeDeps {
  mounts: KnownMounts
  windows: LiveWindows
  means: Means
  /** It was deleted. */
  forget(gone: Waited): void
  /** Since when pushes could be made, ms; undefined: they cannot, and nobody is offline. */
  upSinceMs: number | undefined
  nowMs: number
}

/** Servers of one query. */
const AT_ONCE = 500
/** New servers are found so often. */
const LIST_EVERY_MS = 15_000
/** A registration that ends when so many later ones have ended, or an import, is found when all are listed. */
const [LOOK_BACK, LIST_ALL_EVERY_MS] = [1_000, 120_000]
/** A whole fleet in one statement would hold up everything else while it is read. */
const LIST_AT_ONCE = 2_000
/** Pushes that are looked at of each; where all of them are new, more are. */
const [FEW, MANY] = [3, 60]
/** Clocks of instances may disagree, and a rule is seen when its transaction has ended. */
const RULES_LOOK_BACK_MS = 10_000

export function createServerJudge(deps: ServerJudgeDeps): ServerJudge {
  const { db, clock } = deps
  const waited = new Map<string, Waited>()
  const queue = createQueue()
  const mounts = createMounts(db)
  const windows = createLiveWindows({ db, clock })
  const means = createMeans(windows, clock)
  let [listedMs, listedAllMs] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]
  let newest = 0
  let rulesSeen = new Date(clock.now())

  /** A rule that is new or another now is judged by what there is. */
  async function noteFreshRules(nowMs: number): Promise<void> {
    const fresh = new Set(await listFreshServerRules(db, rulesSeen))
    rulesSeen = new Date(nowMs - RULES_LOOK_BACK_MS)
    if (fresh.size === 0) return
    for (const server of waited.values()) {
      if (!fresh.has(server.organization)) continue
      ;[server.dueMs, server.judgedMs] = [nowMs, 0]
      queue.add(server)
    }
  }

  function meet(some: readonly MeasuredServer[], nowMs: number): void {
    for (const { organization, number: server, id } of some) {
      newest = Math.max(newest, server)
      if (waited.has(id)) continue
      const one = { organization, server, id, dueMs: nowMs, judgedMs: 0 }
      waited.set(id, one)
      queue.add(one)
    }
  }

  async function listAll(nowMs: number): Promise<void> {
    let last: MeasuredServer | undefined
    do {
      const some: MeasuredServer[] = await listMeasuredAfter(db, last, LIST_AT_ONCE)
      meet(some, nowMs)
      last = some.length < LIST_AT_ONCE ? undefined : some.at(-1)
    } while (last)
    listedAllMs = nowMs
  }

  async function list(nowMs: number): Promise<void> {
    if (nowMs - listedAllMs >= LIST_ALL_EVERY_MS) await listAll(nowMs)
    else meet(await listMeasuredSince(db, newest - LOOK_BACK), nowMs)
    listedMs = nowMs
  }

  /** What was not judged is due still. */
  async function judgeAll(work: Work, due: readonly Waited[]): Promise<void> {
    let at = 0
    try {
      for (; at < due.length; at += AT_ONCE) {
        const some = due.slice(at, at + AT_ONCE)
        await judgeSome(work, some)
        for (const one of some) if (waited.has(one.id)) queue.add(one)
      }
    } finally {
      for (const one of due.slice(at)) queue.add(one)
    }
  }

  return {
    judge: async () => {
      const nowMs = clock.now()
      if (nowMs - listedMs >= LIST_EVERY_MS) await list(nowMs)
      await noteFreshRules(nowMs)
      if (!queue.isDue(nowMs)) return
      const upSinceMs = (await findUpSince(db, new Date(nowMs)))?.getTime()
      const due = queue.takeDue(nowMs)
      const forget = ({ id }: Waited) => void waited.delete(id)
      const work = { ...deps, mounts, windows, means, forget, upSinceMs, nowMs }
      await judgeAll(work, due)
    },
  }
}

async function judgeSome(work: Work, due: readonly Waited[]): Promise<void> {
  const { db } = work
  const organizations = [...new Set(due.map(({ organization }) => organization))]
  const ids = due.map(({ id }) => id)
  const [seen, rules, standing, pushes] = await Promise.all([
    readSeen(db, due),
    listServerRules(db, organizations),
    listStandingOf(db, organizations, ids),
    readPushes(work, due),
  ])
  const servers = new Map(seen.map((server) => [server.id, server]))
  const rulesOf = Map.groupBy(rules, ({ organization }) => organization)
  const openOf = Map.groupBy(standing, ({ target_id }) => target_id)
  const looked: Looked[] = []
  for (const [index, one] of due.entries()) {
    const server = servers.get(one.id)
    if (!server) {
      work.forget(one)
      continue
    }
    const own = (rulesOf.get(one.organization) ?? []).filter((rule) => appliesTo(rule, { type: 'server', ...server }))
    const open = new Set((openOf.get(server.id) ?? []).map(({ rule_id }) => rule_id))
    looked.push({ waited: one, server, rules: own, open, pushes: pushes[index] ?? [] })
  }
  const measured = looked.filter(({ rules, pushes }) => pushes.length > 0 && rules.some(({ metric }) => metric === MOUNTED))
  await work.mounts.meet(measured.map(({ waited }) => waited))
  const found = await sampleFindings(work, looked)
  for (const [index, one] of looked.entries()) await judgeServer(work, one, found[index] ?? [])
}

async function readPushes({ db, nowMs }: Work, due: readonly Waited[]): Promise<RecentPush[][]> {
  const asked = due.map(({ organization, server, judgedMs }) => ({ organization, server, sinceMs: judgedMs }))
  const few = await readNewestPushes(db, asked, FEW, nowMs)
  const isFull = (pushes: readonly RecentPush[], index: number) =>
    pushes.length === FEW && (asked[index]?.sinceMs ?? 0) > 0 && pushes.every(({ block }) => block !== null)
  const full = [...few.keys()].filter((index) => isFull(few[index] ?? [], index))
  if (full.length === 0) return few
  const more = await readNewestPushes(
    db,
    full.map((index) => asked[index] as (typeof asked)[number]),
    MANY,
    nowMs,
  )
  return few.map((pushes, index) => (full.includes(index) ? (more[full.indexOf(index)] ?? pushes) : pushes))
}

async function judgeServer(work: Work, looked: Looked, ofSamples: readonly ServerFinding[]): Promise<void> {
  const { nowMs, pushIntervalSeconds } = work
  const { waited, server, pushes } = looked
  const received = pushes.map(({ receivedAtMs }) => receivedAtMs).sort((one, other) => other - one)
  const lastMs = Math.max(received[0] ?? 0, server.last_push_ms ?? 0, server.registered_at.getTime())
  const graceMs = offlineAfterMs(pushIntervalSeconds)
  const offlineMs = work.upSinceMs === undefined ? Number.POSITIVE_INFINITY : Math.max(lastMs, work.upSinceMs) + graceMs
  const isOnline = nowMs < lastMs + graceMs
  await followPresence(work, looked, { lastMs, isOnline, isOffline: nowMs >= offlineMs && hasPushed(looked) })
  const findings = [...statusFindings(work, looked, { lastMs, offlineMs, isOnline }), ...ofSamples]
  const known = new Set(looked.rules.map(({ id }) => id))
  if ([...looked.open].some((id) => !known.has(id))) await resolveStrangers(work.db, server, known, nowMs)
  for (const finding of findings) await followServer(work.db, waited.organization, server.id, finding)
  waited.judgedMs = received[0] ?? waited.judgedMs
  const waits = looked.rules.filter(({ metric }) => metric === 'status').map((rule) => offlineMs + rule.for_seconds * 1000)
  const next = nextLook({ receivedMs: received, offlineMs, pushIntervalMs: pushIntervalSeconds * 1000 }, nowMs)
  waited.dueMs = Math.min(next, ...waits.filter((ms) => ms > nowMs))
}

/** One that was never heard of has not fallen silent. */
const hasPushed = ({ server, pushes }: Looked): boolean => pushes.length > 0 || server.last_push_ms !== null

async function followPresence(
  { db, nowMs }: Work,
  { server }: Looked,
  { lastMs, isOnline, isOffline }: { lastMs: number; isOnline: boolean; isOffline: boolean },
): Promise<void> {
  const isNews = server.is_told_offline ? isOnline : isOffline
  if (isNews) await publishPresence(db, server, { isOffline, lastSeenMs: lastMs }, new Date(nowMs))
}

function statusFindings(
  { nowMs }: Work,
  { server, rules, open }: Looked,
  { lastMs, offlineMs, isOnline }: { lastMs: number; offlineMs: number; isOnline: boolean },
): ServerFinding[] {
  return rules.flatMap((rule): ServerFinding[] => {
    if (rule.metric !== 'status') return []
    const since = toTimestamp(lastMs)
    if (open.has(rule.id)) {
      const summary = `${server.name} is online: it was heard of at ${since}`
      return isOnline ? [{ rule, verdict: 'resolved', summary, evidence: {}, atMs: lastMs }] : []
    }
    const opensMs = Math.max(offlineMs + rule.for_seconds * 1000, rule.says_since.getTime())
    if (nowMs < opensMs) return []
    const summary = `${server.name} is offline: it was last heard of at ${since}`
    return [{ rule, verdict: 'opened', summary, evidence: { status: 'offline', last_seen_at: since }, atMs: opensMs }]
  })
}
