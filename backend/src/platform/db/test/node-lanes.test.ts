import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { playNodes } from '../../../../test/playing-nodes.ts'
import { markDistributed } from '../distributed.ts'
import { createNodeLanes, type NodeLanes } from '../node-lanes.ts'

const items = [1, 2, 3, 2].map((organization, number) => ({ organization, number }))
type Item = (typeof items)[number]
const own = items.filter(({ organization }) => organization === 2)
const others = items.filter(({ organization }) => organization !== 2)

let backend: TestBackend
let inLanes: NodeLanes
beforeAll(async () => {
  backend = await startTestBackend()
  const { assign } = await playNodes(backend, 'metric_push')
  await assign(2, 1)
})
beforeEach(() => {
  markDistributed(backend.pool.db, true)
  inLanes = createNodeLanes({ db: backend.pool.db, clock: backend.clock })
})
afterAll(() => backend.close())

/** Until it resolves; a node that takes long is waited for by the clock. */
async function advancing<T>(result: Promise<T>): Promise<T> {
  const timer = setInterval(() => backend.clock.advance(1_000), 10)
  return result.finally(() => clearInterval(timer))
}

describe('work of several nodes', () => {
  it('is done in one part for each node', async () => {
    const parts: (readonly Item[])[] = []
    const left = await inLanes(items, async (some) => void parts.push(some))
    expect([parts, left]).toEqual([[others, own], []])
  })

  it('goes on for the others while one node takes long, which gets no more until it is done', async () => {
    const hanging = Promise.withResolvers<void>()
    const done: (readonly Item[])[] = []
    const task = async (some: readonly Item[]) => {
      if (some.includes(own[0] as Item)) await hanging.promise
      done.push(some)
    }
    expect(await advancing(inLanes(items, task))).toEqual([])
    expect(await inLanes(items, task)).toEqual(own)
    expect(done).toEqual([others, others])
    hanging.resolve()
    await expect.poll(() => done).toEqual([others, others, own])
    expect(await inLanes(items, task)).toEqual([])
  })

  it('fails alone, and its error is thrown, also where it comes later', async () => {
    const hanging = Promise.withResolvers<void>()
    const done: (readonly Item[])[] = []
    const failing = async (some: readonly Item[]) => {
      if (some.includes(own[0] as Item)) throw new Error('it failed')
      done.push(some)
    }
    await expect(inLanes(items, failing)).rejects.toThrow('it failed')
    expect(done).toEqual([others])
    await advancing(inLanes(items, (some) => (some.includes(own[0] as Item) ? hanging.promise : Promise.resolve())))
    hanging.reject(new Error('it failed later'))
    await hanging.promise.catch(() => undefined)
    await expect(inLanes([], failing)).rejects.toThrow('it failed later')
  })
})

it('work on one node is waited for', async () => {
  markDistributed(backend.pool.db, false)
  let isDone = false
  await advancing(
    inLanes(items, async () => {
      await backend.clock.sleep(5_000)
      isDone = true
    }),
  )
  expect(isDone).toBe(true)
})
