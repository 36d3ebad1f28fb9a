import { expect, it } from 'vitest'
import { createFakeClock } from '../../../test/fake-clock.ts'
import { nextTurn } from '../../platform/turn.ts'
import { createControl } from '../control.ts'

function controlled(answers: Record<string, 'here' | 'refused' | 'silent'>) {
  const clock = createFakeClock(100_000)
  const asked: string[] = []
  const control = createControl(Object.keys(answers), clock, async (target) => {
    asked.push(target)
    if (answers[target] === 'refused') throw new Error('ECONNREFUSED')
    if (answers[target] === 'silent') await new Promise(() => {})
  })
  const pass = async (ms: number) => {
    clock.advance(ms)
    for (let turns = 0; turns < 5; turns += 1) await nextTurn()
  }
  return { control, asked, pass, answers }
}

it('the network is there when one of the targets is reached', async () => {
  const { control } = controlled({ a: 'refused', b: 'here', c: 'silent' })
  expect(await control.isNetworkGone()).toBe(false)
})

it('none of them is reached: the network is gone, those that say nothing for two seconds included', async () => {
  const { control, pass } = controlled({ a: 'refused', b: 'silent' })
  const asked = control.isNetworkGone()
  await pass(0)
  await pass(1_999)
  let isAnswered = false
  void asked.then(() => (isAnswered = true))
  await pass(0)
  expect(isAnswered).toBe(false)
  await pass(1)
  expect(await asked).toBe(true)
})

it('without targets nobody can say that it is gone', async () => {
  const { control } = controlled({})
  expect(control.hasTargets).toBe(false)
  expect(await control.isNetworkGone()).toBe(false)
})

it('is judged once in five seconds, and never from what was seen before the question', async () => {
  const { control, asked, pass, answers } = controlled({ a: 'here' })
  expect(await control.isNetworkGone()).toBe(false)
  answers['a'] = 'refused'
  const later = Promise.all([control.isNetworkGone(), control.isNetworkGone()])
  await pass(0)
  await pass(4_999)
  expect(asked).toHaveLength(1)
  await pass(1)
  expect(await later).toEqual([true, true])
  expect(asked).toHaveLength(2)
})
