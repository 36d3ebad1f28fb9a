import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../test/harness.ts'
import { silentLog } from '../../platform/log.ts'
import { keepPartitions } from '../index.ts'

const DAY = 86_400_000

let backend: TestBackend
beforeAll(async () => {
  backend = await startTestBackend()
})
afterAll(() => backend.close())

it('several instances that make the partitions of the same days at once do not hinder each other', async () => {
  for (let round = 1; round <= 5; round += 1) {
    const nowMs = backend.clock.now() + round * 6 * DAY
    const kept = Array.from({ length: 6 }, () => keepPartitions(backend.pool.db, silentLog, nowMs))
    expect((await Promise.allSettled(kept)).filter(({ status }) => status === 'rejected')).toEqual([])
  }
})
