import { describe, expect, it } from 'vitest'
import { createWorkQueue } from './work-queue.ts'

describe('a work queue', () => {
  /** Work that ends when the test says so. */
  function work() {
    const { promise, resolve } = Promise.withResolvers<void>()
    const state = { isStarted: false, finish: () => resolve() }
    return { state, run: () => ((state.isStarted = true), promise) }
  }
  const started = (works: ReturnType<typeof work>[]) => works.map(({ state }) => state.isStarted)

  it('runs as many at once as it may, the others in their order, and refuses one beyond its bound [S8]', async () => {
    const queue = createWorkQueue(2, 2)
    const works = [work(), work(), work(), work()]
    const results = works.map(({ run }) => queue.run(run))
    await expect(queue.run(work().run)).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 2 })
    expect(started(works)).toEqual([true, true, false, false])
    works[1]?.state.finish()
    await results[1]
    expect(started(works)).toEqual([true, true, true, false])
    for (const { state } of works) state.finish()
    await Promise.all(results)
    expect(started(works)).toEqual([true, true, true, true])
  })

  it('runs what is preferred first, in places of its own', async () => {
    const queue = createWorkQueue(1, 2)
    const [first, waiting, another, preferred, second] = [work(), work(), work(), work(), work()]
    const results = [queue.run(first.run), queue.run(waiting.run), queue.run(another.run)]
    await expect(queue.run(work().run)).rejects.toMatchObject({ code: 'unavailable' })
    const own = [queue.run(preferred.run, undefined, true), queue.run(second.run, undefined, true)]
    await expect(queue.run(work().run, undefined, true)).rejects.toMatchObject({ code: 'unavailable' })
    first.state.finish()
    await results[0]
    expect(started([waiting, another, preferred, second])).toEqual([false, false, true, false])
    for (const { state } of [waiting, another, preferred, second]) state.finish()
    await Promise.all([...results, ...own])
    expect(started([waiting, another, preferred, second])).toEqual([true, true, true, true])
  })

  it('goes on after work that fails', async () => {
    const queue = createWorkQueue(1, 1)
    const first = queue.run(() => Promise.reject(new Error('broken')))
    const second = queue.run(() => Promise.resolve(7))
    await expect(first).rejects.toThrow('broken')
    await expect(second).resolves.toBe(7)
    await expect(queue.run(() => Promise.resolve(8))).resolves.toBe(8)
  })

  it('drops waiting work when its signal aborts, and gives its place to others', async () => {
    const queue = createWorkQueue(1, 1)
    const [first, dropped, later] = [work(), work(), work()]
    const running = queue.run(first.run)
    const leaving = new AbortController()
    const left = queue.run(dropped.run, leaving.signal)
    leaving.abort()
    await expect(left).rejects.toMatchObject({ code: 'request_timeout' })
    await expect(queue.run(dropped.run, leaving.signal)).rejects.toMatchObject({ code: 'request_timeout' })
    const last = queue.run(later.run)
    for (const { state } of [first, later]) state.finish()
    await Promise.all([running, last])
    expect(started([first, dropped, later])).toEqual([true, false, true])
  })
})
