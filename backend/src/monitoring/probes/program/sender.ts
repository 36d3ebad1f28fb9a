import { limitAfterRefusal, limitAfterSuccess, MAX_PROBE_BATCH, type ProbeResult } from '@vedette/shared'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Log } from '../../../platform/logging/log.ts'
import type { BackendClient } from './client.ts'
import type { Contact } from './contact.ts'
import type { Spool } from './spool.ts'

/** Submits the results in the spool to the backend, oldest first. */
export interface Sender {
  /** There are new results. */
  wake(): void
  /** Resolves when the backend has all results from before this process, or from before the last failure. */
  caughtUp(signal: AbortSignal): Promise<void>
  /** Submits the waiting results once more and stops. */
  stop(): Promise<void>
}

/** Below the backend's limit of 1 MiB. */
const BATCH_BYTES = 512 * 1_024
/** One request per result would exceed the limit of 1,000 a minute. */
const BATCH_DELAY_MS = 250
const FIRST_RETRY_MS = 1_000
const LAST_RETRY_MS = 30_000
/** Retry interval for an unknown token. */
const UNKNOWN_TOKEN_RETRY_MS = 60_000
const LAST_TRY_MS = 1_000

export function startSender(deps: { spool: Spool; client: BackendClient; contact: Contact; clock: Clock; log: Log }): Sender {
  const { spool, client, contact, clock, log } = deps
  const stopping = new AbortController()
  let waking = new AbortController()
  // Results of an earlier process are submitted before new claims, which would fence them off.
  const state = { isBehind: spool.waiting > 0, failures: 0, limit: MAX_PROBE_BATCH }

  async function submitOnce(signal: AbortSignal): Promise<number> {
    const results = spool.oldest(state.limit, BATCH_BYTES)
    const answer = await client.submit(results, signal)
    contact.record(answer)
    if (answer.kind === 'done') {
      state.failures = 0
      state.limit = limitAfterSuccess(state.limit, MAX_PROBE_BATCH)
      const { refused } = answer.body
      if (refused > 0)
        log.info({ refused }, 'the backend refused late results: their checks were claimed again or their monitors changed')
      await spool.remove(results)
      return BATCH_DELAY_MS
    }
    if (answer.kind === 'refused') {
      state.limit = limitAfterRefusal(results.length)
      if (results.length === 1) await discard(results, answer.message)
      return BATCH_DELAY_MS
    }
    state.isBehind = true
    if (answer.kind === 'away' && answer.isTooMuch) state.limit = limitAfterRefusal(results.length)
    if (answer.kind === 'unknown') return UNKNOWN_TOKEN_RETRY_MS
    state.failures += 1
    return answer.retryAfterMs ?? Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (state.failures - 1))
  }

  /** It would block all later ones. */
  async function discard(results: readonly ProbeResult[], message: string): Promise<void> {
    log.error({ claim: results[0]?.claim, reason: message }, 'the backend refused a result; it is discarded')
    await spool.remove(results)
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      if (spool.waiting === 0) {
        state.isBehind = false
        waking = new AbortController()
        await clock.sleep(LAST_RETRY_MS, AbortSignal.any([waking.signal, stopping.signal]))
        await clock.sleep(BATCH_DELAY_MS, stopping.signal)
        continue
      }
      await clock.sleep(await submitOnce(stopping.signal), stopping.signal)
    }
  }

  const running = loop()
  return {
    wake: () => waking.abort(),
    caughtUp: async (signal) => {
      while (state.isBehind && !signal.aborted) await clock.sleep(BATCH_DELAY_MS, signal)
    },
    stop: async () => {
      stopping.abort()
      await running
      if (spool.waiting === 0 || state.isBehind) return
      const late = new AbortController()
      void clock.sleep(LAST_TRY_MS).then(() => late.abort())
      await submitOnce(late.signal)
    },
  }
}
