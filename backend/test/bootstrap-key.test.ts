import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startBootstrapKey } from '../src/operating/startup/bootstrap-key.ts'
import { silentLog } from '../src/platform/logging/log.ts'
import { registration, startTestBackend, type TestBackend } from './harness.ts'

const folder = mkdtempSync(join(tmpdir(), 'vdt-key-'))
const file = join(folder, 'agent.key')
let backend: TestBackend
beforeAll(async () => {
  backend = await startTestBackend()
  await backend.organization()
})
afterAll(async () => {
  await backend.close()
  rmSync(folder, { recursive: true })
})

it('makes no key where the file cannot be written, however often it tries [START-26]', async () => {
  let failed = 0
  const log = { ...silentLog, error: () => void (failed += 1) }
  const job = await startBootstrapKey(backend.pool.db, backend.clock, log, join(folder, 'missing', 'agent.key'))
  expect(failed).toBe(1)
  for (const tries of [2, 3]) {
    backend.clock.advance(500)
    await expect.poll(() => failed).toBe(tries)
  }
  await job.stop()
  expect((await backend.pool.pg.query("select from api_key where name = 'bootstrap'")).rowCount).toBe(0)
})

it('the key of the file registers a host as soon as the file is there [START-26]', async () => {
  // Whatever claims something in the settings cannot commit until this test lets it.
  const { pg } = backend.pool
  await pg.query(`create function wait_for_test() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock(1); return null; end $$`)
  await pg.query(`create constraint trigger wait_for_test after insert on setting deferrable initially deferred
    for each row execute function wait_for_test()`)
  const holder = await pg.connect()
  await holder.query('select pg_advisory_lock(1)')
  const starting = startBootstrapKey(backend.pool.db, backend.clock, silentLog, file)
  try {
    await expect.poll(() => existsSync(file)).toBe(true)
    const as = { 'x-api-key': readFileSync(file, 'utf8').trim() }
    expect((await backend.call('POST', '/v1/agent/register', { as, body: registration('host') })).status).toBe(201)
  } finally {
    await holder.query('select pg_advisory_unlock(1)')
    holder.release()
    const job = await starting
    await job.stop()
  }
})

it('is written before the start goes on [START-26]', async () => {
  const early = join(folder, 'early.key')
  await backend.pool.db.deleteFrom('setting').where('name', '=', 'bootstrap_api_key').execute()
  const job = await startBootstrapKey(backend.pool.db, backend.clock, silentLog, early)
  expect(existsSync(early)).toBe(true)
  await job.stop()
})

it('is for its owner alone, also where the file existed and others could read it', async () => {
  const open = join(folder, 'open.key')
  writeFileSync(open, 'old')
  chmodSync(open, 0o644)
  await backend.pool.db.deleteFrom('setting').where('name', '=', 'bootstrap_api_key').execute()
  const job = await startBootstrapKey(backend.pool.db, backend.clock, silentLog, open)
  expect([statSync(open).mode & 0o777, readFileSync(open, 'utf8').slice(0, 8)]).toEqual([0o600, 'vdt_key_'])
  await job.stop()
})
