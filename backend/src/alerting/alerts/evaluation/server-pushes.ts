import { LIVE_MS, readNewestPushes, type RecentPush } from '../../../hosts/metrics/index.ts'
import type { Db } from '../../../platform/db/index.ts'
import type { TrackedServer } from './server-schedule.ts'

// Which pushes of a server are new. Usually those received after the last evaluated one. An evaluation that starts over resumes: after
// a step of the clock the pushes that were read last are known by their keys; a process that takes a server over reads all live
// pushes, and what they find is applied unless the incident has changed since they were received (apply-server-result.ts).

/** Pushes read per server; more where all of them are new. */
const [FEW, MANY] = [2, 60]

/** Reads pushes of servers in their order, newest first; undefined where their node is away. `untilMs`: samples far beyond are left out. */
export async function readPushes(
  db: Db,
  due: readonly TrackedServer[],
  nowMs: number,
  untilMs: number,
): Promise<(RecentPush[] | undefined)[]> {
  const few = await readNewestPushes(
    db,
    due.map((one) => ({ ...one, sinceMs: readsSinceMs(one) })),
    FEW,
    untilMs,
  )
  const full = due.flatMap((one, index) => (newPushes(one, few[index] ?? [], nowMs).length === FEW ? [{ one, index }] : []))
  if (full.length === 0) return few
  const more = await readNewestPushes(
    db,
    full.map(({ one }) => ({ ...one, sinceMs: readsSinceMs(one) || nowMs - LIVE_MS })),
    MANY,
    untilMs,
  )
  const moreOf = new Map(full.map(({ index }, position) => [index, more[position]]))
  return few.map((pushes, index) => moreOf.get(index) ?? pushes)
}

/** The samples of pushes received later are read, ms; 0: of all. */
function readsSinceMs({ evaluatedUntilMs, resumesFrom }: TrackedServer): number {
  if (resumesFrom === 'known') return 0
  return resumesFrom === 'newest' ? Math.max(0, evaluatedUntilMs - 1) : evaluatedUntilMs
}

/** Pushes with live samples that were not evaluated yet, the first received first. Pure. */
export function newPushes(one: TrackedServer, pushes: readonly RecentPush[], nowMs: number): RecentPush[] {
  const { evaluatedUntilMs, evaluated, resumesFrom } = one
  const isBeforeStep = ({ receivedAtMs }: RecentPush) => resumesFrom === 'known' && receivedAtMs > nowMs
  const isNew = (push: RecentPush) =>
    !evaluated.includes(keyOf(push)) && (!isBeforeStep(push) || push.receivedAtMs > evaluatedUntilMs)
  const instant = (push: RecentPush) => (isBeforeStep(push) ? 0 : 1)
  return pushes
    .filter((push) => isLive(push, nowMs) && isNew(push))
    .sort((push, other) => instant(push) - instant(other) || push.receivedAtMs - other.receivedAtMs)
}

/** The newest live push alone: a changed rule is evaluated on it, and for other rules it changes nothing. Pure. */
export function newestPush(pushes: readonly RecentPush[], nowMs: number): RecentPush[] {
  const live = pushes.filter((push) => isLive(push, nowMs)).sort((push, other) => other.receivedAtMs - push.receivedAtMs)
  return live.filter(({ receivedAtMs }) => receivedAtMs === live[0]?.receivedAtMs)
}

/** Remembers that these pushes, which were read, are evaluated. */
export function noteEvaluated(one: TrackedServer, pushes: readonly RecentPush[], nowMs: number): void {
  const receivedMs = pushes.map(({ receivedAtMs }) => receivedAtMs)
  if (pushes.length > 0) {
    // What was received in the future, before the clock stepped back, must not hide what comes.
    one.evaluatedUntilMs = Math.min(nowMs, Math.max(...receivedMs))
    one.evaluated = pushes.map(keyOf)
  }
  delete one.takenOverMs
  delete one.resumesFrom
}

const isLive = ({ block, receivedAtMs, tLastMs }: RecentPush, nowMs: number): boolean =>
  block !== null && receivedAtMs - tLastMs <= LIVE_MS && nowMs - receivedAtMs <= LIVE_MS

const keyOf = ({ t0Ms, digest }: RecentPush): string => t0Ms + digest.toString('latin1')
