import { expect, it } from 'vitest'
import { isStale, setStale } from '../../../querying/promql/index.ts'
import { type Cursor, cutBatches, MAX_BATCH_VALUES } from './batches.ts'
import type { ExportedSeries } from './exported-series.ts'

const resource = { id: 'srv_1', attributes: {}, scope: '' }
const START: Cursor = { receivedAtMs: 0, t0Ms: 0, digest: '0', server: 0, values: 0 }
const placeOf = (index: number) => ({ receivedAtMs: 1_000 + index, t0Ms: index, digest: String(index), server: 1 })
const series = (name: string, fromMs: number, count: number): ExportedSeries => {
  const atMs = Float64Array.from({ length: count }, (_, index) => fromMs + index)
  return { resource, name, unit: '', labels: {}, isCounter: false, atMs, values: atMs.map((at) => at * 2) }
}
const push = (index: number, ...own: ExportedSeries[]) => ({ place: placeOf(index), path: '', series: own })

it('joins pushes, each series once and in order, each instant once', () => {
  const [batch, ...others] = cutBatches([push(1, series('a', 10, 3)), push(2, series('b', 5, 1), series('a', 8, 4))], START)
  expect(others).toEqual([])
  expect(batch?.series.map(({ name, atMs, values }) => ({ name, atMs: [...atMs], values: [...values] }))).toEqual([
    { name: 'a', atMs: [8, 9, 10, 11, 12], values: [16, 18, 20, 22, 24] },
    { name: 'b', atMs: [5], values: [10] },
  ])
  expect(batch?.next).toMatchObject({ ...placeOf(2), values: 0 })
})

it('cuts a push that is larger than a batch, and goes on in it', () => {
  const all = [push(1, series('a', 0, 10)), push(2, series('a', 100, 3_000), series('b', 100, 1_500))]
  const batches = [...cutBatches(all, START)]
  expect(batches.map(({ values, next }) => [values, next.digest, next.values])).toEqual([
    [MAX_BATCH_VALUES, '1', 1_990],
    [MAX_BATCH_VALUES, '1', 3_990],
    [510, '2', 0],
  ])
  const [, second, third] = batches
  const after = [...cutBatches(all.slice(1), { ...placeOf(1), values: 1_990 })]
  expect(after).toEqual([second, third])
})

it('without anything to send moves to the end', () => {
  const batches = [...cutBatches([push(1), push(2)], START)]
  expect(batches.map(({ values, next }) => [values, next.digest])).toEqual([[0, '2']])
})

it('keeps what came through other exports apart, without losing the place', () => {
  const own = [push(1, series('a', 0, 2)), { ...push(2, series('a', 2, 3)), path: 'org_x' }, push(3), push(4, series('a', 5, 1))]
  const batches = [...cutBatches(own, START)]
  expect(batches.map(({ path, values, next }) => [path, values, next.digest])).toEqual([
    ['', 2, '1'],
    ['org_x', 3, '2'],
    ['', 1, '4'],
  ])
  expect([...cutBatches(own.slice(1), { ...placeOf(1), values: 0 })]).toEqual(batches.slice(1))
})

it('keeps the bits of stale markers where pieces are joined', () => {
  const stale = Float64Array.of(1, 0)
  setStale(stale, 1)
  const first = { ...series('a', 10, 2), values: stale }
  const [batch] = [...cutBatches([push(1, first), push(2, series('a', 5, 1))], START)]
  const [one] = batch?.series ?? []
  expect([...(one?.atMs ?? [])]).toEqual([5, 10, 11])
  expect([0, 1, 2].map((index) => isStale(one?.values as Float64Array, index))).toEqual([false, false, true])
})
