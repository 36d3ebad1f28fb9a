import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'

/** Samples of one push; more of them would only make the pushes slower. */
const SAMPLES = 5
const PAUSE_MS = 10
/** Two samples never have the same instant; going back in time keeps them away from what is refused as too far ahead. */
const STEP_MS = 7

/** The name of its one container. */
export const CONTAINER = 'kept'

/** An agent that never rests: pushes batch after batch, and each until it is acknowledged. */
export interface Pusher {
  /** Where to push from now on. */
  url: string
  /** Instants of the acknowledged samples with what was measured, ms → percent. */
  acknowledged: Map<number, number>
  /** Likewise of the readings of its container, one in each push. */
  readings: Map<number, number>
  /** How often no acknowledgement came. */
  failures: number
  /** Statuses other than 202 that were answered. */
  statuses: Set<number>
  /** Resolves when a push that begins after the call is acknowledged. */
  nextSuccess(): Promise<void>
  /** Ends after the current batch, which is given `patienceMs` to be acknowledged. */
  stop(patienceMs?: number): Promise<void>
}

/** Pushes with this server's token over kept connections, as fetch keeps them, every `pauseMs`. */
export function startPusher(url: string, token: string, pauseMs = PAUSE_MS): Pusher {
  const startMs = Date.now()
  const state = { isStopped: false, giveUpAt: Infinity, batches: 0 }
  const waiters: (() => void)[] = []
  const pusher: Pusher = {
    url,
    acknowledged: new Map(),
    readings: new Map(),
    failures: 0,
    statuses: new Set(),
    nextSuccess: async () => {
      // The first may be one that had begun before.
      for (let count = 0; count < 2; count += 1) await new Promise<void>((done) => waiters.push(done))
    },
    stop: async (patienceMs = 60_000) => {
      state.isStopped = true
      state.giveUpAt = performance.now() + patienceMs
      await running
    },
  }

  async function pushOne(): Promise<void> {
    const first = startMs - state.batches * SAMPLES * STEP_MS
    const samples = Array.from({ length: SAMPLES }, (_, index) => ({
      atMs: first - (SAMPLES - 1 - index) * STEP_MS,
      percent: (state.batches % 97) + index / 10,
    }))
    state.batches += 1
    const body = JSON.stringify({
      batch_id: randomUUID(),
      sent_at: new Date().toISOString(),
      agent_version: '0.1.0',
      entities: [{ kind: 'container', name: CONTAINER, values: { restarts: state.batches } }],
      samples: samples.map(({ atMs, percent }) => ({ at: new Date(atMs).toISOString(), cpu: { percent } })),
    })
    while (!(await isAcknowledged(body))) {
      pusher.failures += 1
      if (performance.now() > state.giveUpAt) return
      await delay(20)
    }
    for (const { atMs, percent } of samples) pusher.acknowledged.set(atMs, percent)
    // Read with the newest sample.
    pusher.readings.set(first, state.batches)
    for (const done of waiters.splice(0)) done()
  }

  /** One that was stored before its answer was lost comes back as duplicates: both are an acknowledgement. */
  async function isAcknowledged(body: string): Promise<boolean> {
    const headers = { 'content-type': 'application/json', 'x-api-key': token }
    try {
      const response = await fetch(`${pusher.url}/v1/agent/metrics`, { method: 'POST', headers, body })
      const answer = (await response.json()) as { accepted: number; duplicates: number }
      if (response.status !== 202) pusher.statuses.add(response.status)
      return response.status === 202 && answer.accepted + answer.duplicates === SAMPLES
    } catch {
      return false // no connection, or cut within the answer: the outcome is unknown, so it is sent again
    }
  }

  const running = (async () => {
    while (!state.isStopped) {
      await pushOne()
      await delay(pauseMs)
    }
  })()
  return pusher
}
