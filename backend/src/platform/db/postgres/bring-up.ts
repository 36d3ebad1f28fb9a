import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../../log.ts'
import type { Endpoint } from './endpoint.ts'
import type { Passwords } from './passwords.ts'
import { type Postmaster, stopPostmaster } from './postmaster.ts'
import { provision } from './provision.ts'

const FIRST_LOOK_MS = 20
const LONGEST_LOOK_MS = 250
const STILL_STARTING_MS = 10_000

/** A Postgres that is to be waited for, and how to know it. */
export interface Candidate {
  postmaster: Postmaster
  endpoint: Endpoint
  passwords: Passwords
  cluster: string
}

/** `ended`: it went away by itself. `refused`: it runs and does not let us in. `stopped`: we were asked to give up. */
export type BringUp =
  | { state: 'ready' }
  | { state: 'ended'; reason: string }
  | { state: 'refused'; reason: string }
  | { state: 'stopped' }

/**
 * Waits until a connection works, however long: recovery after a crash may take minutes, and to cut it short would only begin it again.
 * A line of the log is no proof. On `stopped` the process is gone; on `refused` it still runs.
 */
export async function bringUp(candidate: Candidate, log: Log, signal: AbortSignal): Promise<BringUp> {
  const { postmaster } = candidate
  let ended: string | undefined
  void (async () => {
    ended = await postmaster.exited
  })()
  let sinceNoteMs = 0
  for (let lookMs = FIRST_LOOK_MS; ; lookMs = Math.min(lookMs * 1.5, LONGEST_LOOK_MS)) {
    if (signal.aborted) return giveUp(postmaster, log)
    const readiness = await provision(candidate.endpoint, candidate.passwords, candidate.cluster)
    if (ended !== undefined) return { state: 'ended', reason: ended }
    if (readiness.state === 'ready') return { state: 'ready' }
    if (readiness.state === 'refused') return readiness
    await Promise.race([delay(lookMs), postmaster.exited])
    sinceNoteMs += lookMs
    if (sinceNoteMs < STILL_STARTING_MS) continue
    log.info({ pid: postmaster.pid, tail: postmaster.tail() }, 'postgres is still starting')
    sinceNoteMs = 0
  }
}

async function giveUp(postmaster: Postmaster, log: Log): Promise<BringUp> {
  await stopPostmaster(postmaster, log)
  return { state: 'stopped' }
}
