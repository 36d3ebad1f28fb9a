import { METRIC_GROUPS } from '@vedette/shared'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  alignWindow,
  chooseStep,
  fieldIdsOf,
  mergeSamples,
  PieceMerger,
  Series,
  series,
  type StoredPiece,
  Summary,
  summarize,
} from './index.ts'
import { divideExactly } from './exact.ts'
import { HOUR, hour, type Row, row, summaryOf, T0, toPieces } from './test-rows.ts'
import { encodeBlock } from '@vedette/shared/metrics/block'

const every = fieldIdsOf(METRIC_GROUPS)

/** Reference implementation: all samples ordered by precedence, the first sample of an instant wins. */
function naive(rows: Row[], window: { fromMs: number; toMs: number }): [number, Record<number, number>][] {
  const byInstant = new Map<number, Record<number, number>>()
  for (const { samples } of [...rows].sort((a, b) => a.receivedAtMs - b.receivedAtMs || a.digest - b.digest)) {
    for (const [at, values] of samples) if (!byInstant.has(at)) byInstant.set(at, values)
  }
  return [...byInstant].filter(([at]) => at >= window.fromMs && at < window.toMs).sort(([a], [b]) => a - b)
}

function naiveTotals(samples: [number, Record<number, number>][], id: number) {
  const found = samples.flatMap(([at, values]) => (values[id] === undefined ? [] : [{ at, value: values[id] }]))
  const last = found.at(-1)
  const sum = found.reduce((total, { value }) => total + BigInt(value), 0n)
  return (
    last && { count: found.length, sum, max: Math.max(...found.map(({ value }) => value)), last: last.value, lastAtMs: last.at }
  )
}

const anyValue = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 2 ** 53 - 20, max: 2 ** 53 - 1 }))
const anyRow = (digest: number): fc.Arbitrary<Row> =>
  fc.record({
    receivedAtMs: fc.integer({ min: 0, max: 3 }),
    digest: fc.constant(digest),
    samples: fc
      .uniqueArray(
        fc.tuple(fc.integer({ min: T0 - 20, max: T0 + 60 }), fc.dictionary(fc.constantFrom('1', '10', '16'), anyValue)),
        {
          minLength: 1,
          maxLength: 12,
          selector: ([at]) => at,
        },
      )
      .map((samples) => samples.sort(([a], [b]) => a - b)),
  })
const anyRows = fc
  .integer({ min: 0, max: 8 })
  .chain((count) => fc.tuple(...Array.from({ length: count }, (_, digest) => anyRow(digest))))
const anyWindow = fc
  .tuple(fc.integer({ min: -25, max: 40 }), fc.integer({ min: 1, max: 90 }))
  .map(([from, length]) => ({ fromMs: T0 + from, toMs: T0 + from + length }))

describe('summarize', () => {
  it('equals a count of every sample by hand, however rows overlap [METRIC-08, METRIC-09, PUSH-19]', () => {
    fc.assert(
      fc.property(anyRows, anyWindow, (rows, window) => {
        const totals = summaryOf(rows, window)
        for (const id of [1, 10, 16]) {
          const found = totals.get(id)
          expect(found && { ...found, sum: BigInt(found.sum) }).toEqual(naiveTotals(naive(rows, window), id))
        }
      }),
      { numRuns: 1_000 },
    )
  })

  it('is the same when parts were added up before', () => {
    fc.assert(
      fc.property(anyRows, (rows) => {
        const middle = T0 + 20
        const [early, late] = [
          { fromMs: T0 - 30, toMs: middle },
          { fromMs: middle, toMs: T0 + 99 },
        ]
        const summary = new Summary({ fromMs: T0 - 30, toMs: T0 + 99 })
        for (const part of [late, early]) for (const [id, totals] of summaryOf(rows, part)) summary.addTotals(id, totals)
        expect(summary.totals()).toEqual(new Map(summaryOf(rows, { fromMs: T0 - 30, toMs: T0 + 99 })))
      }),
    )
  })

  it.each<[string, Row[], number | undefined]>([
    ['no rows', [], undefined],
    ['of two rows with one instant the one received first', [row([[T0, { 1: 5 }]], 9), row([[T0, { 1: 7 }]], 8)], 7],
    ['at equal receipt the smaller digest', [row([[T0, { 1: 5 }]], 9, 2), row([[T0, { 1: 7 }]], 9, 1)], 7],
    ['a compacted hour before everything', [row([[T0, { 1: 5 }]], 0), row([[T0, { 1: 7 }]], Number.NEGATIVE_INFINITY)], 7],
    ['the whole sample, not its single fields', [row([[T0, { 1: 5 }]], 9), row([[T0, { 6: 7 }]], 8)], undefined],
    [
      'the start of the window',
      [
        row([
          [T0 - 1, { 1: 5 }],
          [T0, { 1: 6 }],
        ]),
      ],
      6,
    ],
    [
      'not the end of the window',
      [
        row([
          [T0 + HOUR - 1, { 1: 5 }],
          [T0 + HOUR, { 1: 6 }],
        ]),
      ],
      5,
    ],
    [
      'the newest value that there is',
      [
        row([
          [T0, { 1: 5 }],
          [T0 + 1, { 6: 1 }],
        ]),
      ],
      5,
    ],
  ])('takes %s [METRIC-07, METRIC-10, PUSH-19]', (_, rows, last) => {
    expect(summaryOf(rows).get(1)?.last).toBe(last)
  })

  it('keeps a sum beyond 2^53 exact', () => {
    const rows = [row(Array.from({ length: 1_001 }, (_, n) => [T0 + n, { 10: 2 ** 53 - 1 }]))]
    expect(summaryOf(rows).get(10)?.sum).toBe(BigInt(Number.MAX_SAFE_INTEGER) * 1_001n)
  })

  it('rejects rows out of order, and reports a damaged block', () => {
    const [first, second] = toPieces([row([[T0, {}]]), row([[T0 + 1, {}]])]) as [StoredPiece, StoredPiece]
    expect(() => summarize([second, first], hour, METRIC_GROUPS)).toThrow(RangeError)
    expect(() => summarize([{ ...first, block: Uint8Array.of(1) }], hour, METRIC_GROUPS)).toThrow('cut off')
  })

  it('decodes nothing outside of the window', () => {
    const [piece] = toPieces([row([[T0, {}]])]) as [StoredPiece]
    const damaged = { ...piece, block: Uint8Array.of(9) }
    expect(summarize([damaged], { fromMs: T0 + 1, toMs: T0 + 2 }, METRIC_GROUPS).size).toBe(0)
    expect(summarize([damaged], { fromMs: T0 - 1, toMs: T0 }, METRIC_GROUPS).size).toBe(0)
  })
})

describe('series', () => {
  it('equals the summary of each step [METRIC-17, METRIC-18, METRIC-19]', () => {
    fc.assert(
      fc.property(anyRows, anyWindow, fc.integer({ min: 1, max: 30 }), (rows, window, stepMs) => {
        const found = series(toPieces(rows), window, stepMs, every)
        expect([found.fromMs % stepMs, found.fromMs <= window.fromMs, window.fromMs - found.fromMs < stepMs]).toEqual([
          0,
          true,
          true,
        ])
        for (let point = 0; point < found.points; point++) {
          const start = found.fromMs + point * stepMs
          const step = { fromMs: Math.max(start, window.fromMs), toMs: Math.min(start + stepMs, window.toMs) }
          for (const [id, scale] of [
            [1, 100],
            [10, 1],
            [16, 1_000],
          ] as const) {
            const totals = naiveTotals(naive(rows, step), id)
            const points = found.fields.get(id)
            expect(points?.max[point] ?? null).toBe(totals ? totals.max / scale : null)
            expect(points?.avg[point] ?? null).toBe(totals ? divideExactly(totals.sum, totals.count * scale) : null)
          }
        }
      }),
      { numRuns: 300 },
    )
  })

  it('takes what was added up before, inside the steps only', () => {
    const steps = new Series({ fromMs: T0, toMs: T0 + 20 }, 10)
    for (const at of [T0 - 10, T0, T0 + 5, T0 + 20]) steps.addTotals(at, 1, { count: 2, sum: 300, max: 200 })
    expect(steps.points().fields.get(1)).toEqual({ avg: [1.5, null], max: [2, null] })
  })

  it.each([
    [HOUR, 360, 10, 10],
    [HOUR, 359, 10, 30],
    [HOUR, 360, 11, 30],
    [HOUR, 60, 10, 60],
    [24 * HOUR, 288, 10, 300],
    [168 * HOUR, 1_000, 10, 1_800],
    [168 * HOUR, 10, 10, 86_400],
    [168 * HOUR, 6, 10, 86_400],
    [900_000, 10, 100_000, 86_400],
  ])(
    'over %d ms in at most %d points of samples every %d s takes steps of %d s [METRIC-15, METRIC-16]',
    (periodMs, points, interval, step) => {
      expect(chooseStep(periodMs, points, interval)).toBe(step)
    },
  )

  it('aligns a window to whole steps without adding one', () => {
    expect(alignWindow({ fromMs: 1_001, toMs: 61_001 }, 10_000)).toEqual({ fromMs: 10_000, toMs: 70_000 })
    expect(alignWindow({ fromMs: 0, toMs: 60_000 }, 10_000)).toEqual({ fromMs: 0, toMs: 60_000 })
  })
})

describe('mergeSamples', () => {
  it('holds what stands, so that a compacted hour answers like its rows', () => {
    fc.assert(
      fc.property(anyRows, (rows) => {
        const merged = mergeSamples(toPieces(rows))
        const stands = naive(rows, { fromMs: 0, toMs: T0 + HOUR })
        expect([...merged.atMs]).toEqual(stands.map(([at]) => at))
        if (stands.length === 0) return
        const [t0Ms = 0, tLastMs = 0] = [merged.atMs.at(0), merged.atMs.at(-1)]
        const piece = { t0Ms, tLastMs, receivedAtMs: 0, digest: new Uint8Array(8), block: encodeBlock(merged) }
        const window = { fromMs: T0 - 30, toMs: T0 + 99 }
        expect(summarize([piece], window, METRIC_GROUPS)).toEqual(new Map(summaryOf(rows, window)))
      }),
      { numRuns: 300 },
    )
  })
})

it('a week of rows passes through without being held', () => {
  const week = { fromMs: T0, toMs: T0 + 168 * HOUR }
  const summary = new Summary(week)
  const merger = new PieceMerger(week, [summary])
  const [piece] = toPieces([
    row([
      [T0, { 1: 100 }],
      [T0 + 10_000, { 1: 300 }],
    ]),
  ]) as [StoredPiece]
  for (let minute = 0; minute < 10_080; minute++) {
    merger.add({ ...piece, t0Ms: T0 + minute * 60_000, tLastMs: T0 + minute * 60_000 + 10_000 })
  }
  merger.finish()
  expect(summary.totals().get(1)).toMatchObject({ count: 20_160, sum: 20_160 * 200, max: 300, last: 300 })
})
