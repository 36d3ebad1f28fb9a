import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../../logging/log.ts'
import type { Endpoint } from './endpoint.ts'
import type { Passwords } from './passwords.ts'
import { type Postmaster, stopPostmaster } from './postmaster.ts'
import { provision } from './provision.ts'

const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 250
const STILL_STARTING_MS = 10_000

/** A starting Postgres, and what identifies it. */
export interface Candidate {
  postmaster: Postmaster
  endpoint: Endpoint
  passwords: Passwords
  cluster: string
}

/** `ended`: the process exited. `refused`: it runs and rejects the connection. `stopped`: the caller aborted. */
export type BringUp =
  | { state: 'ready' }
  | { state: 'ended'; reason: string }
  | { state: 'refused'; reason: string }
  | { state: 'stopped' }

/**
 * Waits without a limit until a connection works: recovery after a crash may take minutes, and an abort would only restart it.
 * Log lines are not reliable enough. On `stopped` the process has exited; on `refused` it still runs.
 */
export async function bringUp(candidate: Candidate, log: Log, signal: AbortSignal): Promise<BringUp> {
  const { postmaster } = candidate
  let ended: string | undefined
  void (async () => {
    ended = await postmaster.exited
  })()
  let sinceNoteMs = 0
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
    if (signal.aborted) return giveUp(postmaster, log)
    const readiness = await provision(candidate.endpoint, candidate.passwords, candidate.cluster)
    if (ended !== undefined) return { state: 'ended', reason: ended }
    if (readiness.state === 'ready') return { state: 'ready' }
    if (readiness.state === 'refused') return readiness
    await Promise.race([delay(pauseMs), postmaster.exited])
    sinceNoteMs += pauseMs
    if (sinceNoteMs < STILL_STARTING_MS) continue
    log.info({ pid: postmaster.pid, tail: postmaster.tail() }, 'postgres is still starting')
    sinceNoteMs = 0
  }
}

async function giveUp(postmaster: Postmaster, log: Log): Promise<BringUp> {
  await stopPostmaster(postmaster, log)
  return { state: 'stopped' }
}
