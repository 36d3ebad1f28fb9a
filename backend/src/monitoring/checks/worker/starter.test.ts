import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createFakeClock } from '../../../../test/fake-clock.ts'
import { yieldToEventLoop } from '../../../platform/concurrency/yield-to-event-loop.ts'
import { createHeap } from './heap.ts'
import { createStarter } from './starter.ts'

it('a heap returns due items in order', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50)), fc.nat(60), (dues, until) => {
      const heap = createHeap<number>()
      for (const due of dues) heap.push(due, due)
      const given: number[] = []
      for (let due = heap.popDue(until); due !== undefined; due = heap.popDue(until)) given.push(due)
      expect(given).toEqual(dues.filter((due) => due <= until).sort((a, b) => a - b))
      expect(heap.nextMs()).toBe(dues.filter((due) => due > until).sort((a, b) => a - b)[0])
    }),
  )
})

async function starting() {
  const clock = createFakeClock(1_000)
  const started: string[] = []
  const starter = createStarter<string>(
    clock,
    () => clock.now(),
    (item) => void started.push(`${item} ${clock.now()}`),
  )
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 1) {
      clock.advance(1)
      await yieldToEventLoop()
    }
  }
  return { starter, started, pass, clock }
}

it('each item starts 50 to 100 ms before it is due, with those of the same 50 ms', async () => {
  const { starter, started, pass } = await starting()
  starter.add(1_320, 'b')
  starter.add(1_201, 'a')
  starter.add(1_249, 'a2')
  starter.add(1_250, 'c')
  await pass(400)
  expect(started).toEqual(['a 1150', 'a2 1150', 'c 1200', 'b 1250'])
})

it('an overdue item starts at once', async () => {
  const { starter, started, pass } = await starting()
  starter.add(5_000, 'later')
  starter.add(900, 'now')
  await pass(1)
  expect(started).toEqual(['now 1001'])
})

it('nothing starts after the end', async () => {
  const { starter, started, pass } = await starting()
  starter.add(1_110, 'a')
  starter.stop()
  await pass(50)
  expect(started).toEqual([])
})
