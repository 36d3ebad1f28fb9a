/**
 * The thread that checks and does nothing else. Orders come in batches and may be due later; results go back in batches. What it
 * does not catch ends it, and whoever started it starts another.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../platform/clock.ts'
import { after } from '../../platform/monotonic.ts'
import { nextTurn } from '../../platform/turn.ts'
import { createProber } from './prober.ts'
import type { Order, Report, ThreadData } from './thread-messages.ts'

/** Checks that are due within so many ms are started together: a wake-up costs as much as a check over http. */
const SLOT_MS = 10
/** Starting one takes a tenth of a millisecond, in which no event of the others is heard. */
const STARTS_A_TURN = 8
/** Nobody waits for a result as for a page. */
const REPORT_MS = 50
const REPORT_COUNT = 256

if (!parentPort) throw new Error('this file is for a worker thread')
const port = parentPort
const prober = createProber((workerData as ThreadData).options)

const slots = new Map<number, Order[]>()
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
    if (ready.length > 0) await nextTurn()
  }
  isStarting = false
}

function accept(order: Order): void {
  const waitMs = (order.startAtMs ?? 0) - systemClock.now()
  if (waitMs < SLOT_MS / 2) {
    ready.push(order)
    return
  }
  const slot = Math.round((order.startAtMs as number) / SLOT_MS)
  const others = slots.get(slot)
  if (others) {
    others.push(order)
    return
  }
  slots.set(slot, [order])
  after(slot * SLOT_MS - systemClock.now(), () => open(slot), { isKeptAlive: true })
}

function open(slot: number): void {
  ready.push(...(slots.get(slot) ?? []))
  slots.delete(slot)
  void startReady()
}

port.on('message', (orders: Order[]) => {
  for (const order of orders) accept(order)
  void startReady()
})
