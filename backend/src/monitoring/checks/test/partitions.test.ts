import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { keepCheckPartitions } from '../results/partitions.ts'

const DAY = 86_400_000

let backend: TestBackend
beforeAll(async () => {
  backend = await startTestBackend()
})
afterAll(() => backend.close())

/** The partitions of a table, the oldest first. */
async function partitionsOf(table: string): Promise<string[]> {
  const { rows } = await backend.pool.pg.query<{ name: string }>(
    'select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass order by 1',
    [table],
  )
  return rows.map(({ name }) => name)
}

it('single checks and their hours are kept for 35 days, days for 400 [CHECK-26]', async () => {
  const { pool, clock } = backend
  const startMs = clock.now()
  const keepAt = (days: number) => keepCheckPartitions(pool.db, silentLog, startMs + days * DAY)
  const tables = ['check_result', 'check_hour', 'check_day'] as const
  const today = new Date(startMs).toISOString().slice(0, 10)
  const firstOf = {
    check_result: `check_result_${today.replaceAll('-', '')}`,
    check_hour: `check_hour_${today.slice(0, 7).replace('-', '')}`,
    check_day: `check_day_${today.slice(0, 7).replace('-', '')}`,
  }
  const areThere = async () => {
    const there = await Promise.all(tables.map(async (table) => (await partitionsOf(table)).includes(firstOf[table])))
    return Object.fromEntries(tables.map((table, index) => [table, there[index]]))
  }
  expect(await areThere()).toEqual({ check_result: true, check_hour: true, check_day: true })
  // The whole day is kept until its last check is so old.
  await keepAt(35)
  expect(await areThere()).toEqual({ check_result: true, check_hour: true, check_day: true })
  await keepAt(36)
  expect(await areThere()).toEqual({ check_result: false, check_hour: true, check_day: true })
  await keepAt(35 + 31)
  expect(await areThere()).toEqual({ check_result: false, check_hour: false, check_day: true })
  await keepAt(400)
  expect(await areThere()).toEqual({ check_result: false, check_hour: false, check_day: true })
  await keepAt(400 + 31)
  expect(await areThere()).toEqual({ check_result: false, check_hour: false, check_day: false })
})
