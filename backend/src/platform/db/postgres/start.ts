import { realpath } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../../logging/log.ts'
import { pauseBeforeMs } from './backoff.ts'
import { type BringUp, bringUp } from './bring-up.ts'
import { checkMajor, makeCluster, readClusterMajor, writeSettings } from './cluster.ts'
import { makeDataFolder, makePrivateFolder } from './data-folder.ts'
import { applicationUrl, chooseEndpoint, type Endpoint } from './endpoint.ts'
import { findInstallation, readMajor } from './installation.ts'
import { type Layout, layoutOf } from './layout.ts'
import { takeOwnerLock } from './owner-lock.ts'
import { makePasswords, type Passwords, readPasswords } from './passwords.ts'
import { type Postmaster, spawnPostmaster, stopPostmaster, watchPostmaster } from './postmaster.ts'
import type { ServiceAccount } from './run-as.ts'
import { findRunningPostmaster, removeStalePidFile } from './running-postmaster.ts'
import { makeRuntimeFolder, removeOtherRuntimes } from './runtime-folder.ts'
import { PostgresStartError } from './start-error.ts'
import { supervise } from './supervisor.ts'

// The children of a killed postmaster were seen to hold the shared memory for under 3 s; a slow disk gets room.
const FIRST_START_MS = 20_000

export interface EmbeddedPostgresOptions {
  dataDir: string
  log: Log
  /** A folder with `bin/postgres`, used where it lies; by default the npm package. */
  installation?: string
  /** False only for test clusters: less work for the disk, and lost with the machine. */
  fsync?: boolean
  /** Called when Postgres ended by itself and is ready again. */
  onRestart?: () => void
  /** Gives up a start that is under way; has no effect after it. */
  signal?: AbortSignal
}

export interface EmbeddedPostgres {
  /** For the application's role; stays the same across restarts of Postgres. */
  url: string
  major: number
  /** Id of the first process; another one after a restart. */
  pid(): number
  /** Resolves when the process is gone, within 10 s; may be repeated. */
  stop(): Promise<void>
}

/** All that a start needs, found and made once. */
interface Plan {
  layout: Layout
  account: ServiceAccount
  programs: string
  major: number
  passwords: Passwords
  fsync: boolean
  log: Log
}

interface Running {
  postmaster: Postmaster
  endpoint: Endpoint
}

/**
 * Brings up the Postgres of a data folder and keeps it up: makes the cluster at the first start, adopts one that a killed parent
 * left running. Throws PostgresStartError, among others when another living process supervises this folder.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { layout, account } = await makeDataFolder(options.dataDir)
  const lock = await takeOwnerLock(layout.ownerLock)
  try {
    const plan = await makePlan(layout, account, options)
    const signal = options.signal ?? new AbortController().signal
    const running = (await adopt(plan, signal)) ?? (await launchWithRetries(plan, signal))
    const { endpoint } = running
    const relaunch = async (stopping: AbortSignal) => launch(plan, endpoint, stopping)
    const supervision = supervise(running.postmaster, relaunch, plan.log, () => options.onRestart?.())
    const stop = async () => {
      await supervision.stop()
      await lock.release()
    }
    return { url: applicationUrl(endpoint, plan.passwords), major: plan.major, pid: supervision.pid, stop }
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** URL of the Postgres that runs on a data folder, for a command next to the instance that runs it; undefined when none runs. */
export async function findRunningUrl(dataDir: string): Promise<string | undefined> {
  const root = await realpath(dataDir).catch(() => undefined)
  if (!root) return undefined
  const layout = layoutOf(root)
  const passwords = await readPasswords(layout.passwords)
  const running = await findRunningPostmaster(layout.cluster)
  return running && passwords && applicationUrl(running.endpoint, passwords)
}

/** Whether a data folder holds a database, running or not. */
export async function hasDatabase(dataDir: string): Promise<boolean> {
  const root = await realpath(dataDir).catch(() => undefined)
  return root !== undefined && (await readClusterMajor(layoutOf(root))) !== undefined
}

async function makePlan(layout: Layout, account: ServiceAccount, options: EmbeddedPostgresOptions): Promise<Plan> {
  const installation = await findInstallation(options.installation)
  const programs = await makeRuntimeFolder(installation, layout.runtime)
  const major = await readMajor(programs, account)
  const fsync = options.fsync ?? true
  const passwords = await ensureCluster(layout, account, { programs, major, fsync })
  await makePrivateFolder(layout.sockets, account)
  return { layout, account, programs, major, passwords, fsync, log: options.log }
}

async function ensureCluster(
  layout: Layout,
  account: ServiceAccount,
  options: { programs: string; major: number; fsync: boolean },
): Promise<Passwords> {
  const clusterMajor = await readClusterMajor(layout)
  const stored = await readPasswords(layout.passwords)
  if (clusterMajor === undefined) {
    const passwords = stored ?? (await makePasswords(layout.passwords))
    await makeCluster(layout, account, { ...options, password: passwords.superuser })
    return passwords
  }
  checkMajor(layout, clusterMajor, options.major)
  if (stored) return stored
  throw new PostgresStartError(
    `The file with the passwords of the database, ${layout.passwords}, is missing. Restore it from a backup.`,
  )
}

/** Takes over a Postgres that runs on our cluster; we hold the lock, so its parent is dead. Undefined when there is none. */
async function adopt(plan: Plan, signal: AbortSignal): Promise<Running | undefined> {
  const { cluster } = plan.layout
  const found = await findRunningPostmaster(cluster)
  const postmaster = found && (await watchPostmaster(found.pid))
  if (!postmaster) return undefined
  const result = await bringUp({ ...plan, postmaster, endpoint: found.endpoint, cluster }, plan.log, signal)
  // It was on its way out.
  if (result.state === 'ended') return undefined
  if (result.state === 'ready') {
    plan.log.info({ pid: found.pid }, 'postgres was left running by a killed process and is adopted')
    postmaster.setQuiet(false)
    return { postmaster, endpoint: found.endpoint }
  }
  throw new PostgresStartError(`The Postgres that runs on ${cluster} (process ${found.pid}) cannot be adopted: ${textOf(result)}`)
}

async function launchWithRetries(plan: Plan, signal: AbortSignal): Promise<Running> {
  const beganAt = performance.now()
  let failure = 'the start was given up'
  for (let attempt = 0; ; attempt += 1) {
    await delay(pauseBeforeMs(attempt), undefined, { signal }).catch(() => undefined)
    const isLate = performance.now() - beganAt > FIRST_START_MS
    if (signal.aborted || isLate) throw new PostgresStartError(`Postgres does not start: ${failure}`)
    // Chosen again for each attempt: another process may have taken the loopback port.
    const endpoint = await chooseEndpoint(plan.layout.sockets)
    const result = await launch(plan, endpoint, signal)
    if (!('failure' in result)) {
      await removeOtherRuntimes(plan.layout.runtime, plan.programs)
      return { postmaster: result, endpoint }
    }
    failure = result.failure
    plan.log.warn({ attempt, failure }, 'postgres did not start and is tried again')
  }
}

/** One start. On failure nothing of it runs any more; the text carries the tail of Postgres' log. */
async function launch(plan: Plan, endpoint: Endpoint, signal: AbortSignal): Promise<Postmaster | { failure: string }> {
  const { cluster } = plan.layout
  try {
    await removeStalePidFile(cluster)
    await writeSettings(plan.layout, plan.account, plan)
  } catch (error) {
    return { failure: `the settings could not be written: ${String(error)}` }
  }
  const postmaster = spawnPostmaster({ ...plan, cluster, endpoint }, plan.log)
  const result = await bringUp({ ...plan, postmaster, endpoint, cluster }, plan.log, signal)
  if (result.state === 'ready') {
    postmaster.setQuiet(false)
    return postmaster
  }
  if (result.state === 'refused') await stopPostmaster(postmaster, plan.log)
  return { failure: `${textOf(result)}\n${postmaster.tail()}`.trim() }
}

function textOf(result: Exclude<BringUp, { state: 'ready' }>): string {
  return result.state === 'stopped' ? 'the start was given up' : result.reason
}
