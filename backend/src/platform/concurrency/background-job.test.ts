import { expect, it } from 'vitest'
import { createFakeClock } from '../../../test/fake-clock.ts'
import { silentLog } from '../logging/log.ts'
import { repeatWhenDue } from './background-job.ts'
import { yieldToEventLoop } from './yield-to-event-loop.ts'

it('runs when it is due and when it is woken, and not sooner after a run than it may', async () => {
  const clock = createFakeClock(0)
  let runs = 0
  const job = repeatWhenDue('test', clock, silentLog, async () => ((runs += 1), 10_000), 1_000)
  const pass = async (ms: number) => {
    clock.advance(ms)
    await yieldToEventLoop()
    return runs
  }
  expect([await pass(0), await pass(999), await pass(1)]).toEqual([1, 1, 1])
  job.wake()
  expect(await pass(0)).toBe(2)
  job.wake()
  expect([await pass(999), await pass(1)]).toEqual([2, 3])
  expect([await pass(1_000), await pass(8_999), await pass(1)]).toEqual([3, 3, 4])
  const stopped = job.stop()
  await pass(0)
  await stopped
})
