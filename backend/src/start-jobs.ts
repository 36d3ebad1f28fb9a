import { type JobDeps } from './job-context.ts'
import { describeJobs, idleOf } from './jobs.ts'
import { type BackgroundJob, repeat, repeatWhenDue, repeatWhile, type WakingJob } from './platform/concurrency/background-job.ts'
import { createGroupCommit } from './platform/concurrency/group-commit.ts'
import { yieldToEventLoop } from './platform/concurrency/yield-to-event-loop.ts'
import { createLease, type Lease } from './platform/db/lease.ts'
import { createShare, type Share } from './platform/db/share.ts'
import type { Job } from './platform/feature/feature.ts'
import type { Clock } from './platform/time/clock.ts'
import { findNextDue } from './platform/queue/index.ts'

/** Jobs that are announced are looked for this often all the same: an announcement may be lost. All queues at the same instants. */
const SLOW_POLL_MS = 30_000
/** What each process evaluates a part of is evaluated this often all the same: the clock may be set. */
const SLOW_EVALUATION_MS = 10_000
/** Announcements of these may give every process something to evaluate at once. */
const WAKE_EVALUATION = ['alert_rule', 'server', 'metric_push', 'early_push']
/** The other processes take over the evaluation this long after the last sign of one that died. */
const EVALUATION_SHARE_MS = 4_000
/** Time for mails under way at the stop. An aborted mail is sent again. */
const ENDING_PATIENCE_MS = 1_000

/** Repeats all jobs until it is stopped. */
export function startJobs(deps: JobDeps): BackgroundJob {
  const { pool, clock, log, changes } = deps
  const watched = { db: pool.db, clock, changes }
  const ending = new AbortController()
  // Each process evaluates a part of the servers and monitors; the others take over its part when it ends.
  const share = createShare(watched, 'evaluation', {
    holdMs: EVALUATION_SHARE_MS,
    dueMs: () => Math.min(...[...jobs.values()].flatMap((job) => job.share?.dueMs() ?? [])),
    wokenBy: WAKE_EVALUATION,
  })
  const jobs = describeJobs(deps, ending.signal, share.slices)
  const leases: Pick<Lease, 'release'>[] = [share]
  const running: BackgroundJob[] = []
  const queues = new Map<string, WakingJob>()
  const findDue = createDueFinder(deps)
  for (const [key, job] of jobs) {
    if (job.isOff) continue
    const lease = job.lease && createLease(watched, job.lease.name, job.lease.holdMs)
    if (lease) leases.push(lease)
    const run = taskOf(clock, job, lease, share)
    const task = async () => {
      await run()
      if (job.wakes !== undefined) queues.get(job.wakes)?.wake()
    }
    if (job.queues) queues.set(key, repeatQueue(deps, job, task, findDue))
    else if (job.share) running.push(repeatPart(deps, job, job.share, share, task))
    else if (job.rests) running.push(repeatUnlessResting(deps, job, job.rests, task))
    else running.push(repeat(job.name, job.everyMs, clock, log, task, job.firstMs))
  }
  return {
    stop: async () => {
      const waited = new AbortController()
      const ended = Promise.all([...running, ...queues.values()].map((each) => each.stop()))
      const released = ended
        .then(() => Promise.all(leases.map((each) => each.release())))
        .catch((error: unknown) =>
          log.warn({ err: error }, 'could not release the leases; the next process waits until they expire'),
        )
      const stopped = ended.then(() => idleOf(jobs)).then(() => waited.abort())
      await clock.sleep(ENDING_PATIENCE_MS, waited.signal)
      ending.abort()
      await stopped
      // A hanging database must not delay the stop: the leases expire by themselves.
      const releaseDone = new AbortController()
      await Promise.race([released.then(() => releaseDone.abort()), clock.sleep(ENDING_PATIENCE_MS, releaseDone.signal)])
    },
  }
}

/** One run of a job, where this process may do it. */
function taskOf(clock: Clock, { run, when, share: part }: Job, lease: Lease | undefined, share: Share): () => Promise<void> {
  const runPart = async () => {
    if (part?.isDue()) await run()
  }
  return async () => {
    if (when && !(await when())) return
    if (lease) await lease.run(run)
    else if (!part) await run()
    else if (part.isDue() || share.dueMs() <= clock.now()) await share.run(runPart)
  }
}

/** Where no announcements arrive it never rests. */
function repeatUnlessResting(
  { clock, log, changes }: JobDeps,
  { name, everyMs, when = async () => true }: Job,
  { ms: restMs, wokenBy }: NonNullable<Job['rests']>,
  task: () => Promise<void>,
): BackgroundJob {
  const repeated = repeatWhile(name, clock, log, task, {
    everyMs,
    isOn: when,
    restMs: () => (changes.isHeard() ? restMs : everyMs),
  })
  changes.on(wokenBy, repeated.wake)
  return repeated
}

type FindDue = (tables: readonly string[]) => Promise<Date | null>

/** When something is due in these tables: for all who want to know it in the same turn of the loop by one statement. */
function createDueFinder({ pool }: JobDeps): FindDue {
  const { add } = createGroupCommit<readonly string[], Date | null>({
    store: (lists) => findNextDue(pool.db, lists),
    maxRows: Number.POSITIVE_INFINITY,
    collect: yieldToEventLoop,
    onFailure: (error) => ({ action: 'batch', error }),
  })
  return add
}

/** Runs when this process has something to do, and at an announcement that may give it something. */
function repeatPart(
  { clock, log, changes }: JobDeps,
  { name, everyMs }: Job,
  part: NonNullable<Job['share']>,
  share: Share,
  task: () => Promise<void>,
): BackgroundJob {
  const nextMs = () => Math.min(part.dueMs(), share.dueMs()) - clock.now()
  const repeated = repeatWhenDue(
    name,
    clock,
    log,
    async () => {
      await task()
      return changes.isHeard() ? Math.min(nextMs(), SLOW_EVALUATION_MS) : everyMs
    },
    everyMs,
  )
  for (const topic of [...WAKE_EVALUATION, 'work_share']) changes.on(topic, repeated.wake)
  return repeated
}

/** Runs when a job is stored in one of the tables, and when one is due. One that cannot be taken then waits behind another. */
function repeatQueue(
  { clock, log, changes }: JobDeps,
  { name, everyMs, queues = [] }: Job,
  task: () => Promise<void>,
  findDue: FindDue,
): WakingJob {
  const repeated = repeatWhenDue(name, clock, log, async () => {
    const pauseMs = async () => {
      const dueMs = (await findDue(queues))?.getTime() ?? Number.POSITIVE_INFINITY
      const nowMs = clock.now()
      return Math.min(dueMs - nowMs, changes.isHeard() ? SLOW_POLL_MS - (nowMs % SLOW_POLL_MS) : everyMs)
    }
    const restMs = await pauseMs()
    if (restMs > 0) return restMs
    await task()
    return Math.max(everyMs, await pauseMs())
  })
  for (const table of queues) changes.on(table, repeated.wake)
  return repeated
}
