import { expect, it } from 'vitest'
import { isStale } from '../../../../querying/promql/index.ts'
import { joinParts, type Part } from './parts.ts'

const part = (lookbackMs: number, ...atMs: number[]): Part => ({
  atMs: Float64Array.from(atMs),
  values: Float64Array.from(atMs, (at) => at / 10),
  lookbackMs,
})
/** `80!` is a stale marker. */
const written = (joined: Part | undefined): string[] | undefined =>
  joined && [...joined.atMs].map((at, index) => (isStale(joined.values, index) ? `${at}!` : `${at}=${joined.values[index]}`))

it.each<[string, Part[], string[] | undefined, number | undefined]>([
  ['nothing', [], undefined, undefined],
  ['empty parts', [part(5), part(9)], undefined, undefined],
  ['one part as it is', [part(9), part(5, 10, 90)], ['10=1', '90=9'], 5],
  ['no marker where the next sample comes in time', [part(100, 10), part(20, 30, 50)], ['10=1', '30=3', '50=5', '70!'], 100],
  ['a marker in a gap', [part(100, 10), part(20, 30, 60)], ['10=1', '30=3', '50!', '60=6', '80!'], 100],
  ['the longer part last', [part(20, 30), part(100, 90, 190)], ['30=3', '50!', '90=9', '190=19'], 100],
])('parts of one series: %s', (_, parts, samples, lookbackMs) => {
  const joined = joinParts(parts)
  expect([written(joined), joined?.lookbackMs]).toEqual([samples, lookbackMs])
})
