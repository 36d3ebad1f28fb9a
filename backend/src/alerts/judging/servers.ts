import { toTimestamp } from '@vedette/shared'
import { LIVE_MS, readLive, readNewestPushes, type RecentPush } from '../../metrics/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/index.ts'
import { findUpSince, listMeasured, offlineAfterMs, readSeen, type SeenServer } from '../../servers/index.ts'
import { listStandingOf } from '../incidents/store.ts'
import { appliesTo } from '../rules/rule.ts'
import { listFreshServerRules, listServerRules, type RuleRow } from '../rules/store.ts'
import { judge, QUIET } from './judge.ts'
import { publishPresence } from '../telling/index.ts'
import { createMeans, type Means } from './means.ts'
import { createMounts, type KnownMounts } from './mounts.ts'
import { followServer, resolveStrangers, type ServerFinding } from './server-follow.ts'
import { nextLook, type Waited } from './server-schedule.ts'
import { findIn, MOUNTED, slotsIn, toldOf, wantedOf } from './server-values.ts'

// Every server is looked at right after its next push is expected, in one query for all that are due: what it sent is judged from
// what is stored, so that it does not matter which instance took the push. Nothing but the time of the next look is in memory.

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
  means: Means
  /** Since when pushes could be made, ms; undefined: they cannot, and nobody is offline. */
  upSinceMs: number | undefined
  nowMs: number
}

/** Servers of one query. */
const AT_ONCE = 500
/** New servers are found, and deleted ones forgotten, so often. */
const LIST_EVERY_MS = 15_000
/** Pushes that are looked at of each; where all of them are new, more are. */
const [FEW, MANY] = [3, 60]
/** Clocks of instances may disagree, and a rule is seen when its transaction has ended. */
const RULES_LOOK_BACK_MS = 10_000

export function createServerJudge(deps: ServerJudgeDeps): ServerJudge {
  const { db, clock } = deps
  const waited = new Map<string, Waited>()
  const mounts = createMounts(db)
  const means = createMeans(db, clock)
  let listedMs = Number.NEGATIVE_INFINITY
  let rulesSeen = new Date(clock.now())

  /** A rule that is new or another now is judged by what there is. */
  async function noteFreshRules(nowMs: number): Promise<void> {
    const fresh = new Set(await listFreshServerRules(db, rulesSeen))
    rulesSeen = new Date(nowMs - RULES_LOOK_BACK_MS)
    if (fresh.size === 0) return
    for (const server of waited.values()) if (fresh.has(server.organization)) [server.dueMs, server.judgedMs] = [nowMs, 0]
  }

  async function list(nowMs: number): Promise<void> {
    const standing = await listMeasured(db)
    const ids = new Set(standing.map(({ id }) => id))
    for (const id of waited.keys()) if (!ids.has(id)) waited.delete(id)
    for (const { organization, number: server, id } of standing)
      if (!waited.has(id)) waited.set(id, { organization, server, id, dueMs: nowMs, judgedMs: 0 })
    listedMs = nowMs
  }

  return {
    judge: async () => {
      const nowMs = clock.now()
      if (nowMs - listedMs >= LIST_EVERY_MS) await list(nowMs)
      await noteFreshRules(nowMs)
      const due = [...waited.values()].filter(({ dueMs }) => dueMs <= nowMs).sort((one, other) => one.dueMs - other.dueMs)
      if (due.length === 0) return
      const upSinceMs = (await findUpSince(db, new Date(nowMs)))?.getTime()
      const work = { ...deps, mounts, means, upSinceMs, nowMs }
      for (let at = 0; at < due.length; at += AT_ONCE) await judgeSome(work, due.slice(at, at + AT_ONCE))
    },
  }
}

interface Looked {
  waited: Waited
  server: SeenServer
  rules: readonly RuleRow[]
  /** By these rules something stands open. */
  open: ReadonlySet<string>
  /** Newest first. */
  pushes: readonly RecentPush[]
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
    // Deleted: the list forgets it.
    if (!server) {
      one.dueMs = work.nowMs + LIST_EVERY_MS
      continue
    }
    const own = (rulesOf.get(one.organization) ?? []).filter((rule) => appliesTo(rule, { type: 'server', ...server }))
    const open = new Set((openOf.get(server.id) ?? []).map(({ rule_id }) => rule_id))
    looked.push({ waited: one, server, rules: own, open, pushes: pushes[index] ?? [] })
  }
  const measured = looked.filter(({ rules, pushes }) => pushes.length > 0 && rules.some(({ metric }) => metric === MOUNTED))
  await work.mounts.meet(measured.map(({ waited }) => waited))
  for (const one of looked) await judgeServer(work, one)
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

async function judgeServer(work: Work, looked: Looked): Promise<void> {
  const { nowMs, pushIntervalSeconds } = work
  const { waited, server, pushes } = looked
  const received = pushes.map(({ receivedAtMs }) => receivedAtMs).sort((one, other) => other - one)
  const lastMs = Math.max(received[0] ?? 0, server.last_push_ms ?? 0, server.registered_at.getTime())
  const graceMs = offlineAfterMs(pushIntervalSeconds)
  const offlineMs = work.upSinceMs === undefined ? Number.POSITIVE_INFINITY : Math.max(lastMs, work.upSinceMs) + graceMs
  const isOnline = nowMs < lastMs + graceMs
  await followPresence(work, looked, { lastMs, isOnline, isOffline: nowMs >= offlineMs && hasPushed(looked) })
  const findings = [...statusFindings(work, looked, { lastMs, offlineMs, isOnline }), ...(await sampleFindings(work, looked))]
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

async function sampleFindings(work: Work, looked: Looked): Promise<ServerFinding[]> {
  const { nowMs } = work
  const { waited, server, rules, open } = looked
  const asked = rules.filter(({ metric }) => metric !== 'status')
  const pushes = freshOf(looked, nowMs)
  if (asked.length === 0 || pushes.length === 0) return []
  const readings = readLive(pushes, wantedOf(asked))
  const mounts = await work.mounts.of(waited, slotsIn(readings))
  const findings: ServerFinding[] = []
  for (const rule of asked) {
    const found = findIn(rule, readings, mounts)
    if (!found) continue
    const standing = { ...QUIET, isOpen: open.has(rule.id) }
    const at = (value: number | undefined) => judge({ ...rule, for_seconds: 0 }, standing, value, nowMs).verdict
    // The samples of the moment speak for it: whether their mean does is asked only then.
    let value: number | undefined = found.value
    let verdict = at(value)
    if (verdict && rule.for_seconds > 0) {
      const mean = await work.means.of(waited, rule, found.fieldId, Math.max(...pushes.map(({ tLastMs }) => tLastMs)), verdict)
      verdict = at(mean)
      value = mean
    }
    if (verdict && value !== undefined)
      findings.push({ rule, verdict, ...toldOf(server, rule, { ...found, value }), atMs: nowMs })
  }
  return findings
}

/** Pushes that were not judged before and hold live samples; after a start the newest alone. */
function freshOf({ waited, pushes }: Looked, nowMs: number): RecentPush[] {
  const fresh = pushes.filter(
    ({ block, receivedAtMs, tLastMs }) => block !== null && receivedAtMs - tLastMs <= LIVE_MS && nowMs - receivedAtMs <= LIVE_MS,
  )
  return waited.judgedMs === 0 ? fresh.slice(0, 1) : fresh
}
