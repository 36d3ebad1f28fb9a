/**
 * The thread that only runs checks. Orders arrive in batches and may be due later; results are returned in batches. An uncaught
 * exception ends the thread, and its owner starts another.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../../platform/time/clock.ts'
import { after } from '../../../platform/time/monotonic.ts'
import { yieldToEventLoop } from '../../../platform/concurrency/yield-to-event-loop.ts'
import { createProber } from './prober.ts'
import type { Order, Report, ThreadData } from './thread-messages.ts'

/** Starting a check takes a tenth of a millisecond, which delays the events of the others. */
const STARTS_A_TURN = 8
/** Results are not urgent. */
const REPORT_MS = 50
const REPORT_COUNT = 256

if (!parentPort) throw new Error('this file is for a worker thread')
const port = parentPort
const prober = createProber((workerData as ThreadData).options)

/** By their instant, in whole milliseconds: each has one timer. */
const planned = new Map<number, Order[]>()
const ready: Order[] = []
let isStarting = false
let reports: Report[] = []
let isReporting = false

function report(id: number, ...[result]: [Report[1]]): void {
  reports.push([id, result])
  if (reports.length >= REPORT_COUNT) flush()
  else if (!isReporting) {
    isReporting = true
    after(REPORT_MS, flush, { isKeptAlive: true })
  }
}

function flush(): void {
  isReporting = false
  if (reports.length === 0) return
  port.postMessage(reports)
  reports = []
}

async function startReady(): Promise<void> {
  if (isStarting) return
  isStarting = true
  while (ready.length > 0) {
    for (const { id, definition } of ready.splice(0, STARTS_A_TURN))
      void prober.check(definition).then((result) => report(id, result))
    if (ready.length > 0) await yieldToEventLoop()
  }
  isStarting = false
}

function accept(order: Order): void {
  const { startAtMs = 0 } = order
  const waitMs = startAtMs - systemClock.now()
  if (waitMs <= 0) {
    ready.push(order)
    return
  }
  const others = planned.get(startAtMs)
  if (others) {
    others.push(order)
    return
  }
  planned.set(startAtMs, [order])
  after(waitMs, () => begin(startAtMs), { isKeptAlive: true })
}

function begin(startAtMs: number): void {
  ready.push(...(planned.get(startAtMs) ?? []))
  planned.delete(startAtMs)
  void startReady()
}

port.on('message', (orders: Order[]) => {
  for (const order of orders) accept(order)
  void startReady()
})
