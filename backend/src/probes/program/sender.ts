import { MAX_PROBE_BATCH, type ProbeResult } from '@vedette/shared'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { Client } from './client.ts'
import type { Contact } from './contact.ts'
import type { Spool } from './spool.ts'

/** Brings what the spool holds to the backend, oldest first. */
export interface Sender {
  /** There is something new. */
  wake(): void
  /** Resolves once the backend has everything that was kept before this process, or before the last failure. */
  caughtUp(signal: AbortSignal): Promise<void>
  /** One more try for what waits, then no more. */
  stop(): Promise<void>
}

/** Below the 1 MiB that the backend takes. */
const BATCH_BYTES = 512 * 1_024
/** Results come one by one; a request for each would be over the limit of 1,000 a minute. */
const GATHER_MS = 250
const FIRST_RETRY_MS = 1_000
const LAST_RETRY_MS = 30_000
/** A token that is not known is looked for anew so often. */
const UNKNOWN_MS = 60_000
const LAST_TRY_MS = 1_000

export function startSender(deps: { spool: Spool; client: Client; contact: Contact; clock: Clock; log: Log }): Sender {
  const { spool, client, contact, clock, log } = deps
  const stopping = new AbortController()
  let waking = new AbortController()
  // What an earlier process left comes before anything that is claimed now: a new claim would fence it off.
  const state = { isBehind: spool.waiting > 0, failures: 0 }

  async function bringOnce(signal: AbortSignal): Promise<number> {
    const results = spool.oldest(MAX_PROBE_BATCH, BATCH_BYTES)
    const answer = await client.bring(results, signal)
    contact.note(answer)
    if (answer.kind === 'done') {
      state.failures = 0
      const { refused } = answer.body
      if (refused > 0)
        log.info({ refused }, 'results came too late: the checks had gone to somebody else, or the monitors changed')
      await spool.drop(results)
      return GATHER_MS
    }
    if (answer.kind === 'refused') return giveUp(results, answer.message)
    state.isBehind = true
    if (answer.kind === 'unknown') return UNKNOWN_MS
    state.failures += 1
    return answer.retryAfterMs ?? Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (state.failures - 1))
  }

  /** A batch that is refused as a whole holds up all that come after it. */
  async function giveUp(results: readonly ProbeResult[], message: string): Promise<number> {
    log.error({ results: results.length, reason: message }, 'the backend refuses these results; they are given up')
    await spool.drop(results)
    return GATHER_MS
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      if (spool.waiting === 0) {
        state.isBehind = false
        waking = new AbortController()
        await clock.sleep(LAST_RETRY_MS, AbortSignal.any([waking.signal, stopping.signal]))
        await clock.sleep(GATHER_MS, stopping.signal)
        continue
      }
      await clock.sleep(await bringOnce(stopping.signal), stopping.signal)
    }
  }

  const running = loop()
  return {
    wake: () => waking.abort(),
    caughtUp: async (signal) => {
      while (state.isBehind && !signal.aborted) await clock.sleep(GATHER_MS, signal)
    },
    stop: async () => {
      stopping.abort()
      await running
      if (spool.waiting === 0 || state.isBehind) return
      const late = new AbortController()
      void clock.sleep(LAST_TRY_MS).then(() => late.abort())
      await bringOnce(late.signal)
    },
  }
}
