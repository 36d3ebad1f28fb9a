import type { Clock } from '../../../platform/time/clock.ts'
import { type Changes, createRereading, type Db, type Rereading, type Slices } from '../../../platform/db/index.ts'
import {
  listPushedSince,
  listServersAfter,
  listServersRegisteredAfter,
  type ServerIdentity,
  sumServers,
} from '../../../hosts/servers/index.ts'
import { listOrganizationsWithChangedServerRules } from '../rules/store.ts'
import { createSchedule, type EvaluationSchedule, evaluationOfPushAt, type TrackedServer } from './server-schedule.ts'

// The servers that this process evaluates, and when. Only this is in memory.

export interface FleetDeps {
  db: Db
  clock: Clock
  changes: Pick<Changes, 'on' | 'isHeard'>
  /** Which servers this process evaluates, by their number. */
  slices(): Slices
}

export interface Fleet {
  deps: FleetDeps
  /** By id. */
  tracked: Map<string, TrackedServer>
  queue: EvaluationSchedule
  /** The part that is listed; undefined before the first list. */
  slices: Slices | undefined
  countedMs: number
  /** The highest number of a server that was listed. */
  newest: number
  listing: Rereading
  rules: Rereading
  rulesSeen: Date
  /** When pushes were last looked for, ms, where they are not announced. */
  polledMs: number
}

/** How often new servers are listed, and changed rules; less often where both are announced. */
const [LIST_EVERY_MS, RULES_EVERY_MS, ANNOUNCED_EVERY_MS] = [15_000, 1_000, 60_000]
/** A registration whose transaction ends after this many later ones, or an import, is found when all servers are counted. */
const [RECENT_REGISTRATIONS, COUNT_EVERY_MS] = [1_000, 120_000]
/** The whole fleet in one statement would delay everything else. */
const LIST_AT_ONCE = 2_000
/** Clocks of instances may differ, and a rule is visible only after its transaction has ended. */
const RULES_OVERLAP_MS = 10_000
/** How often pushes are looked for that came before their time, where they are not announced; their commit may be later. */
const [POLL_EVERY_MS, POLL_OVERLAP_MS] = [5_000, 10_000]

export function createFleet(deps: FleetDeps): Fleet {
  const fleet: Fleet = {
    deps,
    tracked: new Map(),
    queue: createSchedule(),
    slices: undefined,
    countedMs: Number.NEGATIVE_INFINITY,
    newest: 0,
    listing: createRereading(deps, 'server', LIST_EVERY_MS, ANNOUNCED_EVERY_MS),
    rules: createRereading(deps, 'alert_rule', RULES_EVERY_MS, ANNOUNCED_EVERY_MS),
    rulesSeen: new Date(deps.clock.now()),
    polledMs: Number.NEGATIVE_INFINITY,
  }
  const { changes, clock } = deps
  // A server that pushes again is evaluated at once, one that pushes before its time together with others.
  changes.on('metric_push', (id) => onAnnounced(fleet, id, clock.now()))
  changes.on('early_push', (id) => onAnnounced(fleet, id, evaluationOfPushAt(clock.now())))
  return fleet
}

/** After an interruption it may be any server. */
function onAnnounced(fleet: Fleet, id: string | undefined, atMs: number): void {
  const servers = id === undefined ? fleet.tracked.values() : [fleet.tracked.get(id)].filter((one) => one !== undefined)
  for (const one of servers) {
    one.announcedForMs = Math.min(one.announcedForMs ?? Number.POSITIVE_INFINITY, atMs)
    scheduleBy(fleet, one, one.announcedForMs)
  }
}

/** Evaluates it at this instant, or when it is due before. */
function scheduleBy({ queue }: Fleet, one: TrackedServer, atMs: number): void {
  one.dueMs = Math.min(one.dueMs, atMs)
  queue.add(one)
}

/** When there is something to do next, ms; minus infinity: the part of this process has changed. */
export function nextDueMs(fleet: Fleet): number {
  const { deps, slices, listing, rules, queue } = fleet
  if (slices !== deps.slices()) return Number.NEGATIVE_INFINITY
  return Math.min(listing.dueMs(), rules.dueMs(), queue.nextMs(), pollDueMs(fleet))
}

const pollDueMs = ({ deps, polledMs }: Fleet): number =>
  deps.changes.isHeard() ? Number.POSITIVE_INFINITY : polledMs + POLL_EVERY_MS

/** Of a clock that stepped back: nothing planned before would be due until it has caught up. */
export function startOver(fleet: Fleet, nowMs: number): void {
  fleet.queue = createSchedule()
  ;[fleet.countedMs, fleet.polledMs] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const reading of [fleet.listing, fleet.rules]) reading.expire()
  fleet.rulesSeen = new Date(nowMs - RULES_OVERLAP_MS)
  for (const one of fleet.tracked.values()) {
    ;[one.dueMs, one.resumesFrom] = [nowMs, 'known']
    delete one.announcedForMs
    fleet.queue.add(one)
  }
}

/** The servers that are due, the longest due first. What is announced from now on is evaluated again. */
export function takeDue({ queue, tracked }: Fleet, nowMs: number): TrackedServer[] {
  const due = queue.takeDue(nowMs).filter((one) => tracked.get(one.id) === one)
  for (const one of due) delete one.announcedForMs
  return due
}

/** Reads what is due of the list of servers and of rules. */
export async function updateFleet(fleet: Fleet, nowMs: number): Promise<void> {
  const { deps, listing, rules } = fleet
  if (fleet.slices !== deps.slices()) followShare(fleet, deps.slices())
  if (listing.dueMs() <= nowMs) await listing.read(() => list(fleet, nowMs))
  if (rules.dueMs() <= nowMs) await rules.read(() => rescheduleForChangedRules(fleet, nowMs))
  if (pollDueMs(fleet) <= nowMs) await pollPushes(fleet, nowMs)
}

/** Where early pushes are not announced: one statement for all servers. */
async function pollPushes(fleet: Fleet, nowMs: number): Promise<void> {
  for (const { id, last_push_ms: lastPushMs } of await listPushedSince(fleet.deps.db, nowMs - POLL_EVERY_MS - POLL_OVERLAP_MS)) {
    const one = fleet.tracked.get(id)
    if (one && lastPushMs > one.evaluatedUntilMs) scheduleBy(fleet, one, nowMs)
  }
  fleet.polledMs = nowMs
}

/** A new or changed rule is evaluated on what is stored. */
async function rescheduleForChangedRules(fleet: Fleet, nowMs: number): Promise<void> {
  const fresh = new Set(await listOrganizationsWithChangedServerRules(fleet.deps.db, fleet.rulesSeen))
  fleet.rulesSeen = new Date(nowMs - RULES_OVERLAP_MS)
  if (fresh.size === 0) return
  for (const one of fleet.tracked.values()) {
    if (!fresh.has(one.organization)) continue
    one.resumesFrom ??= 'newest'
    scheduleBy(fleet, one, nowMs)
  }
}

/** Servers that another process evaluates from now on are dropped, those that it evaluated before are listed. */
function followShare(fleet: Fleet, current: Slices): void {
  for (const one of fleet.tracked.values()) if (!current.has(one.server)) fleet.tracked.delete(one.id)
  fleet.slices = current
  fleet.countedMs = Number.NEGATIVE_INFINITY
  fleet.listing.expire()
}

async function list(fleet: Fleet, nowMs: number): Promise<void> {
  if (nowMs - fleet.countedMs < COUNT_EVERY_MS)
    return track(fleet, await listServersRegisteredAfter(fleet.deps.db, fleet.newest - RECENT_REGISTRATIONS), nowMs)
  // To list 50,000 servers takes 120 ms and more here, to count them 6 ms.
  if (!(await hasAll(fleet))) await listAll(fleet, nowMs)
  fleet.countedMs = nowMs
}

async function hasAll({ deps, tracked }: Fleet): Promise<boolean> {
  const { count, sum } = await sumServers(deps.db, deps.slices())
  return count === tracked.size && sum === tracked.values().reduce((total, { server }) => total + server, 0)
}

async function listAll(fleet: Fleet, nowMs: number): Promise<void> {
  const { deps, tracked } = fleet
  let last: ServerIdentity | undefined
  const listed = new Set<string>()
  do {
    const some: ServerIdentity[] = await listServersAfter(deps.db, last, LIST_AT_ONCE, deps.slices())
    track(fleet, some, nowMs)
    for (const { id } of some) listed.add(id)
    last = some.length < LIST_AT_ONCE ? undefined : some.at(-1)
  } while (last)
  for (const id of tracked.keys()) if (!listed.has(id)) tracked.delete(id)
}

function track(fleet: Fleet, some: readonly ServerIdentity[], nowMs: number): void {
  for (const { organization, number: server, id } of some) {
    fleet.newest = Math.max(fleet.newest, server)
    if (fleet.tracked.has(id) || !fleet.slices?.has(server)) continue
    const one = { organization, server, id, dueMs: nowMs, evaluatedUntilMs: 0, evaluated: [], takenOverMs: nowMs }
    fleet.tracked.set(id, one)
    fleet.queue.add(one)
  }
}
