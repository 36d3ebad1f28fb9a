import { countSteps, type Steps } from '../planning/plan.ts'
import type { Call } from '../syntax/ast.ts'
import { type Column, mergeColumns } from './columns.ts'
import type { Evaluation } from './context.ts'
import { keepLabels, keyOf, type Labels, NAME, valueOf } from './labels.ts'
import { warnOfQuantiles } from './ranges.ts'

const BOUND = 'le'

interface Bucket {
  upper: number
  count: number
}

interface Histogram {
  name: string
  labels: Labels
  buckets: { upper: number; column: Column }[]
}

const FORCED =
  'input to histogram_quantile needed to be fixed for monotonicity (see https://prometheus.io/docs/prometheus/latest/querying/functions/#histogram_quantile) for metric name'

/** The quantile of classic histograms: series whose label `le` is the upper bound of a bucket. */
export function histogramQuantile(evaluation: Evaluation, { args: [q, vector] }: Call, steps: Steps): Column[] {
  if (!q || !vector) return []
  const quantiles = evaluation.scalar(q, steps)
  warnOfQuantiles(evaluation, quantiles, q.from)
  const histograms = group(evaluation, evaluation.vector(vector, steps), vector.from)
  const forced = new Set<string>()
  const columns = histograms.map(({ name, labels, buckets }) => {
    const column = evaluation.createColumn(labels, countSteps(steps))
    for (let step = 0; step < column.present.length; step++) {
      const present = buckets.filter(({ column: { present: is } }) => is[step] === 1)
      if (present.length === 0) continue
      const counts = present.map(({ upper, column: { values } }) => ({ upper, count: values[step] ?? NaN }))
      const result = bucketQuantile(quantiles[step] ?? NaN, counts)
      column.values[step] = result.value
      column.present[step] = 1
      if (result.isForced) forced.add(name)
    }
    return column
  })
  for (const name of forced) evaluation.inform(`${FORCED} ${JSON.stringify(name)}`, vector.from)
  return mergeColumns(columns)
}

function group(evaluation: Evaluation, columns: readonly Column[], at: number): Histogram[] {
  const histograms = new Map<string, Histogram>()
  for (const column of columns) {
    const bound = valueOf(column.labels, BOUND)
    const upper = parseBound(bound)
    if (upper === undefined) {
      const name = JSON.stringify(valueOf(column.labels, NAME))
      evaluation.warn(
        `bucket label "le" is missing or has a malformed value of ${JSON.stringify(bound)} for metric name ${name}`,
        at,
      )
      continue
    }
    const key = keyOf(keepLabels(column.labels, (name) => name !== BOUND))
    const histogram = histograms.get(key)
    if (histogram) histogram.buckets.push({ upper, column })
    else {
      const labels = keepLabels(column.labels, (name) => name !== BOUND && name !== NAME)
      histograms.set(key, { name: valueOf(column.labels, NAME), labels, buckets: [{ upper, column }] })
    }
  }
  return [...histograms.values()]
}

/** A number as Go reads it; undefined for any other text. */
function parseBound(text: string): number | undefined {
  if (/^[+-]?inf(?:inity)?$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity
  if (/^nan$/i.test(text)) return NaN
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined
}

/** Differences of counts below this share are errors of rounding. */
const TOLERANCE = 1e-12
const SMALLEST_NORMAL = 2 ** -1022

/** `isForced`: counts of higher buckets were smaller by more than an error of rounding. */
export function bucketQuantile(q: number, given: readonly Bucket[]): { value: number; isForced: boolean } {
  const plain = (value: number) => ({ value, isForced: false })
  if (Number.isNaN(q)) return plain(NaN)
  if (q < 0 || q > 1) return plain(q < 0 ? -Infinity : Infinity)
  const sorted = given.map((bucket) => ({ ...bucket })).sort((a, b) => (a.upper < b.upper ? -1 : a.upper > b.upper ? 1 : 0))
  if (sorted.at(-1)?.upper !== Infinity) return plain(NaN)
  const buckets = coalesce(sorted)
  const isForced = makeMonotonic(buckets)
  const observations = buckets.at(-1)?.count ?? 0
  if (buckets.length < 2 || observations === 0) return plain(NaN)
  const rank = q * observations
  const index = searchRank(buckets, rank)
  const { upper, count } = buckets[index] ?? { upper: NaN, count: NaN }
  const below = index > 0 ? (buckets[index - 1] ?? { upper: 0, count: 0 }) : { upper: 0, count: 0 }
  if (index === buckets.length - 1) return { value: below.upper, isForced }
  if (index === 0 && upper <= 0) return { value: upper, isForced }
  return { value: below.upper + (upper - below.upper) * ((rank - below.count) / (count - below.count)), isForced }
}

/** The first bucket before the last that reaches the rank; by bisection, because a count of NaN must end where Prometheus ends. */
function searchRank(buckets: readonly Bucket[], rank: number): number {
  let [low, high] = [0, buckets.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((buckets[middle]?.count ?? NaN) >= rank) high = middle
    else low = middle + 1
  }
  return low
}

function coalesce(sorted: readonly Bucket[]): Bucket[] {
  const buckets: Bucket[] = []
  for (const bucket of sorted) {
    const last = buckets.at(-1)
    if (last?.upper === bucket.upper) last.count += bucket.count
    else buckets.push(bucket)
  }
  return buckets
}

function makeMonotonic(buckets: Bucket[]): boolean {
  let isForced = false
  let previous = buckets[0]?.count ?? NaN
  for (const bucket of buckets.slice(1)) {
    if (bucket.count === previous) continue
    const isRounding = isAlmostEqual(previous, bucket.count)
    if (isRounding || bucket.count < previous) {
      bucket.count = previous
      isForced ||= !isRounding
    } else previous = bucket.count
  }
  return isForced
}

function isAlmostEqual(a: number, b: number): boolean {
  if (Number.isNaN(a) && Number.isNaN(b)) return true
  if (a === b) return true
  const [sum, difference] = [Math.abs(a) + Math.abs(b), Math.abs(a - b)]
  if (a === 0 || b === 0 || sum < SMALLEST_NORMAL) return difference < TOLERANCE * SMALLEST_NORMAL
  return difference / Math.min(sum, Number.MAX_VALUE) < TOLERANCE
}
