import { expect, it } from 'vitest'
import { createRequestBatcher } from './request-batcher.ts'
import { createInterner } from '../collections/interner.ts'

/** Doubles numbers on demand. */
function createManualAnswers() {
  const batches: { numbers: readonly number[]; go(error?: Error): void }[] = []
  const answerAll = (numbers: readonly number[]) =>
    new Promise<number[]>((resolve, reject) => {
      batches.push({ numbers, go: (error) => (error ? reject(error) : resolve(numbers.map((number) => 2 * number))) })
    })
  return { batches, answerAll }
}

it('requests that arrive during a query are answered together, up to the maximum of a batch', async () => {
  const { batches, answerAll } = createManualAnswers()
  const double = createRequestBatcher(answerAll, 2)
  const answers = Promise.all([1, 2, 3, 4].map((number) => double(number)))
  for (let at = 0; at < 3; at += 1) {
    await expect.poll(() => batches.length).toBe(at + 1)
    batches[at]?.go()
  }
  expect(await answers).toEqual([2, 4, 6, 8])
  expect(batches.map(({ numbers }) => numbers)).toEqual([[1], [2, 3], [4]])
})

it('a failed query rejects its own requests only', async () => {
  const { batches, answerAll } = createManualAnswers()
  const double = createRequestBatcher(answerAll, 10)
  const all = Promise.allSettled([1, 2, 3].map((number) => double(number)))
  batches[0]?.go(new Error('away'))
  await expect.poll(() => batches.length).toBe(2)
  batches[1]?.go()
  expect((await all).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
  const again = double(5)
  batches[2]?.go()
  expect(await again).toBe(10)
})

it('the interner keeps equal values once, up to its size', () => {
  const once = createInterner<{ text: string }>(2)
  const [first, second] = [once('a', () => ({ text: 'a' })), once('a', () => ({ text: 'another' }))]
  expect(second).toBe(first)
  once('b', () => ({ text: 'b' }))
  once('c', () => ({ text: 'c' }))
  expect(once('a', () => ({ text: 'new' }))).toEqual({ text: 'new' })
})
