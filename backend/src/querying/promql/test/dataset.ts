import type { SeriesData } from '../model/types.ts'

/** 2026-01-01T00:00:00Z: all samples are in the three hours from here. */
export const START_MS = Date.UTC(2026, 0, 1)
export const END_MS = START_MS + 3 * 3_600_000
const INTERVAL_MS = 15_000

/** The same numbers in each run. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}

type ValueAt = (index: number) => number | undefined

/** Gauges, counters with resets, classic histograms, gaps longer than a lookback, and values that are no numbers. */
/** All samples come later by the shift. */
export function createDataset(allShiftMs = 0): SeriesData[] {
  const random = createRandom(42)
  const series: SeriesData[] = []
  const add = (name: string, labels: Record<string, string>, valueAt: ValueAt, ownShiftMs = 0): void => {
    const shiftMs = allShiftMs + ownShiftMs
    const samples: [number, number][] = []
    for (let index = 0; START_MS + index * INTERVAL_MS + shiftMs <= END_MS; index++) {
      const value = valueAt(index)
      if (value !== undefined) samples.push([START_MS + index * INTERVAL_MS + shiftMs, value])
    }
    series.push({
      labels: { __name__: name, ...labels },
      atMs: Float64Array.from(samples, ([atMs]) => atMs),
      values: Float64Array.from(samples, ([, value]) => value),
    })
  }
  for (const [index, host] of ['a', 'b', 'c', 'd'].entries()) {
    const region = index % 2 === 0 ? 'eu' : 'us'
    const noise = () => Math.round(random() * 1_000) / 10
    add('temperature', { host, region }, (at) => Math.round(Math.sin(at / 20 + index) * 500) / 10 + index, index * 1_003)
    add('memory_bytes', { host, region, kind: 'used' }, () => Math.floor(random() * 1e9))
    add('memory_bytes', { host, region, kind: 'free' }, () => Math.floor(random() * 1e9))
    add('load', { host }, (at) => (Math.floor(at / 40) % 3 === index % 3 ? undefined : noise()))
    add('up', { host, region }, (at) => Number((at + index * 7) % 50 !== 0))
    add('host_info', { host, version: `1.${index % 3}`, os: index % 2 === 0 ? 'linux' : 'bsd' }, () => 1)
    add('limit', { host }, () => 40 + index * 10, 500)
    for (const code of ['200', '404', '500']) {
      let total = 0
      const rate = code === '200' ? 20 : index
      add('http_requests_total', { host, region, code }, (at) => {
        if (at % (97 + index * 13) === 96) total = 0
        if (code === '500' && at < 60) return undefined
        return (total += Math.floor(random() * rate))
      })
    }
    addHistogram(add, 'request_seconds', { host }, random)
  }
  for (const [kind, value] of [
    ['nan', NaN],
    ['inf', Infinity],
    ['negative', -Infinity],
    ['zero', 0],
    ['huge', 1e300],
  ] as const)
    add('odd', { kind }, (at) => (at % 7 === 3 ? at : value))
  add('lonely', {}, (at) => (at === 200 ? 7 : undefined))
  add('short', { host: 'a', note: 'ü"\\' }, (at) => (at > 300 && at < 340 ? at : undefined), 7_777)
  return series
}

function addHistogram(
  add: (name: string, labels: Record<string, string>, valueAt: ValueAt) => void,
  name: string,
  labels: Record<string, string>,
  random: () => number,
): void {
  const counts = new Map<string, number>()
  for (const le of ['0.1', '0.5', '1', '2.5', '10', '+Inf'])
    add(`${name}_bucket`, { ...labels, le }, (at) => {
      // Higher buckets count what lower ones count and more, because each grows by at least as much as the one below.
      const growth = Math.floor(random() * 3) + (le === '+Inf' ? 20 : Math.ceil(Number(le) * 2))
      const count = (at % 120 === 119 ? 0 : (counts.get(le) ?? 0)) + growth
      counts.set(le, count)
      return count
    })
  add(`${name}_sum`, labels, (at) => at * 3.7)
  add(`${name}_count`, labels, (at) => at * 20)
}

/** For `promtool tsdb create-blocks-from openmetrics`. */
export function toOpenMetrics(series: readonly SeriesData[]): string {
  const lines: string[] = []
  for (const { labels, atMs, values } of series) {
    const { __name__: name = '', ...others } = labels
    const pairs = Object.entries(others).map(
      ([label, value]) => `${JSON.stringify(label).replaceAll(/^"|"$/g, '')}=${JSON.stringify(value)}`,
    )
    for (const [index, at] of atMs.entries()) {
      const value = values[index] ?? NaN
      const text = Number.isFinite(value) ? String(value) : Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
      lines.push(`${name}{${pairs.join(',')}} ${text} ${(at / 1_000).toFixed(3)}`)
    }
  }
  return `${lines.join('\n')}\n# EOF\n`
}
