import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../../logging/log.ts'
import { pauseBeforeMs } from './backoff.ts'
import { type Postmaster, stopPostmaster } from './postmaster.ts'

// One that served this long and ended is a new incident. Longer would punish a row of kills that each were recovered from.
const STEADY_MS = 1_000

/** One more start: the Postgres that is ready, or why there is none. */
export type Relaunch = (signal: AbortSignal) => Promise<Postmaster | { failure: string }>

export interface Supervision {
  pid: () => number
  /** Resolves when no Postgres of ours runs. May be repeated. */
  stop: () => Promise<void>
}

/**
 * Keeps a Postgres running.
 *
 *   running --it ends--> pausing --> relaunching --ready--> running
 *                           ^______________| failed
 *   any --stop()--> stopped
 *
 * Never gives up: the cause may pass (a full disk, no memory), and the application answers `unavailable` meanwhile.
 */
export function supervise(first: Postmaster, relaunch: Relaunch, log: Log, onRestart: () => void): Supervision {
  const stopping = new AbortController()
  let current = first
  const run = async (): Promise<void> => {
    let attempt = 0
    while (!stopping.signal.aborted) {
      const readyAt = performance.now()
      const reason = await current.exited
      if (stopping.signal.aborted) return
      log.error({ pid: current.pid, reason, tail: current.tail() }, 'postgres ended by itself and is started again')
      if (performance.now() - readyAt > STEADY_MS) attempt = 0
      const next = await relaunchUntilReady(relaunch, stopping.signal, log, attempt)
      if (!next) return
      attempt = next.attempt
      current = next.postmaster
      log.info({ pid: current.pid }, 'postgres is ready again')
      onRestart()
    }
  }
  const ended = run()
  return {
    pid: () => current.pid,
    stop: async () => {
      stopping.abort()
      await stopPostmaster(current, log)
      await ended
    },
  }
}

/** Undefined when the stop came first. */
async function relaunchUntilReady(relaunch: Relaunch, signal: AbortSignal, log: Log, firstAttempt: number) {
  for (let attempt = firstAttempt; !signal.aborted; attempt += 1) {
    await delay(pauseBeforeMs(attempt), undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return undefined
    const result = await relaunch(signal)
    if (!('failure' in result)) return { postmaster: result, attempt: attempt + 1 }
    if (!signal.aborted) log.error({ attempt, failure: result.failure }, 'postgres did not start')
  }
  return undefined
}
