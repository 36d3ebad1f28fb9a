import { type Matcher, matches, type SeriesData, setStale } from '../../../../querying/promql/index.ts'
import type { Labels } from './source.ts'

/** Samples in order, and how long each counts. */
export type Part = Required<Pick<SeriesData, 'atMs' | 'values' | 'lookbackMs'>>

/**
 * Parts of one series, in order of time. The longest lookback stands for all of it, so a sample of another part ends where its own would:
 * by a stale marker, unless the next sample comes before. Pure.
 */
export function joinParts(parts: readonly Part[]): Part | undefined {
  const filled = parts.filter(({ atMs }) => atMs.length > 0)
  const [only] = filled
  if (filled.length < 2 || !only) return only
  const lookbackMs = Math.max(...filled.map((part) => part.lookbackMs))
  const samples: [atMs: number, value: number | undefined][] = []
  for (const [number, part] of filled.entries()) {
    const isShorter = part.lookbackMs < lookbackMs
    for (const [index, at] of part.atMs.entries()) {
      samples.push([at, part.values[index]])
      const nextMs = part.atMs[index + 1] ?? filled[number + 1]?.atMs[0] ?? Number.POSITIVE_INFINITY
      if (isShorter && nextMs > at + part.lookbackMs) samples.push([at + part.lookbackMs, undefined])
    }
  }
  const atMs = Float64Array.from(samples, ([at]) => at)
  const values = Float64Array.from(samples, ([, value]) => value ?? Number.NaN)
  // The bits of a stale marker do not survive being copied as numbers.
  for (const [index, value] of values.entries()) if (Number.isNaN(value)) setStale(values, index)
  return { atMs, values, lookbackMs }
}

/** Where the parts of each series are collected, in order of time. */
export class CollectedSeries {
  readonly #found = new Map<string, { labels: Labels; parts: Part[] }>()
  readonly #matchers: readonly Matcher[]

  constructor(matchers: readonly Matcher[]) {
    this.#matchers = matchers
  }

  add(labels: Labels, part: Part): void {
    if (part.atMs.length === 0 || !matches(this.#matchers, labels)) return
    const key = Object.values(labels).join('\0')
    const known = this.#found.get(key)
    if (known) known.parts.push(part)
    else this.#found.set(key, { labels, parts: [part] })
  }

  series(): SeriesData[] {
    return [...this.#found.values()].flatMap(({ labels, parts }) => {
      const joined = joinParts(parts)
      return joined ? [{ labels, ...joined }] : []
    })
  }
}
