import { HOUR_MS, MINUTE_MS } from '@vedette/shared'
import { FEATURES, type FeatureJob } from './features.ts'
import { createJobContext, type JobContext, type JobDeps } from './job-context.ts'
import { keepAllPartitions, readAllPartitions, reportLatePartitions } from './partitions.ts'
import { ALL_SLICES, type Slices, withLongStatements } from './platform/db/index.ts'
import { reencryptAll } from './platform/encrypted-values/encrypted-values.ts'
import type { Job } from './platform/feature/feature.ts'
import { deleteOldAnswers } from './platform/idempotency/index.ts'
import { createLimitStore, removeOldCounts } from './platform/limits/index.ts'

export type { JobDeps } from './job-context.ts'

/** Work that no single feature has. */
function installationJobs(context: JobContext) {
  const { pool, db, clock, databaseClock, log, secrets, settings } = context
  return {
    /** Creates and drops partitions. The start has already run it. */
    keepPartitions: {
      name: 'partitions',
      everyMs: HOUR_MS,
      run: async () => {
        try {
          await keepAllPartitions(db, log, clock.now(), settings.retention)
        } finally {
          await reportLatePartitions(db, log, clock.now())
        }
      },
    },
    /** Deletes expired rows of all features. Starts at once, for a process that restarts every half an hour. */
    deleteExpired: {
      name: 'expired sessions',
      everyMs: HOUR_MS,
      firstMs: 0,
      run: () =>
        withLongStatements(async () => {
          for (const { deleteExpired } of FEATURES) await deleteExpired?.(context)
        }),
    },
    /** Deletes expired answers to idempotent requests. */
    deleteOldAnswers: {
      name: 'answers to repeats',
      everyMs: HOUR_MS,
      firstMs: 0,
      run: () => deleteOldAnswers(db, clock.now()),
    },
    /** Deletes rate-limit counts of past minutes. */
    removeOldCounts: {
      name: 'old counts',
      everyMs: MINUTE_MS,
      firstMs: 0,
      run: () => removeOldCounts(createLimitStore(pool), databaseClock),
    },
    /** Encrypts stored values of older secrets with the newest. */
    reencrypt: {
      name: 're-encryption',
      everyMs: HOUR_MS,
      isOff: secrets.fingerprints().length === 1,
      run: () => reencryptAll(db, secrets),
    },
  } satisfies Record<string, Job>
}

type JobName = FeatureJob | keyof ReturnType<typeof installationJobs>

/** The jobs by name, for tests that run them one by one. */
export type Jobs = Readonly<Record<JobName, () => Promise<unknown>>> & {
  /** Resolves when no work is under way that a job has started. */
  idle(): Promise<unknown>
  /** Aborts mails under way and starts no further ones. */
  end(): void
}

/** The jobs of all features by their keys. */
export function describeJobs(deps: JobDeps, ending: AbortSignal, slices: () => Slices): ReadonlyMap<string, Job> {
  const readPartitions = (nowMs: number) => readAllPartitions(deps.pool.db, nowMs)
  const context = createJobContext(deps, ending, { slices, readPartitions })
  const jobs = [installationJobs(context), ...FEATURES.map((feature) => feature.jobs?.(context) ?? {})]
  return new Map<string, Job>(jobs.flatMap((each) => Object.entries(each)))
}

/** Resolves when no work is under way that one of them has started. */
export const idleOf = (jobs: ReadonlyMap<string, Job>) => Promise.all([...jobs.values()].map(async (job) => job.idle?.()))

/** The background work of the whole installation; any number of processes may run each job at once. `slices`: what this one evaluates. */
export function createJobs(deps: JobDeps, slices: () => Slices = () => ALL_SLICES): Jobs {
  const ending = new AbortController()
  const jobs = describeJobs(deps, ending.signal, slices)
  const runs = Object.fromEntries([...jobs].map(([name, job]) => [name, () => job.run()]))
  // The names are those of the features, as their types say.
  return { ...(runs as Record<JobName, () => Promise<unknown>>), idle: () => idleOf(jobs), end: () => ending.abort() }
}
