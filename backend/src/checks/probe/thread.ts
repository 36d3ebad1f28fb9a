import { Worker } from 'node:worker_threads'
import type { CheckDefinition, CheckResult } from '@vedette/shared'
import { type Clock, systemClock } from '../../platform/clock.ts'
import { createAddressGuard } from './address/guard.ts'
import type { ProberOptions, ProberStats } from './prober.ts'
import { ownFault } from './result.ts'
import type { Order, Report, ThreadData } from './thread-messages.ts'

export interface ThreadStats extends ProberStats {
  /** How often the thread had to be started again. */
  restarts: number
  /** Share of its time that the thread was busy since this was last asked for, 0 to 1. Above 0.3 it begins to show in the times. */
  busy: number
}

export interface ProberThread {
  /**
   * Makes one check of a valid definition, at once or at an instant (milliseconds since the epoch). Never rejects: if the thread
   * ends, what it had under way is `inconclusive`, and what was not due yet is made by the next one.
   */
  check(definition: CheckDefinition, startAtMs?: number): Promise<CheckResult>
  /** Checks that were asked for and have not ended, those that are not due yet included. */
  readonly inFlight: number
  stats(): ThreadStats
  /** Ends the thread; what was under way is `inconclusive`. */
  close(): Promise<void>
}

export interface ThreadParts {
  /** Times the restarts, and tells what is due. */
  clock?: Clock
  /** What the thread runs. */
  file?: URL
}

interface Pending extends Order {
  /** When it will be clear that the thread hangs. */
  lostAtMs: number
  resolve(result: CheckResult): void
}

/** A thread that dies at once would be started in a circle. */
const RESTART_MS = 1_000
/** How often is looked for checks that should have ended, and how long after. */
const LOOK_MS = 5_000
const GRACE_MS = 15_000

/**
 * Starts a thread that only checks, so that nothing else this process does can show up in a response time. Throws where the options
 * are wrong.
 */
export function startProberThread(options: ProberOptions, parts: ThreadParts = {}): ProberThread {
  const { clock = systemClock, file = workerFile() } = parts
  // The thread could only die of it.
  createAddressGuard(options)
  const pending = new Map<number, Pending>()
  const stats = { checks: 0, delayed: 0, inconclusive: 0, restarts: 0 }
  const closing = new AbortController()
  let outgoing: Order[] = []
  let nextId = 1
  let worker: Worker | undefined
  let busySince: ReturnType<Worker['performance']['eventLoopUtilization']> | undefined

  function settle(id: number, result: CheckResult): void {
    const order = pending.get(id)
    if (!order) return
    pending.delete(id)
    stats.checks++
    if (result.delayed) stats.delayed++
    if (result.outcome === 'inconclusive') stats.inconclusive++
    order.resolve(result)
  }

  function start(): void {
    const data: ThreadData = { options }
    const thread = new Worker(file, { workerData: data, execArgv: [], resourceLimits: { maxYoungGenerationSizeMb: 8 } })
    worker = thread
    busySince = undefined
    thread.unref()
    thread.on('message', (reports: Report[]) => {
      for (const [id, result] of reports) settle(id, result)
    })
    // What it was is not told to the checks; the exit behind it is what counts.
    thread.on('error', (error) => void (lastError = error))
    thread.on('exit', () => {
      if (worker === thread) void replace()
    })
  }
  let lastError: unknown

  /** What was under way is lost, and none of its target's doing. */
  async function replace(): Promise<void> {
    worker = undefined
    const why = lastError instanceof Error ? `: ${lastError.message}` : ''
    lastError = undefined
    const now = clock.now()
    for (const { id, startAtMs } of pending.values())
      if (startAtMs === undefined || startAtMs <= now) settle(id, ownFault(`the thread that checks ended${why}`, now))
    stats.restarts++
    await clock.sleep(RESTART_MS, closing.signal)
    if (closing.signal.aborted) return
    start()
    send([...pending.values()])
  }

  function send(orders: readonly Order[]): void {
    if (!worker || orders.length === 0) return
    const message = orders.map(({ id, definition, startAtMs }): Order => ({ id, definition, startAtMs }))
    worker.postMessage(message, [])
  }

  function sendSoon(order: Order): void {
    if (outgoing.push(order) > 1) return
    queueMicrotask(() => {
      const orders = outgoing
      outgoing = []
      // Between two threads nothing is sent: the next one is given all that is pending.
      send(orders)
    })
  }

  /** A thread that hangs (a fault of ours) is ended, and its exit does the rest. */
  async function watch(): Promise<void> {
    while (!closing.signal.aborted) {
      await clock.sleep(LOOK_MS, closing.signal)
      const now = clock.now()
      if (worker && [...pending.values()].some(({ lostAtMs }) => lostAtMs < now)) await worker.terminate()
    }
  }

  start()
  void watch()
  return {
    check: (definition, startAtMs) =>
      new Promise((resolve) => {
        const now = clock.now()
        if (closing.signal.aborted) return resolve(ownFault('the check was called off', now))
        // Its own time limit, and as long again for a place at its host.
        const lostAtMs = Math.max(startAtMs ?? now, now) + 2 * definition.timeout * 1_000 + GRACE_MS
        const order = { id: nextId++, definition, startAtMs, lostAtMs, resolve }
        pending.set(order.id, order)
        sendSoon(order)
      }),
    get inFlight() {
      return pending.size
    },
    stats() {
      const measured = worker?.performance.eventLoopUtilization()
      const since = measured && busySince ? worker?.performance.eventLoopUtilization(measured, busySince) : measured
      busySince = measured
      return { ...stats, inFlight: pending.size, busy: since?.utilization ?? 0 }
    },
    async close() {
      closing.abort()
      const last = worker
      worker = undefined
      await last?.terminate()
      const now = clock.now()
      for (const id of pending.keys()) settle(id, ownFault('the check was called off', now))
    },
  }
}

/** Beside this file as it stands; bundled, beside the bundle. */
const workerFile = (): URL => new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './vedette-prober.mjs', import.meta.url)
