import { afterAll, expect, test } from 'vitest'
import { planQuery } from '../planning/plan.ts'
import type { SeriesData } from '../model/types.ts'
import { createEvaluatorPool } from './pool.ts'

const pool = createEvaluatorPool()
afterAll(() => pool.close())

const window = { startMs: 0, endMs: 10_000_000, stepMs: 1_000, lookbackMs: 300_000 }
const plan = planQuery('a', window)
const dataOf = (count: number): Map<number, SeriesData[]> => {
  const samples = Array.from({ length: count }, (_, index) => index * 1_000)
  return new Map([[0, [{ labels: { __name__: 'a' }, atMs: Float64Array.from(samples), values: Float64Array.from(samples) }]]])
}
/** Each step reads all 10,000 samples: minutes of CPU. */
const endless = planQuery('quantile_over_time(0.5, a[10000s])', window)

const textOf = (body: readonly Uint8Array[]): string => Buffer.concat(body).toString()

test('a query is answered from a thread, with what its reader adds', async () => {
  const data = dataOf(3)
  const answer = await pool.run(planQuery('a * 2', { ...window, endMs: 2_000 }), () => data, {
    extras: { warnings: ['from rollups'] },
  })
  expect(JSON.parse(textOf(answer.body))).toEqual({
    status: 'success',
    data: {
      resultType: 'matrix',
      result: [
        {
          metric: {},
          values: [
            [0, '0'],
            [1, '2000'],
            [2, '4000'],
          ],
        },
      ],
    },
    warnings: ['from rollups'],
  })
  expect(answer.samplesRead).toBe(3)
  // What was read is in the thread now.
  expect(data.get(0)?.[0]?.atMs.byteLength).toBe(0)
})

test('an error of the evaluation keeps its kind and its words', async () => {
  await expect(pool.run(plan, () => dataOf(3), { bounds: { maxSamples: 2 } })).rejects.toMatchObject({
    name: 'PromqlError',
    kind: 'execution',
    message: 'query processing would load too many samples into memory: 3, at most 2',
  })
  await expect(pool.run(plan, () => Promise.reject(new Error('no database')))).rejects.toThrow('no database')
})

test('a canceled query ends its evaluation, and the next one is answered', async () => {
  const canceling = new AbortController()
  const running = pool.run(endless, () => dataOf(10_000), { signal: canceling.signal })
  const other = pool.run(endless, () => dataOf(10_000), { signal: canceling.signal })
  setTimeout(() => canceling.abort(), 300)
  await expect(running).rejects.toMatchObject({ kind: 'canceled' })
  await expect(other).rejects.toMatchObject({ kind: 'canceled' })
  expect((await pool.run(plan, () => dataOf(1))).samplesRead).toBe(1)
})

test('a query that takes longer than its time is ended, also while it waits for its turn', async () => {
  const ended = new AbortController()
  const four = Array.from({ length: 4 }, () =>
    pool.run(endless, () => dataOf(10_000), { signal: ended.signal }).catch(() => 'ended'),
  )
  let hasRead = false
  const waiting = pool.run(plan, () => ((hasRead = true), dataOf(1)), { timeoutMs: 200 })
  await expect(waiting).rejects.toMatchObject({ kind: 'timeout', message: 'query timed out after 0.2 s' })
  expect(hasRead).toBe(false)
  ended.abort()
  expect(await Promise.all(four)).toEqual(['ended', 'ended', 'ended', 'ended'])
})
