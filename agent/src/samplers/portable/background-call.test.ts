import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/fake-clock.ts'
import { BackgroundCall } from './background-call.ts'

const PACE = { everyMs: 60_000, limitMs: 50_000 }

test('a call is made once a minute, one at a time, and its result is returned once', async () => {
  const clock = new FakeClock()
  let calls = 0
  const call = new BackgroundCall(clock, PACE, () => Promise.resolve(++calls))
  call.start()
  expect(call.take()).toBeUndefined()
  await clock.advance(10_000)
  expect(call.take()?.value).toBe(1)
  call.start()
  await clock.advance(10_000)
  expect([calls, call.take()]).toEqual([1, undefined])
  await clock.advance(40_000)
  call.start()
  await clock.advance(0)
  expect(call.take()?.value).toBe(2)
})

test('a hanging call is abandoned, its result ignored, and made less often with each one in a row', async () => {
  const clock = new FakeClock()
  const out: (() => void)[] = []
  let hung = 0
  const call = new BackgroundCall(
    clock,
    PACE,
    () => new Promise<string>((resolve) => out.push(() => resolve('late'))),
    () => hung++,
  )
  const minutes = async (count: number) => {
    for (let second = 0; second < count * 60; second += 10) {
      call.start()
      await clock.advance(10_000)
    }
  }
  await minutes(2)
  expect([out.length, hung]).toEqual([1, 1])
  out[0]?.()
  await clock.advance(0)
  expect(call.take()).toBeUndefined()
  await minutes(24 * 60)
  // Doubling up to an hour and four minutes: some thirty a day, not 1,440.
  expect(out.length).toBeLessThan(35)
  expect(hung).toBeGreaterThan(20)
})

test('a failed or empty call has no result, and the next one is made', async () => {
  const clock = new FakeClock()
  const outcomes = [() => Promise.reject(new Error('no shell')), () => Promise.resolve(undefined), () => Promise.resolve('good')]
  const call = new BackgroundCall<string>(clock, PACE, () => (outcomes.shift() ?? (() => Promise.resolve(undefined)))())
  const results: unknown[] = []
  for (let minute = 0; minute < 3; minute++) {
    call.start()
    await clock.advance(60_000)
    results.push(call.take()?.value)
  }
  expect(results).toEqual([undefined, undefined, 'good'])
})
