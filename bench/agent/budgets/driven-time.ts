/**
 * Loaded before the program of an agent: lets its time pass 33 times as fast, and stand while it works. So its intervals are the default
 * ones, and nothing is measured that depends on how fast the machine is. Before each timer of a schedule it writes a mark into the
 * trace, as a path that does not exist: what was allocated since the previous one, and how often garbage was collected.
 */
import { accessSync } from 'node:fs'
import { getHeapStatistics, GCProfiler } from 'node:v8'
import { passMinutes } from './host.ts'
import { PREPARING, WORKING } from './marks.ts'

const SPEED = 33
const MINUTE_MS = 60_000
/** Limits of single steps, such as 5 s for a source and 15 s for a request, take real time. */
const LONGEST_LIMIT_MS = 5_000
const REQUEST_LIMIT_MS = 15_000

const host = process.env['BUDGET_HOST'] ?? ''
const inRealTime = globalThis.setTimeout
const inRealClear = globalThis.clearTimeout
const startMs = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS
let passedMs = 3_000
let profiler: GCProfiler | undefined
let usedBytes = 0

Date.now = () => startMs + passedMs
process.hrtime = Object.assign(
  (): [number, number] => [1_000 + Math.floor(passedMs / 1_000), (passedMs % 1_000) * 1e6],
  process.hrtime,
)

function mark(path: string): void {
  try {
    accessSync(path)
  } catch {
    // It never exists.
  }
}

function endWork(): void {
  const collections = profiler?.stop().statistics ?? []
  const freed = collections.map(
    ({ beforeGC, afterGC }) => beforeGC.heapStatistics.usedHeapSize - afterGC.heapStatistics.usedHeapSize,
  )
  const allocated = getHeapStatistics().used_heap_size - usedBytes + freed.reduce((sum, bytes) => sum + bytes, 0)
  mark(`${PREPARING}/${allocated}/${collections.length}`)
}

function beginWork(): void {
  mark(WORKING)
  profiler = new GCProfiler()
  profiler.start()
  usedBytes = getHeapStatistics().used_heap_size
}

interface Scheduled {
  delayMs: number
  dueMs: number
  run: () => void
}

let schedule: Scheduled[] = []
let armed: NodeJS.Timeout | undefined

/** In the order in which they are due, with a pause for the work of each. */
function arm(): void {
  inRealClear(armed)
  const [first] = schedule
  if (first) armed = inRealTime(() => fire(first), (first.dueMs - passedMs) / SPEED)
}

function fire(timer: Scheduled): void {
  schedule = schedule.filter((other) => other !== timer)
  passedMs = Math.max(passedMs, timer.dueMs)
  endWork()
  // Before a push, which reads the processes; samples do not.
  if (timer.delayMs === MINUTE_MS) passMinutes(host, Math.floor(passedMs / MINUTE_MS))
  beginWork()
  timer.run()
  arm()
}

function setDrivenTimeout(run: (...args: unknown[]) => void, delayMs = 0, ...args: unknown[]): unknown {
  if (delayMs <= LONGEST_LIMIT_MS || delayMs === REQUEST_LIMIT_MS) return inRealTime(run, delayMs, ...args)
  const timer = { delayMs, dueMs: passedMs + delayMs, run: () => run(...args) }
  schedule = [...schedule, timer].sort((a, b) => a.dueMs - b.dueMs)
  arm()
  return timer
}

function clearDrivenTimeout(timer: NodeJS.Timeout | undefined): void {
  inRealClear(timer)
  schedule = schedule.filter((other) => (other as unknown) !== timer)
}

Object.assign(globalThis, { setTimeout: setDrivenTimeout, clearTimeout: clearDrivenTimeout })
