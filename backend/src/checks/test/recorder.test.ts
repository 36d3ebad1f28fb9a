import { afterAll, beforeAll, expect, it } from 'vitest'
import { createFakeClock } from '../../../test/fake-clock.ts'
import { startTestBackend, type TestBackend } from '../../../test/harness.ts'
import { silentLog } from '../../platform/log.ts'
import { nextTurn } from '../../platform/turn.ts'
import type { Observed } from '../results/observed.ts'
import { createRecorder } from '../results/recorder.ts'
import { resultOf } from './monitors.ts'
import { until } from './workers.ts'

let backend: TestBackend
beforeAll(async () => {
  backend = await startTestBackend()
})
afterAll(() => backend.close())

/** Of a monitor that is not there: nothing is written, and a batch is a batch. */
const check = (monitor: number): Observed => ({
  organization: 1,
  monitor,
  region: 1,
  fence: 1,
  result: resultOf('up', 0),
  endedAtMs: 0,
})

function newRecorder() {
  const clock = createFakeClock(Date.now())
  const recorder = createRecorder({ pool: backend.pool, clock, now: () => clock.now(), log: silentLog, settled: () => undefined })
  return { clock, recorder }
}

it('the first check after a quiet moment is stored at once, and what follows within a quarter of a second goes together', async () => {
  const { clock, recorder } = newRecorder()
  recorder.record(check(1))
  await until(() => recorder.stats().batches === 1)
  for (const monitor of [2, 3, 4]) {
    recorder.record(check(monitor))
    await nextTurn()
  }
  expect(recorder.stats()).toMatchObject({ batches: 1, kept: 3 })
  clock.advance(250)
  await until(() => recorder.stats().batches === 2)
  expect(recorder.stats().kept).toBe(0)
  await recorder.stop()
})

it('a recorder that is drained gathers nothing', async () => {
  const { recorder } = newRecorder()
  recorder.record(check(1))
  await until(() => recorder.stats().batches === 1)
  recorder.record(check(2))
  await recorder.drain()
  expect(recorder.stats()).toMatchObject({ batches: 2, kept: 0 })
  await recorder.stop()
})
