import { expect, it } from 'vitest'
import { createFakeClock } from '../../../test/fake-clock.ts'
import { silentLog } from '../logging/log.ts'
import { repeatWhenDue, repeatWhile } from './background-job.ts'
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

it('rests while it is off, until it is woken, and goes on at its own pace', async () => {
  const clock = createFakeClock(0)
  let [runs, isOn] = [0, false]
  const task = async () => (runs += 1)
  const job = repeatWhile('test', clock, silentLog, task, { everyMs: 1_000, isOn: async () => isOn, restMs: () => 60_000 })
  const pass = async (ms: number) => {
    clock.advance(ms)
    await yieldToEventLoop()
    return runs
  }
  expect([await pass(0), await pass(10_000)]).toEqual([0, 0])
  isOn = true
  expect(await pass(10_000)).toBe(0)
  job.wake()
  expect(await pass(0)).toBe(1)
  // Announcements do not hurry what is awake.
  job.wake()
  expect([await pass(999), await pass(1)]).toEqual([1, 2])
  isOn = false
  expect(await pass(1_000)).toBe(2)
  isOn = true
  expect([await pass(59_999), await pass(1)]).toEqual([2, 3])
  const stopped = job.stop()
  await pass(0)
  await stopped
})

it('polls again when it is woken while it polls', async () => {
  const clock = createFakeClock(0)
  let [runs, polls] = [0, 0]
  const isOn = async () => {
    polls += 1
    if (polls > 1) return true
    job.wake()
    return false
  }
  // The first poll is at once, before there is something to wake.
  const job = repeatWhile('test', clock, silentLog, async () => (runs += 1), {
    everyMs: 1_000,
    isOn: () => yieldToEventLoop().then(isOn),
    restMs: () => 60_000,
  })
  for (let turn = 0; turn < 5; turn += 1) await yieldToEventLoop()
  expect([polls, runs]).toEqual([2, 1])
  const stopped = job.stop()
  clock.advance(0)
  await stopped
})
