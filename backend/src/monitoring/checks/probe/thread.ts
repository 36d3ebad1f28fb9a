import { Worker } from 'node:worker_threads'
import { type CheckDefinition, type CheckResult, toTimestamp } from '@vedette/shared'
import { type Clock, systemClock } from '../../../platform/time/clock.ts'
import { createAddressGuard } from './address/guard.ts'
import type { ProberOptions, ProberStats } from './prober.ts'
import { ownFault } from './result.ts'
import type { Order, Report, ThreadData } from './thread-messages.ts'

export interface ThreadStats extends ProberStats {
  /** How often the thread was restarted. */
  restarts: number
  /** Share of time that the thread was busy since the previous call, 0 to 1. Above 0.3 response times suffer. */
  busy: number
}

export interface ProberThread {
  /**
   * Runs one check of a valid definition, at once or at an instant (milliseconds since the epoch). Never rejects: if the thread
   * ends, its running checks are `inconclusive` and the next thread runs those that are not due yet.
   */
  check(definition: CheckDefinition, startAtMs?: number): Promise<CheckResult>
  /** Checks that have not completed, including those that are not due yet. */
  readonly inFlight: number
  stats(): ThreadStats
  /** Ends the thread; running checks are `inconclusive`. */
  close(): Promise<void>
}

export interface ThreadParts {
  /** Of the instants that `check` gets and answers; the thread has the clock of this machine, which may be another. */
  clock?: Clock
  /** The program of the thread. */
  file?: URL
}

interface Pending extends Order {
  /** When the thread is considered hanging. */
  lostAtMs: number
  resolve(result: CheckResult): void
}

/** Limits restarts of a thread that fails at once. */
const RESTART_MS = 1_000
/** How often overdue checks are looked for, and how late they may be. */
const WATCHDOG_MS = 5_000
const GRACE_MS = 15_000

/**
 * A thread that only runs checks and starts with the first one, so that other work of this process does not affect response times. Throws for invalid
 * options.
 */
export function startProberThread(options: ProberOptions, parts: ThreadParts = {}): ProberThread {
  const { clock = systemClock, file = workerFile() } = parts
  // Validated here, because the thread could only fail.
  createAddressGuard(options)
  const { pending, stats, settle } = createOrders()
  const closing = new AbortController()
  let outgoing: Order[] = []
  let nextId = 1
  const aheadMs = (): number => systemClock.now() - clock.now()
  const thread = keepThread({ file, options, clock }, closing.signal, {
    reported: (reports) => {
      const ahead = aheadMs()
      for (const [id, result] of reports) settle(id, { ...result, checked_at: earlier(result.checked_at, ahead) })
    },
    /** Running checks are lost without a fault of their targets. */
    ended: (why) => {
      const now = clock.now()
      for (const { id, startAtMs } of pending.values())
        if (startAtMs === undefined || startAtMs <= now) settle(id, ownFault(`the thread that checks ended${why}`, now))
      stats.restarts++
    },
    restarted: () => send([...pending.values()]),
  })

  function send(orders: readonly Order[]): void {
    if (orders.length === 0) return
    const ahead = aheadMs()
    thread.send(
      orders.map(({ id, definition, startAtMs }) => ({
        id,
        definition,
        startAtMs: startAtMs === undefined ? undefined : startAtMs + ahead,
      })),
    )
  }

  function sendSoon(order: Order): void {
    if (outgoing.push(order) > 1) return
    queueMicrotask(() => {
      const orders = outgoing
      outgoing = []
      // Between two threads nothing is sent: the next one receives everything that is pending.
      send(orders)
    })
  }

  /** Ends a hanging thread, which is a fault of ours; the exit event does the rest. */
  async function watch(): Promise<void> {
    while (!closing.signal.aborted) {
      await clock.sleep(WATCHDOG_MS, closing.signal)
      const now = clock.now()
      if ([...pending.values()].some(({ lostAtMs }) => lostAtMs < now)) await thread.end()
    }
  }

  void watch()
  return {
    check: (definition, startAtMs) =>
      new Promise((resolve) => {
        const now = clock.now()
        if (closing.signal.aborted) return resolve(ownFault('the check was canceled', now))
        // Its timeout, and the same again for a slot of its host.
        const lostAtMs = Math.max(startAtMs ?? now, now) + 2 * definition.timeout * 1_000 + GRACE_MS
        const order = { id: nextId++, definition, startAtMs, lostAtMs, resolve }
        pending.set(order.id, order)
        // With the first check: a thread takes 13 MB, and many an installation has no monitors.
        if (order.id === 1) thread.start()
        sendSoon(order)
      }),
    get inFlight() {
      return pending.size
    },
    stats: () => ({ ...stats, inFlight: pending.size, busy: thread.busy() }),
    async close() {
      closing.abort()
      await thread.close()
      for (const id of pending.keys()) settle(id, ownFault('the check was canceled', clock.now()))
    },
  }
}

function createOrders() {
  const pending = new Map<number, Pending>()
  const stats = { checks: 0, delayed: 0, inconclusive: 0, restarts: 0 }
  function settle(id: number, result: CheckResult): void {
    const order = pending.get(id)
    if (!order) return
    pending.delete(id)
    stats.checks++
    if (result.delayed) stats.delayed++
    if (result.outcome === 'inconclusive') stats.inconclusive++
    order.resolve(result)
  }
  return { pending, stats, settle }
}

/** A thread that is started again when it ends, until it is closed. */
function keepThread(
  { file, options, clock }: { file: URL; options: ProberOptions; clock: Clock },
  closing: AbortSignal,
  on: { reported(reports: Report[]): void; ended(why: string): void; restarted(): void },
) {
  let worker: Worker | undefined
  let lastError: unknown
  let busySince: ReturnType<Worker['performance']['eventLoopUtilization']> | undefined

  function start(): void {
    const data: ThreadData = { options }
    const thread = new Worker(file, { workerData: data, execArgv: [], resourceLimits: { maxYoungGenerationSizeMb: 8 } })
    worker = thread
    busySince = undefined
    thread.unref()
    thread.on('message', on.reported)
    // The exit event follows and handles it.
    thread.on('error', (error) => void (lastError = error))
    thread.on('exit', () => {
      if (worker === thread) void replace()
    })
  }

  async function replace(): Promise<void> {
    worker = undefined
    const why = lastError instanceof Error ? `: ${lastError.message}` : ''
    lastError = undefined
    on.ended(why)
    await clock.sleep(RESTART_MS, closing)
    if (closing.aborted) return
    start()
    on.restarted()
  }

  return {
    start,
    send: (orders: readonly Order[]) => worker?.postMessage(orders, []),
    /** Ends a hanging one; its exit event does the rest. */
    end: async () => void (await worker?.terminate()),
    close: async () => {
      const last = worker
      worker = undefined
      await last?.terminate()
    },
    /** Share of the time since the previous call. */
    busy: () => {
      const measured = worker?.performance.eventLoopUtilization()
      const since = measured && busySince ? worker?.performance.eventLoopUtilization(measured, busySince) : measured
      busySince = measured
      return since?.utilization ?? 0
    },
  }
}

const earlier = (timestamp: string, ms: number): string => toTimestamp(Date.parse(timestamp) - ms)

/** In the source folder, or in the bundle's folder. */
const workerFile = (): URL => new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './vedette-prober.mjs', import.meta.url)
