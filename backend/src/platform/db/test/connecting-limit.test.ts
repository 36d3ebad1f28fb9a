import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { growSlowly } from '../connecting-limit.ts'

let backend: TestBackend
let pool: pg.Pool
/** What those who wait for a connection do when their patience ends. */
const ends = new Set<() => void>()
const timers = {
  setTimeout: (end: () => void) => (ends.add(end), end),
  clearTimeout: (end: () => void) => void ends.delete(end),
} as unknown as Pick<typeof globalThis, 'setTimeout' | 'clearTimeout'>
beforeAll(async () => {
  backend = await startTestBackend()
  pool = new pg.Pool({ connectionString: backend.databaseUrl, min: 2, max: 4 })
  // It says that it has ended before its sessions have, and the database is dropped meanwhile.
  pool.on('error', () => undefined)
  growSlowly(pool, timers)
})
afterAll(async () => {
  await pool.end()
  await backend.close()
})

it('statements at once share the sessions that stay open', async () => {
  for (let round = 0; round < 3; round += 1) await Promise.all([1, 2, 3, 4, 5, 6].map(() => pool.query('select 1')))
  expect([pool.totalCount, ends.size]).toEqual([2, 0])
})

it('who has waited gets a session of its own, up to the most', async () => {
  const held = await Promise.all([1, 2].map(() => pool.connect()))
  const connecting = [1, 2, 3].map(() => pool.connect())
  expect([pool.totalCount, ends.size]).toEqual([2, 3])
  for (const end of ends) end()
  const others = await Promise.all(connecting.slice(0, 2))
  expect(pool.totalCount).toBe(4)
  // The pool is full: without waiting for anything else the third takes the first that comes back.
  held[0]?.release()
  for (const client of [held[1], ...others, await connecting[2]]) client?.release()
  expect([pool.totalCount, pool.idleCount]).toEqual([4, 4])
})

it('what fails is said to each form of the caller', async () => {
  const away = new pg.Pool({ connectionString: 'postgres://127.0.0.1:1/none', min: 0, max: 1 })
  growSlowly(away, timers)
  await expect(away.connect()).rejects.toThrow('ECONNREFUSED')
  await expect(away.query('select 1')).rejects.toThrow('ECONNREFUSED')
  await away.end()
})
