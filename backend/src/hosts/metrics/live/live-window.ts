import type { PushMarks } from './live-store.ts'
import { type DecodedPush, forEachLive, LIVE_MS, inUnitOf } from './live.ts'

/** The live samples of one field from an instant on, and the pushes that they came with. */
export interface LiveWindow {
  fieldId: number
  /** What pushes that end before held is not known, ms. */
  sinceMs: number
  /** Ascending, each instant once. */
  atMs: number[]
  /** Scaled integers, at the same indexes. */
  values: number[]
  pushes: KnownPush[]
}

interface KnownPush {
  t0Ms: number
  tLastMs: number
  /** Of its digest. */
  upper: number
  lower: number
}

/** What the live samples of a time say of a field. */
export interface LiveMean {
  /** All three are null without a sample. */
  mean: number | null
  least: number | null
  greatest: number | null
  /** Whether live samples go back to the beginning, but for a tenth. */
  isCovered: boolean
}

export const emptyWindow = (fieldId: number, sinceMs: number): LiveWindow => ({
  fieldId,
  sinceMs,
  atMs: [],
  values: [],
  pushes: [],
})

/**
 * Adds a push, once. Of two samples of one instant the first added one stays; `isTwice` reports such samples, because in storage the
 * first received one takes precedence.
 */
export function takePush(
  window: LiveWindow,
  { t0Ms, tLastMs, digest, columns, receivedAtMs }: DecodedPush,
): { isTwice: boolean } {
  const [upper, lower] = [digest.readInt32BE(0), digest.readInt32BE(4)]
  if (window.pushes.some((push) => push.lower === lower && push.upper === upper && push.t0Ms === t0Ms)) return { isTwice: false }
  window.pushes.push({ t0Ms, tLastMs, upper, lower })
  let isTwice = false
  if (columns)
    forEachLive(columns, receivedAtMs, (id, value, atMs) => {
      if (id === window.fieldId && atMs >= window.sinceMs && !putSample(window, atMs, value)) isTwice = true
    })
  return { isTwice }
}

function putSample({ atMs: instants, values }: LiveWindow, atMs: number, value: number): boolean {
  const index = instants.length === 0 || (instants.at(-1) as number) < atMs ? instants.length : firstIndexFrom(instants, atMs)
  if (instants[index] === atMs) return false
  if (index === instants.length) {
    instants.push(atMs)
    values.push(value)
  } else {
    instants.splice(index, 0, atMs)
    values.splice(index, 0, value)
  }
  return true
}

/** The index of the first instant that is not before `atMs`. */
function firstIndexFrom(instants: readonly number[], atMs: number): number {
  let [low, high] = [0, instants.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((instants[middle] as number) < atMs) low = middle + 1
    else high = middle
  }
  return low
}

/** Forgets what a mean over `spanMs` to the newest sample does not look at. */
export function evictOld(window: LiveWindow, spanMs: number): void {
  const newestMs = window.pushes.reduce((newest, { tLastMs }) => Math.max(newest, tLastMs), Number.NEGATIVE_INFINITY)
  const sinceMs = windowStartMs(newestMs, spanMs)
  if (sinceMs <= window.sinceMs) return
  window.sinceMs = sinceMs
  const old = firstIndexFrom(window.atMs, sinceMs)
  window.atMs.splice(0, old)
  window.values.splice(0, old)
  window.pushes = window.pushes.filter(({ tLastMs }) => tLastMs >= sinceMs)
}

/** What a mean looks at begins so much before the mean: a sample there shows that the server was measured at its beginning. */
export const windowStartMs = (toMs: number, spanMs: number): number => toMs - spanMs - LIVE_MS

/** The mean and the extremes of [toMs − spanMs, toMs]. */
export function meanOf({ fieldId, atMs: instants, values }: LiveWindow, toMs: number, spanMs: number): LiveMean {
  const fromMs = toMs - spanMs
  const firstMs = instants[firstIndexFrom(instants, windowStartMs(toMs, spanMs))] ?? Number.POSITIVE_INFINITY
  let [sum, count, least, greatest] = [0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let index = firstIndexFrom(instants, fromMs); index < instants.length && (instants[index] as number) <= toMs; index += 1) {
    const value = values[index] as number
    sum += value
    count += 1
    least = Math.min(least, value)
    greatest = Math.max(greatest, value)
  }
  const toUnit = (scaled: number) => (count === 0 ? null : inUnitOf(fieldId, scaled))
  return {
    mean: toUnit(sum / count),
    least: toUnit(least),
    greatest: toUnit(greatest),
    isCovered: firstMs <= Math.min(toMs, fromMs + spanMs / 10),
  }
}

/** Of the pushes that are known of those that may hold samples of [fromMs, toMs]. */
export function marksOf({ pushes }: LiveWindow, fromMs: number, toMs: number): PushMarks {
  const marks = { count: 0, upper: 0, lower: 0 }
  for (const { t0Ms, tLastMs, upper, lower } of pushes) {
    if (t0Ms > toMs || tLastMs < fromMs) continue
    marks.count += 1
    marks.upper ^= upper
    marks.lower ^= lower
  }
  return marks
}
