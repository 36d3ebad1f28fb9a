import { expect, it } from 'vitest'
import { announcements } from '../../../../test/changes.ts'
import { systemClock } from '../../time/clock.ts'
import { createRereading } from '../changes.ts'

it('is read once for all who want it meanwhile, and again after a change or a failure', async () => {
  const { changes, announce } = announcements()
  const rereading = createRereading({ changes, clock: systemClock }, 'server', 0, 60_000)
  const isDue = () => rereading.dueMs() <= Date.now()
  let queries = 0
  const query = async () => (queries += 1)
  expect(await Promise.all([rereading.read(query), rereading.read(query), rereading.read(query)])).toEqual([1, 1, 1])
  expect(isDue()).toBe(false)
  const reading = rereading.read(query)
  announce('server')
  expect([await reading, isDue()]).toEqual([2, true])
  await expect(rereading.read(() => Promise.reject(new Error('away')))).rejects.toThrow('away')
  expect(isDue()).toBe(true)
  expect([await rereading.read(query), isDue()]).toEqual([3, false])
})
