import { zstdCompressSync } from 'node:zlib'
import {
  fieldIdsOf,
  type FieldTotals,
  PieceMerger,
  type SampleSink,
  STORED_GROUPS,
  type StoredGroup,
  type StoredPiece,
  Summary,
} from '../aggregate.ts'
import { decodeBlock, encodeBlock, type SampleColumns, valueAt } from '../block/index.ts'
import { encodeHeader } from './header.ts'
import { inflate } from './hour.ts'

export const DAY_MS = 86_400_000
export const BUCKET_MS = 300_000
const BUCKETS = DAY_MS / BUCKET_MS

/** A group of a server's day as it is stored. */
export interface StoredDay {
  group: StoredGroup
  header: Uint8Array
  data: Uint8Array
}

/**
 * Means over 5 minutes as columns of a block: count, sum and maximum of each field, under ids made of the field's own. A sum that
 * passes 2^53 − 1 has its multiple of 2^48 in a column of its own.
 */
const COUNT = 0
const SUM = 1
const MAX = 2
const LARGE = 3
const PARTS = 4
const LARGE_UNIT = 2n ** 48n

const IDS_OF = new Map(STORED_GROUPS.map((group) => [group, fieldIdsOf([group])]))
const NO_IDS: ReadonlySet<number> = new Set()

/** The day, from pieces ordered by `t0Ms`; a group without any value is left out. */
export function toDay(day: number, pieces: readonly StoredPiece[]): StoredDay[] {
  const startMs = day * DAY_MS
  const window = { fromMs: startMs, toMs: startMs + DAY_MS }
  const buckets = Array.from({ length: BUCKETS }, (_, index) => {
    const fromMs = startMs + index * BUCKET_MS
    return new Summary({ fromMs, toMs: fromMs + BUCKET_MS })
  })
  const merger = new PieceMerger(window, [new Spread(startMs, buckets)], fieldIdsOf(STORED_GROUPS))
  for (const piece of pieces) merger.add(piece)
  merger.finish()
  const perBucket = buckets.map((bucket) => bucket.totals())
  // From the parts, not from the samples once more: the sums are exact, so that it is the same.
  const whole = new Summary(window)
  for (const part of perBucket) for (const [id, found] of part) whole.addTotals(id, found)
  const totals = whole.totals()
  return STORED_GROUPS.flatMap((group) => {
    const ids = IDS_OF.get(group) ?? NO_IDS
    const own = new Map([...totals].filter(([id]) => ids.has(id)))
    if (own.size === 0) return []
    const columns = toColumns(startMs, [...own.keys()], perBucket)
    return [{ group, header: encodeHeader(own, startMs), data: zstdCompressSync(encodeBlock(columns)) }]
  })
}

/** Hands a block to those buckets that it reaches into. */
class Spread implements SampleSink {
  readonly #startMs: number
  readonly #buckets: readonly Summary[]

  constructor(startMs: number, buckets: readonly Summary[]) {
    this.#startMs = startMs
    this.#buckets = buckets
  }

  add(columns: SampleColumns, stands: Uint8Array | undefined): void {
    const placeOf = (index: number) => Math.floor((valueAt(columns.atMs, index) - this.#startMs) / BUCKET_MS)
    const last = placeOf(columns.atMs.length - 1)
    for (let place = placeOf(0); place <= last; place += 1) this.#buckets[place]?.add(columns, stands)
  }
}

function toColumns(
  startMs: number,
  ids: readonly number[],
  perBucket: readonly ReadonlyMap<number, FieldTotals>[],
): SampleColumns {
  const fieldIds = ids.toSorted((a, b) => a - b).flatMap((id) => Array.from({ length: PARTS }, (_, part) => id * PARTS + part))
  const values = new Float64Array(fieldIds.length * BUCKETS).fill(Number.NaN)
  for (const [row, partId] of fieldIds.entries()) {
    const id = Math.floor(partId / PARTS)
    for (const [place, totals] of perBucket.entries()) {
      const found = totals.get(id)
      if (found) values[row * BUCKETS + place] = partOf(found, partId % PARTS)
    }
  }
  const atMs = Float64Array.from({ length: BUCKETS }, (_, index) => startMs + index * BUCKET_MS)
  return { atMs, fieldIds, values }
}

function partOf({ count, sum, max }: FieldTotals, part: number): number {
  if (part === COUNT) return count
  if (part === MAX) return max
  if (typeof sum === 'number') return part === SUM ? sum : Number.NaN
  const rest = ((sum % LARGE_UNIT) + LARGE_UNIT) % LARGE_UNIT
  return part === SUM ? Number(rest) : Number((sum - rest) / LARGE_UNIT)
}

/** Calls `take` with what each 5 minutes of a stored day add up to, for the wanted fields. Throws BlockError. */
export function readBuckets(
  day: number,
  data: Uint8Array,
  wanted: ReadonlySet<number>,
  take: (startMs: number, fieldId: number, totals: Pick<FieldTotals, 'count' | 'sum' | 'max'>) => void,
): void {
  const parts = new Set([...wanted].flatMap((id) => Array.from({ length: PARTS }, (_, part) => id * PARTS + part)))
  const { atMs, fieldIds, values } = decodeBlock(inflate(data), day * DAY_MS, parts)
  const rowOf = new Map(fieldIds.map((partId, row) => [partId, row * atMs.length]))
  for (const id of wanted) {
    const start = rowOf.get(id * PARTS + COUNT)
    const sums = rowOf.get(id * PARTS + SUM)
    const maxima = rowOf.get(id * PARTS + MAX)
    if (start === undefined || sums === undefined || maxima === undefined) continue
    const large = rowOf.get(id * PARTS + LARGE)
    for (const [place, startMs] of atMs.entries()) {
      const count = valueAt(values, start + place)
      if (Number.isNaN(count)) continue
      const high = large === undefined ? Number.NaN : valueAt(values, large + place)
      const low = valueAt(values, sums + place)
      const sum = Number.isNaN(high) ? low : BigInt(high) * LARGE_UNIT + BigInt(low)
      take(startMs, id, { count, sum, max: valueAt(values, maxima + place) })
    }
  }
}
