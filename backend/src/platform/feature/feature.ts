import type { Encrypter } from '../crypto/encrypter.ts'
import type { InstallationSecrets } from '../crypto/installation-secrets.ts'
import type { Db, PartitionPlan } from '../db/index.ts'
import type { App } from '../http/index.ts'
import type { Log } from '../logging/log.ts'

/** Registers routes. */
export type Routes<Context> = (app: App, context: Context) => void | Promise<void>

/** How long samples are kept, one by one and as means over 5 minutes and more. */
export interface Retention {
  rawMs: number
  rollupMs: number
}

/** Partitions that are made and dropped as their plans say, or by a function: without a retention it drops no samples. */
export type Partitions =
  | readonly PartitionPlan[]
  | {
      tables: readonly Pick<PartitionPlan, 'table' | 'period' | 'ahead'>[]
      keep: (db: Db, log: Log, nowMs: number, retention?: Retention) => Promise<void>
    }

/** Work in the background. Any number of processes may run it at once. */
export interface Job {
  /** In the log. */
  name: string
  run(): Promise<unknown>
  /** Between two runs, ms. With `queues`: where announcements do not arrive, and of jobs that cannot be taken though they are due. */
  everyMs: number
  /** Until the first run, ms; without it `everyMs`. */
  firstMs?: number
  /** Tables of queues: it runs when something is stored there, and when something is due. */
  queues?: readonly string[]
  /** One process at a time runs it. `holdMs` is several times `everyMs`. */
  lease?: { name: string; holdMs: number }
  /** Runs are left out while it is false. */
  when?(): Promise<boolean>
  /** While `when` is false it rests: for so many ms, or until something is stored in the table. */
  rests?: { ms: number; wokenBy: string }
  /** Each process does a part of the work: those of its slices. `dueMs`: when there is something to do next. */
  share?: { isDue(): boolean; dueMs(): number }
  /** Never runs: a setting that it needs is absent. */
  isOff?: boolean
  /** The job that has something to do after it, by its key. */
  wakes?: string
  /** Resolves when nothing that a run has started is under way. */
  idle?(): Promise<unknown>
}

/**
 * Everything that one part of the product adds to an installation. The application and the background jobs are loops over a list of
 * these. `Serving` and `Working` are what it needs of the API and of the jobs.
 */
export interface Feature<Serving, Working> {
  routes?: readonly Routes<Serving>[]
  /** By the name that tests call them by. */
  jobs?: (context: Working) => Readonly<Record<string, Job>>
  /** Its tables that are partitioned by time. */
  partitions?: Partitions
  /** Deletes rows that have expired; runs every hour, in several processes at once. */
  deleteExpired?: (context: Working) => Promise<void>
  /** Deletes the rows of an organization that have no foreign key. */
  deleteOrganization?: (db: Db, organization: number) => Promise<void>
  /** Removes the references to a server that is deleted. */
  deleteServer?: (db: Db, organization: number, serverId: string, at: Date) => Promise<void>
}

/** The feature as it is, so that the compiler knows the names of its jobs and what it needs. */
export const defineFeature = <const Definition extends Feature<never, never>>(definition: Definition): Definition => definition

/** Routes whose `encrypter` is that of one purpose. */
export const withEncrypter =
  <Context extends { encrypter: Encrypter }>(
    encrypterOf: (secrets: InstallationSecrets) => Encrypter,
    ...routes: readonly Routes<Context>[]
  ): Routes<Omit<Context, 'encrypter'> & { secrets: InstallationSecrets }> =>
  async (app, context) => {
    const encrypter = encrypterOf(context.secrets)
    for (const register of routes) await register(app, { ...context, encrypter } as unknown as Context)
  }
