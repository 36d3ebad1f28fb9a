import { type JobDeps } from './job-context.ts'
import { describeJobs, idleOf } from './jobs.ts'
import { type BackgroundJob, repeat, repeatWhenDue, type WakingJob } from './platform/concurrency/background-job.ts'
import { createLease, type Lease } from './platform/db/lease.ts'
import { createShare, type Share } from './platform/db/share.ts'
import type { Job } from './platform/feature/feature.ts'
import { findNextDue } from './platform/queue/index.ts'

/** Jobs that are announced are looked for this often all the same: an announcement may be lost. */
const SLOW_POLL_MS = 30_000
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
    wokenBy: ['alert_rule', 'server', 'metric_push', 'early_push'],
  })
  const jobs = describeJobs(deps, ending.signal, share.slices)
  const leases: Pick<Lease, 'release'>[] = [share]
  const running: BackgroundJob[] = []
  const queues = new Map<string, WakingJob>()
  for (const [key, job] of jobs) {
    if (job.isOff) continue
    const lease = job.lease && createLease(watched, job.lease.name, job.lease.holdMs)
    if (lease) leases.push(lease)
    const run = taskOf(job, lease, share)
    const task = async () => {
      await run()
      if (job.wakes !== undefined) queues.get(job.wakes)?.wake()
    }
    if (job.queues) queues.set(key, repeatQueue(deps, job, task))
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
function taskOf({ run, when, share: part }: Job, lease: Lease | undefined, share: Share): () => Promise<void> {
  const runPart = async () => {
    if (part?.isDue()) await run()
  }
  return async () => {
    if (when && !(await when())) return
    if (lease) await lease.run(run)
    else if (!part) await run()
    else if (part.isDue() || share.isExpiring()) await share.run(runPart)
  }
}

/** Runs when a job is stored in one of the tables, and when one is due. One that cannot be taken then waits behind another. */
function repeatQueue(
  { pool, clock, log, changes }: JobDeps,
  { name, everyMs, queues = [] }: Job,
  task: () => Promise<void>,
): WakingJob {
  const repeated = repeatWhenDue(name, clock, log, async () => {
    const pauseMs = async () => {
      const dueMs = (await findNextDue(pool.db, queues))?.getTime() ?? Number.POSITIVE_INFINITY
      return Math.min(dueMs - clock.now(), changes.isHeard() ? SLOW_POLL_MS : everyMs)
    }
    const restMs = await pauseMs()
    if (restMs > 0) return restMs
    await task()
    return Math.max(everyMs, await pauseMs())
  })
  for (const table of queues) changes.on(table, repeated.wake)
  return repeated
}
