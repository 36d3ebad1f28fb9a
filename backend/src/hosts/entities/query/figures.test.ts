import { expect, test } from 'vitest'
import { Series, Summary } from './figures.ts'

const MINUTE = 60_000

/** A reading of a container a minute from this one on. */
const columnsOf = (first: number, percents: readonly number[]) => ({
  atMs: Float64Array.from(percents, (_, index) => (first + index) * MINUTE),
  fieldIds: [2],
  values: Float64Array.from(percents, (percent) => percent * 100),
})

test('a year of readings has a summary', () => {
  const summary = new Summary('container')
  summary.add(
    columnsOf(
      0,
      Array.from({ length: 400 * 1_440 }, (_, minute) => (minute === 7 ? 90 : 1)),
    ),
  )
  expect(summary.figures()['cpu_percent']).toMatchObject({ newest: 1, max: 90 })
})

test('pieces have the figures of the whole, and steps may lie over two of them', () => {
  const [whole, inPieces] = [new Summary('container'), new Summary('container')]
  const steps = { fromMs: 0, toMs: 6 * MINUTE, stepMs: 2 * MINUTE }
  const series = new Series('container', steps)
  whole.add(columnsOf(0, [1, 2, 3, Number.NaN, 5]))
  for (const piece of [columnsOf(0, [1, 2, 3]), columnsOf(3, [Number.NaN]), columnsOf(4, [5])]) {
    inPieces.add(piece)
    series.add(piece)
  }
  expect(inPieces.figures()).toEqual(whole.figures())
  expect(inPieces.figures()).toEqual({ cpu_percent: { newest: 5, avg: 2.75, max: 5 } })
  expect(series.figures().fields).toEqual({ cpu_percent: { avg: [1.5, 3, 5], max: [2, 3, 5] } })
})
