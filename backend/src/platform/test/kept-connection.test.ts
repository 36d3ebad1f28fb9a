import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../test/harness.ts'
import { systemClock } from '../clock.ts'
import { createPool, type Pool } from '../db/index.ts'
import { silentLog } from '../log.ts'

let backend: TestBackend
let pool: Pool
beforeAll(async () => {
  backend = await startTestBackend()
  pool = createPool({ url: backend.databaseUrl, clock: systemClock, log: silentLog, max: 3 })
})
afterAll(() => backend.close())

const statement = { text: 'select pg_backend_pid(), $1::int4', rowMode: 'array' } as const
const ask = async (value = 1) => (await pool.kept.query<[number, number]>(statement, [value])).rows[0] as [number, number]
const kill = (pid: number) => backend.pool.pg.query('select pg_terminate_backend($1)', [pid])

it('stays on one connection, which others cannot take meanwhile', async () => {
  const [pid] = await ask()
  const others = await Promise.all([1, 2].map(() => pool.pg.query<{ pid: number }>('select pg_backend_pid() as pid')))
  expect(others.map(({ rows }) => rows[0]?.pid)).not.toContain(pid)
  expect(await ask(7)).toEqual([pid, 7])
})

it('lets what comes at the same time go by the pool, each with its own answer', async () => {
  const answers = await Promise.all([1, 2, 3, 4, 5].map((value) => ask(value)))
  expect(answers.map(([, value]) => value)).toEqual([1, 2, 3, 4, 5])
  expect(new Set(answers.map(([pid]) => pid)).size).toBeGreaterThan(1)
})

it('goes on with another connection when its own broke while nobody asked', async () => {
  const [pid] = await ask()
  await kill(pid)
  const alive = async () => (await backend.pool.pg.query('select from pg_stat_activity where pid = $1', [pid])).rowCount
  await expect.poll(alive).toBe(0)
  // The word of it may still be on its way; from then on nothing fails.
  await expect.poll(() => ask().catch(() => [pid])).not.toEqual([pid])
  expect((await ask(3))[1]).toBe(3)
})

it('fails what was under way when its connection breaks, and nothing after it', async () => {
  const [pid] = await ask()
  const slow = pool.kept.query({ text: 'select pg_sleep($1::int4)', rowMode: 'array' }, [60]).then(
    () => 'slept',
    (error: Error) => error.message,
  )
  const isSleeping = async () =>
    (await backend.pool.pg.query("select from pg_stat_activity where pid = $1 and query like '%pg_sleep%'", [pid])).rowCount
  await expect.poll(isSleeping).toBe(1)
  await kill(pid)
  expect(await slow).toMatch(/terminat/)
  expect((await ask(5))[1]).toBe(5)
})

it('is no hindrance to the end of the pool', async () => {
  await ask()
  await pool.end()
  await expect(ask()).rejects.toThrow(/end/)
})
