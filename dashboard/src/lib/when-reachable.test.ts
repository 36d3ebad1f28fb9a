import { expect, it } from 'vitest'
import { whenReachable } from './when-reachable.ts'

/** Answers one after another, the last one for ever. */
const inTurn = <Answer>(...answers: Answer[]) => {
  let calls = 0
  return async () => answers[Math.min(calls++, answers.length - 1)] as Answer
}

it('loads at once where nothing fails', async () => {
  expect(await whenReachable(async () => 'part', inTurn(false))).toBe('part')
})

it('loads again once the backend can be reached', async () => {
  const results = inTurn<Promise<string> | string>(
    Promise.reject(new TypeError('Failed to fetch dynamically imported module')),
    'part',
  )
  expect(await whenReachable(async () => results(), inTurn(false, false, false, true), 0)).toBe('part')
})

it('throws what loading threw where the backend answers', async () => {
  const load = () => Promise.reject(new TypeError('Failed to fetch dynamically imported module'))
  await expect(whenReachable(load, inTurn(true))).rejects.toThrow('dynamically imported')
})
