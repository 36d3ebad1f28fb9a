import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { CheckResult } from '@vedette/shared'
import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../../../platform/time/clock.ts'
import { createFakeClock } from '../../../../../test/fake-clock.ts'
import { createProber, type ProberThread, startProberThread, type ThreadParts } from '../index.ts'
import { answerOf, define, startAnswering, startTarget } from './targets.ts'

const open: { close(): Promise<void> | void }[] = []
function keep<T extends { close(): Promise<void> | void }>(what: T): T {
  open.push(what)
  return what
}
const startThread = (): ProberThread => keep(startProberThread({ allowPrivateTargets: 'all' }))

afterEach(async () => {
  for (const { close } of open.splice(0)) await close()
})

test('a thread runs the same check as a prober', async () => {
  const target = keep(await startAnswering(answerOf('{"status":"ok"}')))
  const thread = startThread()
  const assertions = [{ type: 'json_path', operator: 'equals', property: '$.status', value: 'fine' } as const]
  const own = keep(createProber({ allowPrivateTargets: 'all' }))
  const [there, here] = await Promise.all([thread, own].map((prober) => prober.check(define(target.url, { assertions }))))
  const untimed = (result: CheckResult | undefined) =>
    Object.fromEntries(Object.entries(result ?? {}).filter(([name]) => !/_ms$|_at$|^delayed$/.test(name)))
  expect(untimed(there)).toEqual(untimed(here))
  expect(there).toMatchObject({ outcome: 'down', error: { code: 'assertion' } })
  expect(thread.stats()).toMatchObject({ checks: 1, inFlight: 0, restarts: 0, inconclusive: 0 })
})

test('each of many concurrent checks gets its own result', async () => {
  const target = keep(await startAnswering((request) => `HTTP/1.1 ${200 + Number(/ \/(\d+)/.exec(request)?.[1])} X\r\n\r\n`))
  const thread = startThread()
  const all = Array.from({ length: 300 }, async (_, index) => {
    const { status_code } = await thread.check(define(`${target.url}/${index % 150}`))
    return status_code === 200 + (index % 150)
  })
  expect(thread.inFlight).toBe(300)
  expect((await Promise.all(all)).every(Boolean)).toBe(true)
  expect(thread.inFlight).toBe(0)
})

test.each([3_600_000, -3_600_000])('instants are of the clock of the caller, which is %i ms ahead of the machine', async (ms) => {
  const target = keep(await startAnswering(answerOf('ok')))
  const clock = { ...systemClock, now: () => Date.now() + ms }
  const thread = keep(startProberThread({ allowPrivateTargets: 'all' }, { clock }))
  const startAtMs = clock.now() + 500
  const { checked_at, outcome } = await thread.check(define(target.url), startAtMs)
  expect(outcome).toBe('up')
  expect(Math.abs(Date.parse(checked_at) - startAtMs)).toBeLessThan(10_000)
})

test('a check waits until it is due', async () => {
  const order: string[] = []
  const target = keep(
    await startAnswering((request) => {
      order.push(/ \/(\w+)/.exec(request)?.[1] ?? '')
      return answerOf('ok')
    }),
  )
  const thread = startThread()
  // So that the thread is up before the first is due.
  await thread.check(define(`${target.url}/first`))
  const startAtMs = Date.now() + 800
  const late = thread.check(define(`${target.url}/late`), startAtMs)
  const early = thread.check(define(`${target.url}/early`), startAtMs - 400)
  const past = thread.check(define(`${target.url}/past`), startAtMs - 10_000)
  await Promise.all([late, early, past])
  expect(order).toEqual(['first', 'past', 'early', 'late'])
})

test('checks of neighbouring milliseconds do not wait for each other, and none begins before its own', async () => {
  const target = keep(await startAnswering(answerOf('ok')))
  const thread = startThread()
  await thread.check(define(target.url))
  const fromMs = Date.now() + 500
  const early = await Promise.all(
    Array.from({ length: 40 }, async (_, index) => {
      const { checked_at } = await thread.check(define(target.url), fromMs + index)
      return fromMs + index - Date.parse(checked_at)
    }),
  )
  // A timer fires up to 1 ms before its time.
  expect(Math.max(...early)).toBeLessThanOrEqual(1)
})

/** A thread that can be made to end, or to hang, by the URL that it checks. */
const startFragile = (parts: ThreadParts = {}): ProberThread =>
  keep(startProberThread({ allowPrivateTargets: 'all' }, { file: new URL('./fragile-worker.ts', import.meta.url), ...parts }))
const CRASH = define('http://crash.test/')
const HANG = define('http://hang.test/', { timeout: 1 })
const patient = { timeout: 15_000 }

describe('a thread that ends', () => {
  test('makes its running checks inconclusive, and the next thread runs the others', async () => {
    const silent = keep(await startTarget(() => {}))
    const target = keep(await startAnswering(answerOf('ok')))
    const thread = startFragile()
    const underWay = thread.check(define(silent.url, { timeout: 30 }))
    await expect.poll(() => silent.connections, patient).toBe(1)
    const later = thread.check(define(target.url), Date.now() + 1_500)
    expect(await thread.check(CRASH)).toMatchObject({ outcome: 'inconclusive', error: { code: 'internal' } })
    expect(await underWay).toMatchObject({ outcome: 'inconclusive', error: { code: 'internal' }, response_ms: null })
    expect(await later).toMatchObject({ outcome: 'up' })
    expect((await thread.check(define(target.url))).outcome).toBe('up')
    expect(thread.stats()).toMatchObject({ restarts: 1, inFlight: 0 })
  })

  test('does not lose checks that arrive while none runs', async () => {
    const target = keep(await startAnswering(answerOf('ok')))
    const thread = startFragile()
    await thread.check(CRASH)
    const results = await Promise.all([thread.check(define(target.url)), thread.check(define(target.url))])
    expect(results.map(({ outcome }) => outcome)).toEqual(['up', 'up'])
  })

  test('because it hangs is detected and replaced', async () => {
    const clock = createFakeClock(Date.now())
    const target = keep(await startAnswering(answerOf('ok')))
    const thread = startFragile({ clock })
    expect((await thread.check(define(target.url))).outcome).toBe('up')
    const lost = [thread.check(HANG), thread.check(define(target.url, { timeout: 1 }))]
    const restarts = () => {
      clock.advance(5_000)
      return thread.stats().restarts
    }
    await expect.poll(restarts, patient).toBe(1)
    for (const result of await Promise.all(lost)) expect(result).toMatchObject({ outcome: 'inconclusive', response_ms: null })
    clock.advance(1_000)
    expect((await thread.check(define(target.url))).outcome).toBe('up')
  })

  test('by a close makes all checks inconclusive, even those that are not due', async () => {
    const silent = keep(await startTarget(() => {}))
    const thread = startThread()
    const checks = [thread.check(define(silent.url)), thread.check(define(silent.url), Date.now() + 60_000)]
    await expect.poll(() => silent.connections, patient).toBe(1)
    await thread.close()
    for (const result of await Promise.all(checks)) expect(result.outcome).toBe('inconclusive')
    expect((await thread.check(define(silent.url))).outcome).toBe('inconclusive')
  })
})

test('invalid options are refused before a thread starts', () => {
  expect(() => startProberThread({ allowPrivateTargets: ['everything'] })).toThrow('not an address range: everything')
})

describe('case C4: while this thread is blocked', () => {
  const BLOCK_MS = 2_000

  /** A target in a thread of its own: one in this thread would be blocked too. */
  async function startOtherThread(): Promise<string> {
    const code = `
      const { createServer } = require('node:net')
      const server = createServer((socket) => {
        socket.on('error', () => {})
        socket.once('data', () => setTimeout(() => socket.end('HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok'), 20))
      })
      server.listen(0, '127.0.0.1', () => require('node:worker_threads').parentPort.postMessage(server.address().port))`
    const worker = new Worker(code, { eval: true })
    keep({ close: async () => void (await worker.terminate()) })
    const [port] = (await once(worker, 'message')) as [number]
    return `http://127.0.0.1:${port}`
  }

  const block = () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BLOCK_MS)

  test('a prober thread is not delayed', async () => {
    const url = await startOtherThread()
    const thread = startThread()
    await thread.check(define(url))
    const startAtMs = Date.now() + 200
    const checks = Array.from({ length: 5 }, (_, index) => thread.check(define(url), startAtMs + index * 200))
    await new Promise((resolve) => setImmediate(resolve))
    block()
    const overMs = Date.now()
    for (const result of await Promise.all(checks)) {
      expect(result).toMatchObject({ outcome: 'up', error: null })
      expect(Date.parse(result.checked_at)).toBeLessThan(overMs)
    }
  })

  test('a prober in the blocked thread reports no target as down', async () => {
    const url = await startOtherThread()
    const own = keep(createProber({ allowPrivateTargets: 'all' }))
    const check = own.check(define(url, { timeout: 1 }))
    block()
    const { outcome, error, delayed } = await check
    // It had its answer in time, or it knows why not.
    expect(outcome === 'up' ? delayed : error?.code === 'internal').toBe(true)
  })
})
