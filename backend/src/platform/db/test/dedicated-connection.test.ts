import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { systemClock } from '../../time/clock.ts'
import { createPool, type Pool } from '../index.ts'
import { silentLog } from '../../logging/log.ts'

let backend: TestBackend
let pool: Pool
beforeAll(async () => {
  backend = await startTestBackend()
  pool = createPool({ url: backend.databaseUrl, clock: systemClock, log: silentLog, max: 3 })
})
afterAll(() => backend.close())

const statement = { text: 'select pg_backend_pid(), $1::int4', rowMode: 'array' } as const
const query = async (value = 1) => (await pool.dedicated.query<[number, number]>(statement, [value])).rows[0] as [number, number]
const kill = (pid: number) => backend.pool.pg.query('select pg_terminate_backend($1)', [pid])

it('the dedicated connection stays the same, and the pool does not lend it', async () => {
  const [pid] = await query()
  const others = await Promise.all([1, 2].map(() => pool.pg.query<{ pid: number }>('select pg_backend_pid() as pid')))
  expect(others.map(({ rows }) => rows[0]?.pid)).not.toContain(pid)
  expect(await query(7)).toEqual([pid, 7])
})

it('concurrent statements use the pool, and each gets its own answer', async () => {
  const answers = await Promise.all([1, 2, 3, 4, 5].map((value) => query(value)))
  expect(answers.map(([, value]) => value)).toEqual([1, 2, 3, 4, 5])
  expect(new Set(answers.map(([pid]) => pid)).size).toBeGreaterThan(1)
})

it('another connection replaces one that broke while it was idle', async () => {
  const [pid] = await query()
  await kill(pid)
  const alive = async () => (await backend.pool.pg.query('select from pg_stat_activity where pid = $1', [pid])).rowCount
  await expect.poll(alive).toBe(0)
  // The close may not have arrived yet; after it nothing fails.
  await expect.poll(() => query().catch(() => [pid])).not.toEqual([pid])
  expect((await query(3))[1]).toBe(3)
})

it('a broken connection fails the statement under way and none after it', async () => {
  const [pid] = await query()
  const slow = pool.dedicated.query({ text: 'select pg_sleep($1::int4)', rowMode: 'array' }, [60]).then(
    () => 'slept',
    (error: Error) => error.message,
  )
  const isSleeping = async () =>
    (await backend.pool.pg.query("select from pg_stat_activity where pid = $1 and query like '%pg_sleep%'", [pid])).rowCount
  await expect.poll(isSleeping).toBe(1)
  await kill(pid)
  expect(await slow).toMatch(/terminat/)
  expect((await query(5))[1]).toBe(5)
})

it('the dedicated connection does not block the end of the pool', async () => {
  await query()
  await pool.end()
  await expect(query()).rejects.toThrow(/end/)
})
