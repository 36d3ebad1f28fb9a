import { afterAll, beforeAll, expect, it } from 'vitest'
import { createFakeClock } from '../../../../test/fake-clock.ts'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { yieldToEventLoop } from '../../../platform/concurrency/yield-to-event-loop.ts'
import type { CompletedCheck } from '../results/completed-check.ts'
import { createRecorder } from '../results/recorder.ts'
import { resultOf } from './monitors.ts'
import { TEST_ENCRYPTER, until } from './workers.ts'

let backend: TestBackend
beforeAll(async () => {
  backend = await startTestBackend()
})
afterAll(() => backend.close())

/** Of a monitor that is not there: nothing is written, and a batch is a batch. */
const check = (monitor: number): CompletedCheck => ({
  organization: 1,
  monitor,
  region: 1,
  fence: 1,
  result: resultOf('up', 0),
  endedAtMs: 0,
})

function newRecorder() {
  const clock = createFakeClock(Date.now())
  const recorder = createRecorder({
    pool: backend.pool,
    clock,
    now: () => clock.now(),
    log: silentLog,
    encrypter: TEST_ENCRYPTER,
    settled: () => undefined,
  })
  return { clock, recorder }
}

it('the first check after a quiet period is stored at once, the following ones together every quarter of a second', async () => {
  const { clock, recorder } = newRecorder()
  recorder.record(check(1))
  await until(() => recorder.stats().batches === 1)
  for (const monitor of [2, 3, 4]) {
    recorder.record(check(monitor))
    await yieldToEventLoop()
  }
  expect(recorder.stats()).toMatchObject({ batches: 1, queued: 3 })
  clock.advance(250)
  await until(() => recorder.stats().batches === 2)
  expect(recorder.stats().queued).toBe(0)
  await recorder.stop()
})

it('a drained recorder stores without delay', async () => {
  const { recorder } = newRecorder()
  recorder.record(check(1))
  await until(() => recorder.stats().batches === 1)
  recorder.record(check(2))
  await recorder.drain()
  expect(recorder.stats()).toMatchObject({ batches: 2, queued: 0 })
  await recorder.stop()
})
