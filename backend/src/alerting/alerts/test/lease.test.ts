import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { NO_ANNOUNCEMENTS } from '../../../../test/changes.ts'
import { startTestBackend, type TestBackend, TEST_SECRET } from '../../../../test/harness.ts'
import { createLease } from '../../../platform/db/lease.ts'
import { measure } from '../../../../test/measured-server.ts'
import { watch } from '../../../../test/watched-monitor.ts'
import { bareEnvironment, VEDETTE } from '../../../../../scripts/test-tools.ts'

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
  const env = { ...bareEnvironment(), DATABASE_URL: backend.databaseUrl, VEDETTE_DATA_DIR: join(folder, 'data') }
  const settings = { VEDETTE_SECRET_KEYS: TEST_SECRET, VEDETTE_LOG_LEVEL: 'silent' }
  const child = spawn(process.execPath, [VEDETTE, 'work'], {
    env: { ...env, ...settings },
    cwd: '/',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  children.push(child)
  return child
}

/** The processes that evaluate. */
async function evaluating(): Promise<string[]> {
  const { rows } = await backend.pool.pg.query(`select holder from work_share where name = 'evaluation' and until > now()`)
  return rows.map(({ holder }) => holder)
}

async function until<T>(seen: () => Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const found = await seen()
    if (found) return found
    await sleep(50)
  }
}

it('processes share servers and monitors, and take over what a killed one evaluated [ALERT-14]', {
  timeout: 180_000,
}, async () => {
  const organization = await backend.organization()
  const as = await backend.member(organization, 'admin')
  const ruleOf = (type: string, metric: string, value: number) => {
    const condition = { metric, operator: 'greater_than', value }
    return backend.call('POST', '/v1/alert-rules', { as, body: { name: 'rule', target: { type }, condition } })
  }
  await ruleOf('server', 'cpu.percent', 90)
  await ruleOf('monitor', 'response_ms', 1_000)
  const servers = await Promise.all(Array.from({ length: 8 }, () => measure(backend, organization)))
  const monitors = await Promise.all(Array.from({ length: 3 }, () => watch(backend, as, { interval: 10 })))
  const targets = [...servers, ...monitors].map(({ uuid }) => uuid)
  const sendAll = async (percent: number) => {
    // The processes have the real clock, and a push is another instant than the one before it.
    await until(async () => Date.now() - backend.clock.now() >= 1_000)
    backend.clock.advance(Date.now() - backend.clock.now())
    for (const { sends } of servers) await sends({ 'cpu.percent': [percent] })
  }
  const count = async (status: string) => {
    const query = `select count(*)::int as n from incident where target_id = any($1) and status = $2`
    return (await backend.pool.pg.query<{ n: number }>(query, [targets, status])).rows[0]?.n
  }
  // The other tests have moved the clock.
  backend.clock.advance(Date.now() - 10_000 - backend.clock.now())
  // From now on they are expected every four seconds.
  for (let pushes = 0; pushes < 2; pushes += 1) await sendAll(1)
  const first = work()
  await until(async () => (await evaluating()).length === 1)
  const [dead = ''] = await evaluating()
  const second = work()
  await until(async () => (await evaluating()).length === 2)
  await sendAll(1)
  first.kill('SIGKILL')
  await sendAll(99)
  for (const { bring } of monitors) await bring('up', { response_ms: 2_000 })
  await until(async () => (await count('open')) === targets.length)
  expect(await evaluating()).not.toContain(dead)
  // The newcomer and the one that stays may both evaluate a server for a moment.
  const third = work()
  await sendAll(1)
  await until(async () => (await count('resolved')) === servers.length)
  second.kill('SIGKILL')
  await sendAll(99)
  await until(async () => (await count('open')) === targets.length)
  third.kill('SIGKILL')
  expect(await count('resolved')).toBe(servers.length)
})
