import { expect, it } from 'vitest'
import { createConcurrencyBound } from './concurrency-bound.ts'

it('as many pieces of work as the bound run at once for one key, and one more is refused until one has ended', async () => {
  const bound = createConcurrencyBound('previews', 'organization', 2)
  const { promise, resolve } = Promise.withResolvers<string>()
  const both = [bound.run(1, () => promise), bound.run(1, () => promise)]
  await expect(bound.run(1, () => promise)).rejects.toMatchObject({
    code: 'rate_limited',
    message: 'At most 2 of the previews of one organization may run at once. Try again in 2 s.',
    retryAfterSeconds: 2,
  })
  // Another organization has its own.
  expect(await bound.run(2, async () => 'other')).toBe('other')
  resolve('done')
  expect(await Promise.all(both)).toEqual(['done', 'done'])
  await expect(bound.run(1, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  expect(await bound.run(1, async () => 'again')).toBe('again')
})
