import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../../logging/log.ts'
import { type Endpoint, listenSwitches } from './endpoint.ts'
import { followLog } from './postmaster-log.ts'
import { processToken } from './process-identity.ts'
import { CLEAN_ENVIRONMENT, type ServiceAccount } from './run-as.ts'

// A fast stop writes a checkpoint. The backend has 10 s to end: 8 for that, the rest for the two steps that recover at the next start.
const FAST_STOP_MS = 8_000
const QUICK_STOP_MS = 1_000
// Seldom enough to cost nothing, often enough for a restart within seconds.
const ADOPTED_WATCH_MS = 500
const ADOPTED_STOP_WATCH_MS = 25

/** The first process of a running Postgres. `exited` resolves with how it ended and never rejects. */
export interface Postmaster {
  pid: number
  exited: Promise<string>
  /** The last lines of its log; empty for an adopted one, whose log went to its former parent. */
  tail: () => string
  setQuiet: (isQuiet: boolean) => void
}

/** What one start needs. */
export interface Launch {
  programs: string
  cluster: string
  account: ServiceAccount
  endpoint: Endpoint
}

/**
 * Starts Postgres; it is not ready yet. `detached` puts it into a session of its own: a Ctrl-C on our terminal would reach it
 * before us and cut the clients that are still answering. The price is that it outlives our own kill -9; the next start adopts it.
 */
export function spawnPostmaster(launch: Launch, log: Log): Postmaster {
  const child = spawn(join(launch.programs, 'bin', 'postgres'), ['-D', launch.cluster, ...listenSwitches(launch.endpoint)], {
    env: CLEAN_ENVIRONMENT,
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...launch.account.ids,
  })
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ? `signal ${signal}` : `exit code ${code}`))
    child.once('error', (error) => resolve(error.message))
  })
  const said = followLog(child.stderr, log)
  // Without a pid it was never there: `exited` says why, and 0 is never signalled.
  return { pid: child.pid ?? 0, exited, tail: said.tail, setQuiet: said.setQuiet }
}

/** Watches over a Postgres that another process started. Undefined when it no longer runs. */
export async function watchPostmaster(pid: number): Promise<Postmaster | undefined> {
  const token = await processToken(pid)
  if (token === undefined) return undefined
  let watchMs = ADOPTED_WATCH_MS
  const watch = async (): Promise<string> => {
    while ((await processToken(pid)) === token) await delay(watchMs)
    return 'ended while adopted'
  }
  const setQuiet = (isQuiet: boolean) => {
    watchMs = isQuiet ? ADOPTED_STOP_WATCH_MS : ADOPTED_WATCH_MS
  }
  return { pid, exited: watch(), tail: () => '', setQuiet }
}

/** Resolves when the process is gone: asked to stop fast, then at once, then killed. Nothing acknowledged is lost by any of them. */
export async function stopPostmaster(postmaster: Postmaster, log: Log): Promise<void> {
  postmaster.setQuiet(true)
  if (await endsAfter(postmaster, 'SIGINT', FAST_STOP_MS)) return
  log.warn({ pid: postmaster.pid }, 'postgres does not stop in time and is stopped without a checkpoint')
  if (await endsAfter(postmaster, 'SIGQUIT', QUICK_STOP_MS)) return
  signal(postmaster.pid, 'SIGKILL')
  await postmaster.exited
}

async function endsAfter(postmaster: Postmaster, name: NodeJS.Signals, withinMs: number): Promise<boolean> {
  const isGone = postmaster.exited.then(() => true)
  // Asked first: the id of a process that is gone may be another's by now.
  if (await Promise.race([isGone, delay(0, false)])) return true
  signal(postmaster.pid, name)
  const timer = new AbortController()
  const isLate = delay(withinMs, false, { signal: timer.signal }).catch(() => false)
  const isEnded = await Promise.race([isGone, isLate])
  timer.abort()
  return isEnded
}

function signal(pid: number, name: NodeJS.Signals): void {
  if (pid <= 0) return
  try {
    process.kill(pid, name)
  } catch {
    // It exited before the signal: `exited` reports that.
  }
}
