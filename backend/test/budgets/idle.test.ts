import { MINUTE_MS } from '@vedette/shared'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startJobs } from '../../src/start-jobs.ts'
import { type CountedBackend, startCountedBackend } from './counting.ts'
import { IDLE_BUDGET, faultsOf } from './table.ts'

/** After the first runs of the jobs; then so many minutes are counted together, because some jobs run every few minutes. */
const [SETTLE_MINUTES, MINUTES] = [3, 10]
const STEP_MS = 250

let counted: CountedBackend
beforeAll(async () => void (counted = await startCountedBackend()))
afterAll(() => counted.close())

it('ten minutes of the jobs with a host and nothing to do stay within their budget', async () => {
  const { backend, count, idle } = counted
  const { clock, jobDeps } = backend
  await backend.server(await backend.organization())
  let wakes = 0
  const sleep = async (...[ms, signal]: Parameters<typeof clock.sleep>) => {
    await clock.sleep(ms, signal)
    wakes += 1
  }
  const jobs = startJobs({ ...jobDeps, clock: { ...clock, sleep }, changes: { ...jobDeps.changes, isHeard: () => true } })
  const pass = (minutes: number) =>
    count(async () => {
      for (let ms = 0; ms < minutes * MINUTE_MS; ms += STEP_MS) {
        clock.advance(STEP_MS)
        await idle()
      }
    })
  await pass(SETTLE_MINUTES)
  wakes = 0
  const { counts, statements } = await pass(MINUTES)
  const found = { ...counts, wakes }
  if (process.env['SHOW_COUNTS']) console.info(found)
  expect(faultsOf(found, IDLE_BUDGET), statements.join('\n')).toEqual([])
  const stopped = jobs.stop().then(() => 'stopped')
  while ((await Promise.race([stopped, idle()])) !== 'stopped') clock.advance(STEP_MS)
})
