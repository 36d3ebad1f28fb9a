import { BlockError } from '@vedette/shared/metrics/block'
import { expect, it } from 'vitest'
import { decodePushed, decodeWanted, encodePushed } from './pushed.ts'
import { SampleList } from './samples.ts'

const series = (number: number, ...samples: [number, number][]) => ({
  number,
  samples: { atMs: Float64Array.from(samples, ([at]) => at), values: Float64Array.from(samples, ([, value]) => value) },
})
const data = encodePushed([series(900, [1_800_000_000_000, 9]), series(7, [1_800_000_000_000, 1.5], [1_799_999_990_000, -2])])
const inList = (list: SampleList | undefined) => {
  const { atMs, values } = (list as SampleList).toSamples()
  return [...atMs].map((at, index) => [at, values[index]])
}

it('what a request brought is read by series, in order', () => {
  const lists = new Map<number, SampleList>()
  decodePushed(data, lists)
  expect([...lists.keys()]).toEqual([7, 900])
  expect(inList(lists.get(7))).toEqual([
    [1_799_999_990_000, -2],
    [1_800_000_000_000, 1.5],
  ])
})

it('a read of single series adds the samples of these alone', () => {
  const read = (...wanted: number[]) => {
    const lists = new Map(wanted.map((number) => [number, new SampleList()]))
    decodeWanted(data, lists, Float64Array.from(wanted))
    return wanted.map((number) => lists.get(number)?.count)
  }
  expect([read(7), read(900), read(7, 900), read(8, 899), read(1, 7, 1_000)]).toEqual([[2], [1], [2, 1], [0, 0], [0, 2, 0]])
})

it('a row whose series are all below or above those that are read is not inflated', () => {
  // Its rest is damaged, which nothing notices.
  const damaged = data.map((byte, index) => (index > 6 ? byte ^ 0xff : byte))
  const read = (number: number) => decodeWanted(damaged, new Map([[number, new SampleList()]]), Float64Array.of(number))
  for (const number of [6, 901]) read(number)
  expect(() => read(7)).toThrow(BlockError)
})
