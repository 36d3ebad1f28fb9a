import { expect, it } from 'vitest'
import { createFakeClock } from '../../../test/fake-clock.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { createControl } from '../worker/control.ts'

function controlled(answers: Record<string, 'here' | 'refused' | 'silent'>) {
  const clock = createFakeClock(100_000)
  const calls: string[] = []
  const control = createControl(Object.keys(answers), clock, async (target) => {
    calls.push(target)
    if (answers[target] === 'refused') throw new Error('ECONNREFUSED')
    if (answers[target] === 'silent') await new Promise(() => {})
  })
  const pass = async (ms: number) => {
    clock.advance(ms)
    for (let turns = 0; turns < 5; turns += 1) await yieldToEventLoop()
  }
  return { control, calls, pass, answers }
}

it('the network is up when one of the targets is reached', async () => {
  const { control } = controlled({ a: 'refused', b: 'here', c: 'silent' })
  expect(await control.isNetworkDown()).toBe(false)
})

it('the network is down when no target is reached within two seconds', async () => {
  const { control, pass } = controlled({ a: 'refused', b: 'silent' })
  const calls = control.isNetworkDown()
  await pass(0)
  await pass(1_999)
  let isAnswered = false
  void calls.then(() => (isAnswered = true))
  await pass(0)
  expect(isAnswered).toBe(false)
  await pass(1)
  expect(await calls).toBe(true)
})

it('without control targets the network is never reported as down', async () => {
  const { control } = controlled({})
  expect(control.hasTargets).toBe(false)
  expect(await control.isNetworkDown()).toBe(false)
})

it('is tested at most once in five seconds, and always after the call', async () => {
  const { control, calls, pass, answers } = controlled({ a: 'here' })
  expect(await control.isNetworkDown()).toBe(false)
  answers['a'] = 'refused'
  const later = Promise.all([control.isNetworkDown(), control.isNetworkDown()])
  await pass(0)
  await pass(4_999)
  expect(calls).toHaveLength(1)
  await pass(1)
  expect(await later).toEqual([true, true])
  expect(calls).toHaveLength(2)
})
