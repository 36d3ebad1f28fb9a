import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { announcements, NO_ANNOUNCEMENTS } from '../../../test/changes.ts'
import { startTestBackend, type TestBackend, TEST_SECRET } from '../../../test/harness.ts'
import { createLease } from '../../platform/db/lease.ts'
import { measure } from './measured-server.ts'
import { incidentsOf } from './watched-monitor.ts'

const MAIN = join(import.meta.dirname, '../../main.ts')
const folder = mkdtempSync(join(tmpdir(), 'vdt-lease-'))
const children: ChildProcess[] = []

let backend: TestBackend
beforeAll(async () => {
  backend = await startTestBackend({ startMs: Date.now() })
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await backend.close()
  rmSync(folder, { recursive: true, force: true })
})

it('a lease has one holder at a time, and passes on when it is released or expires', async () => {
  const leased = () => {
    const lease = createLease({ db: backend.pool.db, clock: backend.clock, changes: NO_ANNOUNCEMENTS }, 'a job', 4_000)
    const runs = async () => {
      let hasRun = false
      await lease.run(async () => (hasRun = true))
      return hasRun
    }
    return { runs, release: lease.release }
  }
  const [one, other] = [leased(), leased()]
  expect([await one.runs(), await other.runs(), await one.runs()]).toEqual([true, false, true])
  backend.clock.advance(3_999)
  expect([await other.runs(), await one.runs()]).toEqual([false, true])
  backend.clock.advance(4_000)
  expect([await other.runs(), await one.runs()]).toEqual([true, false])
  await one.release()
  expect(await one.runs()).toBe(false)
  await other.release()
  expect(await one.runs()).toBe(true)
})

it('a lease of a process that has nothing to do is extended seldom, and others know without asking', async () => {
  const { changes, announce } = announcements()
  let dueMs = 0
  let taken = 0
  const { db } = backend.pool
  const counting = db.withPlugin({
    transformQuery: ({ node }) => {
      taken += 1
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const lease = (idleUntilMs?: () => number) =>
    createLease({ db: counting, clock: backend.clock, changes }, 'idle', 4_000, idleUntilMs)
  const [one, other] = [lease(() => dueMs), lease()]
  const runs = async (each: typeof one) => {
    let hasRun = false
    await each.run(async () => (hasRun = true))
    return hasRun
  }
  dueMs = backend.clock.now() + 60_000
  expect([await runs(one), await runs(other)]).toEqual([true, false])
  const before = taken
  for (let second = 0; second < 27; second += 1) {
    backend.clock.advance(1_000)
    expect([one.isExpiring(), await runs(other)]).toEqual([false, false])
  }
  expect(taken).toBe(before)
  // In time for the others, who would take it 30 s after it was taken.
  backend.clock.advance(1_000)
  expect([one.isExpiring(), await runs(one)]).toEqual([true, true])
  backend.clock.advance(2_000)
  expect(await runs(other)).toBe(false)
  // Nobody else runs until a release is announced, or the lease has expired.
  await one.release()
  expect(await runs(other)).toBe(false)
  announce('job_lease', 'idle')
  expect([await runs(other), await runs(one)]).toEqual([true, false])
})

it('a task that takes longer than its lease keeps it', async () => {
  const deps = { db: backend.pool.db, clock: backend.clock, changes: NO_ANNOUNCEMENTS }
  const [one, other] = [createLease(deps, 'a long job', 4_000), createLease(deps, 'a long job', 4_000)]
  const begun = Promise.withResolvers<void>()
  const done = Promise.withResolvers<void>()
  const running = one.run(() => {
    begun.resolve()
    return done.promise
  })
  await begun.promise
  const endOf = async () =>
    (await backend.pool.pg.query(`select until from job_lease where name = 'a long job'`)).rows[0]?.until.getTime()
  let taken = false
  for (let second = 0; second < 10; second += 1) {
    backend.clock.advance(1_000)
    await expect.poll(endOf).toBe(backend.clock.now() + 4_000)
    await other.run(async () => (taken = true))
  }
  done.resolve()
  await running
  expect(taken).toBe(false)
})

function work(): ChildProcess {
  const env = { PATH: process.env['PATH'], DATABASE_URL: backend.databaseUrl, VEDETTE_DATA_DIR: join(folder, 'data') }
  const settings = { VEDETTE_SECRET_KEYS: TEST_SECRET, VEDETTE_LOG_LEVEL: 'silent' }
  const child = spawn(process.execPath, [MAIN, 'work'], {
    env: { ...env, ...settings },
    cwd: '/',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  children.push(child)
  return child
}

async function held(): Promise<{ holder: string; until: number } | undefined> {
  const { rows } = await backend.pool.pg.query(
    `select holder, extract(epoch from until) as until from job_lease where name = 'evaluate servers'`,
  )
  return rows[0] as { holder: string; until: number } | undefined
}

async function until<T>(seen: () => Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const found = await seen()
    if (found) return found
  }
}

it('one process evaluates servers, and another takes over when it is killed [ALERT-14]', { timeout: 120_000 }, async () => {
  const organization = await backend.organization()
  const as = await backend.member(organization, 'admin')
  const condition = { metric: 'cpu.percent', operator: 'greater_than', value: 90 }
  await backend.call('POST', '/v1/alert-rules', { as, body: { name: 'rule', target: { type: 'server' }, condition } })
  const { uuid, sends } = await measure(backend, organization)
  const first = work()
  const { holder } = await until(held)
  const second = work()
  if (!second.stdout) throw new Error('it says nothing')
  await once(second.stdout, 'data')
  const here = (await held())?.until ?? 0
  // Two runs later the second has asked as well.
  const after = await until(async () => {
    const now = await held()
    return now && now.until > here + 2 && now
  })
  expect(after.holder).toBe(holder)
  const ofChecks = `select extract(epoch from until - now())::float8 as s from job_lease where name = 'evaluate checks'`
  const left = await until(async () => (await backend.pool.pg.query<{ s: number }>(ofChecks)).rows[0])
  // With 26 s for a process that has nothing to evaluate.
  expect(left.s).toBeLessThanOrEqual(30)
  const gone = once(first, 'close')
  first.kill('SIGKILL')
  await gone
  backend.clock.advance(Date.now() - backend.clock.now())
  await sends({ 'cpu.percent': [99] })
  const [incident] = await until(async () => {
    const found = await incidentsOf(backend, uuid)
    return found.length > 0 && found
  })
  expect(incident).toMatchObject({ status: 'open', summary: 'web-1: CPU 99 % (threshold 90 %)' })
  expect((await held())?.holder).not.toBe(holder)
})
