import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isMissing } from '../../../../../scripts/test-tools.ts'
import type { QueryWindow } from '../types.ts'
import { annotationsOf, askOurs, difference } from './compare.ts'
import { createDataset, START_MS } from './dataset.ts'
import { EXPRESSIONS } from './expressions.ts'
import { randomExpression } from './random-expressions.ts'
import { type RealPrometheus, startPrometheus } from './real-prometheus.ts'

const HOUR_MS = 3_600_000
const LOOKBACK_MS = 300_000
const instant = (atMs: number): QueryWindow => ({ startMs: atMs, endMs: atMs, stepMs: 0, lookbackMs: LOOKBACK_MS })
/** At a sample, between samples, in the middle of the series, and over their beginning at each sample. */
const WINDOWS: readonly QueryWindow[] = [
  instant(START_MS + HOUR_MS),
  instant(START_MS + HOUR_MS + 420_123),
  { startMs: START_MS + 1.5 * HOUR_MS, endMs: START_MS + 2 * HOUR_MS, stepMs: 60_000, lookbackMs: LOOKBACK_MS },
  { startMs: START_MS - 300_000, endMs: START_MS + 600_000, stepMs: 15_000, lookbackMs: LOOKBACK_MS },
]
const RANDOM_RUNS = process.env['TEST_NIGHTLY'] === undefined ? 200 : 20_000

describe.skipIf(isMissing('prometheus', 'promtool'))('Prometheus and our engine over the same samples', () => {
  const series = createDataset()
  let prometheus: RealPrometheus
  beforeAll(async () => {
    prometheus = await startPrometheus(series)
  })
  afterAll(() => prometheus?.close())

  /** What differs in an expression, in all windows. */
  async function compare(expression: string, windows: readonly QueryWindow[]): Promise<string[]> {
    const found: string[] = []
    for (const window of windows) {
      const theirs = await prometheus.query(expression, window)
      const ours = askOurs(expression, window, series)
      const isSorted = window.stepMs === 0 && /^sort(_desc)?\(/.test(expression)
      const different = difference(ours, theirs, isSorted)
      if (different !== undefined) found.push(`${expression}: ${different}`)
      else if (ours.status === 'success' && String(annotationsOf(ours)) !== String(annotationsOf(theirs)))
        found.push(`${expression}: ours ${annotationsOf(ours)}, theirs ${annotationsOf(theirs)}`)
    }
    return found
  }

  it(`answer ${EXPRESSIONS.length} expressions of the documentation alike, with their warnings`, async () => {
    const found: string[] = []
    for (const expression of EXPRESSIONS) found.push(...(await compare(expression, WINDOWS)))
    expect(found).toEqual([])
  })

  it('answer random expressions alike', async () => {
    let errors = 0
    await fc.assert(
      fc.asyncProperty(randomExpression, fc.constantFrom(...WINDOWS), async (expression, window) => {
        const theirs = await prometheus.query(expression, window)
        if (theirs.status === 'error') errors++
        expect(difference(askOurs(expression, window, series), theirs)).toBeUndefined()
      }),
      { numRuns: RANDOM_RUNS },
    )
    expect(errors).toBeLessThan(RANDOM_RUNS / 2)
  })
})
