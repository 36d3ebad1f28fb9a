import { type ClaimsAnswer, type ControlTarget, MAX_CLAIM_WAIT_SECONDS, MAX_PROBE_BATCH } from '@vedette/shared'
import type { Clock } from '../../../platform/time/clock.ts'
import type { BackendClient } from './client.ts'
import type { Contact } from './contact.ts'
import type { Sender } from './sender.ts'

export interface Claimer {
  stop(): Promise<void>
}

/** One request per check would exceed the limit of 1,000 a minute. */
const MIN_PAUSE_MS = 500
const FIRST_RETRY_MS = 1_000
const LAST_RETRY_MS = 15_000
const UNKNOWN_TOKEN_RETRY_MS = 60_000

/** Claims checks continuously and passes each response on. */
export function startClaimer(deps: {
  workerId: string
  controlTargets(): ControlTarget[]
  client: BackendClient
  contact: Contact
  sender: Sender
  clock: Clock
  take(answer: ClaimsAnswer): void
}): Claimer {
  const { workerId, controlTargets, client, contact, sender, clock, take } = deps
  const stopping = new AbortController()
  let failures = 0
  // The first request, and the first after a failure, does not wait, so that the terminal shows the connection at once.
  let waitSeconds = 0

  async function claimOnce(): Promise<number> {
    const body = { worker_id: workerId, wait_seconds: waitSeconds, limit: MAX_PROBE_BATCH, control_targets: controlTargets() }
    const answer = await client.claim(body, stopping.signal)
    if (stopping.signal.aborted) return 0
    contact.record(answer)
    if (answer.kind === 'done') {
      failures = 0
      waitSeconds = MAX_CLAIM_WAIT_SECONDS
      take(answer.body)
      return answer.body.checks.length === MAX_PROBE_BATCH ? 0 : MIN_PAUSE_MS
    }
    waitSeconds = 0
    if (answer.kind === 'unknown') return UNKNOWN_TOKEN_RETRY_MS
    failures += 1
    const retryAfterMs = answer.kind === 'away' ? answer.retryAfterMs : undefined
    return retryAfterMs ?? Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1))
  }

  const running = (async () => {
    while (!stopping.signal.aborted) {
      await sender.caughtUp(stopping.signal)
      if (!stopping.signal.aborted) await clock.sleep(await claimOnce(), stopping.signal)
    }
  })()
  return {
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}
