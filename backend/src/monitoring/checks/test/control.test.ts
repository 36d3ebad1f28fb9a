import type { ControlTarget } from '@vedette/shared'
import { expect, it } from 'vitest'
import { createFakeClock } from '../../../../test/fake-clock.ts'
import { yieldToEventLoop } from '../../../platform/concurrency/yield-to-event-loop.ts'
import { createControl, type Reach } from '../worker/control.ts'

type Answers = Record<string, Reach | 'never'>

function controlled(answers: Answers, type: ControlTarget['type'] = 'setting') {
  const clock = createFakeClock(100_000)
  const calls: string[] = []
  const network = { answers }
  const control = createControl({
    clock,
    find: () => Object.keys(network.answers).map((address) => ({ type, address })),
    reach: async ({ address }) => {
      calls.push(address)
      const answer = network.answers[address] ?? 'unreachable'
      if (answer === 'never') return new Promise(() => {})
      return answer
    },
  })
  const pass = async (ms: number) => {
    clock.advance(ms)
    for (let turns = 0; turns < 10; turns += 1) await yieldToEventLoop()
  }
  /** The answer of a test that begins now. */
  const query = async () => {
    const answer = control.isNetworkDown()
    await pass(0)
    await pass(5_000)
    await pass(2_000)
    return answer
  }
  return { control, calls, pass, query, network }
}

it('the network is up when one of the targets is reached', async () => {
  const { query } = controlled({ a: 'unreachable', b: 'reached', c: 'never' })
  expect(await query()).toBe(false)
})

it('the network is down when no target is reached within two seconds', async () => {
  const { control, pass } = controlled({ a: 'unreachable', b: 'never' })
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
  const { control, query } = controlled({})
  expect(control.targets()).toEqual([])
  expect(await query()).toBe(false)
})

it('is tested at most once in five seconds, and always after the call', async () => {
  const { control, calls, pass, network } = controlled({ a: 'reached' })
  expect(await control.isNetworkDown()).toBe(false)
  network.answers = { a: 'silent' }
  const later = Promise.all([control.isNetworkDown(), control.isNetworkDown()])
  await pass(0)
  await pass(4_999)
  expect(calls).toHaveLength(1)
  await pass(1)
  expect(await later).toEqual([true, true])
  expect(calls).toHaveLength(2)
})

it('a found target that never answered says nothing when it is silent', async () => {
  const { control, query, network } = controlled({ gateway: 'silent' }, 'gateway')
  expect([await query(), control.targets()]).toEqual([false, []])
  network.answers = { gateway: 'reached' }
  await control.prove()
  expect(control.targets()).toEqual([{ type: 'gateway', address: 'gateway' }])
  network.answers = { gateway: 'silent' }
  expect(await query()).toBe(true)
})

it('the network is down when this machine has no way to any target, also to one that never answered', async () => {
  const { query, network } = controlled({ gateway: 'unreachable', resolver: 'unreachable' }, 'gateway')
  expect(await query()).toBe(true)
  network.answers = { gateway: 'unreachable', resolver: 'silent' }
  expect(await query()).toBe(false)
})

it('the last targets are tested while the system names none', async () => {
  const { control, query, network } = controlled({ gateway: 'reached' }, 'gateway')
  await control.prove()
  network.answers = {}
  expect(await query()).toBe(true)
  network.answers = { other: 'reached' }
  expect(await query()).toBe(false)
  expect(control.targets()).toEqual([{ type: 'gateway', address: 'other' }])
})
