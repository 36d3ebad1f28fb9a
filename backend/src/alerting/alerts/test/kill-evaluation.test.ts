import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { roundsOf } from '../../../../../scripts/test-rounds.ts'
import { startTestBackend, type TestBackend, type TestOrganization, TEST_SECRET } from '../../../../test/harness.ts'
import { changeStatus } from '../../../monitoring/checks/index.ts'
import { inTransaction } from '../../../platform/db/index.ts'
import { newId } from '../../../platform/ids.ts'
import { bareEnvironment, VEDETTE } from '../../../../../scripts/test-tools.ts'

const KILLS = roundsOf(100)
const MONITORS = 60
const folder = mkdtempSync(join(tmpdir(), 'vdt-kill-'))

let backend: TestBackend
let organization: TestOrganization
const monitors: number[] = []
beforeAll(async () => {
  backend = await startTestBackend({ startMs: Date.now() })
  organization = await backend.organization()
  const as = await backend.member(organization, 'admin')
  // Of a region that nobody checks: statuses are those of the test.
  const region = `region-${randomUUID()}`
  await backend.probe(region)
  const create = Array.from({ length: MONITORS }, (_, index) => ({
    name: `m${index}`,
    url: 'https://a.example/',
    regions: [region],
  }))
  const { status } = await backend.call('POST', '/v1/monitors/bulk', { as, body: { create } })
  if (status !== 200) throw new Error(`making monitors answered ${status}`)
  const rows = await backend.pool.db.selectFrom('monitor').select('number').orderBy('number').execute()
  monitors.push(...rows.map(({ number }) => number))
  // No change is earlier than the one before it, and rules evaluate none from before their definition.
  const start = new Date(changedMs)
  await backend.pool.pg.query('update monitor_status set since = $1', [start])
  await backend.pool.pg.query('update alert_rule set created_at = $1, defined_at = $1', [start])
})
afterAll(async () => {
  await backend.close()
  rmSync(folder, { recursive: true, force: true })
})

const count = async (table: string) => Number((await backend.pool.pg.query(`select count(*) as n from ${table}`)).rows[0]?.n)

/** A monitor that is stable for this time between its changes does not flap: each outage is an incident of its own. */
const STABLE_MS = 16 * 60_000
const MOST_ROUNDS = Math.max(KILLS, 5)
const CHANGES = Array.from({ length: MOST_ROUNDS }, (_, round) => (round % 2 === 0 ? 4 : 2)).reduce((sum, one) => sum + one, 0)
let changedMs = Date.now() - (CHANGES + 1) * STABLE_MS

async function changeAll(from: 'up' | 'down', to: 'up' | 'down'): Promise<void> {
  changedMs += STABLE_MS
  let atMs = changedMs
  for (const monitor of monitors) {
    const change = { id: newId(), from, to, beforePause: null, reason: 'by the test' } as const
    await inTransaction(backend.pool.db, (db) => changeStatus(db, organization.number, monitor, change, new Date(atMs++)))
  }
}

/** Runs a worker and kills it as soon as its evaluation shows in the database; whether it did. */
async function killedDuringEvaluation(): Promise<boolean> {
  const env = { ...bareEnvironment(), DATABASE_URL: backend.databaseUrl, VEDETTE_DATA_DIR: join(folder, 'data') }
  const settings = { VEDETTE_SECRET_KEYS: TEST_SECRET, VEDETTE_LOG_LEVEL: 'silent' }
  const child = spawn(process.execPath, [VEDETTE, 'work'], { env: { ...env, ...settings }, cwd: '/', stdio: 'ignore' })
  const closed = once(child, 'close')
  const before = await count('alert_signal')
  while (child.exitCode === null && (await count('alert_signal')) === before);
  child.kill('SIGKILL')
  await closed
  const left = await count('alert_signal')
  // What the killed one held waits for its lease; the test does not.
  await backend.pool.pg.query('update alert_signal set next_attempt_at = created_at')
  return child.signalCode === 'SIGKILL' && left > 0
}

it('a worker that is killed while it evaluates rules: each change of status opens or resolves exactly once [ALERT-12]', {
  timeout: 120_000 + KILLS * 40_000,
}, async () => {
  let killed = 0
  let changes = 0
  let round = 0
  // A single kill may come too late.
  for (; round < KILLS || (killed === 0 && round < MOST_ROUNDS); round += 1) {
    await changeAll('up', 'down')
    await changeAll('down', 'up')
    if (round % 2 === 0) await changeAll('up', 'down')
    if (await killedDuringEvaluation()) killed += 1
    if (round % 2 === 0) await changeAll('down', 'up')
    changes += round % 2 === 0 ? 2 : 1
  }
  console.info(`figure: killed at work ${killed} of ${round} times, ${changes * MONITORS} outages`)
  expect(killed).toBeGreaterThanOrEqual(KILLS / 2)
  backend.clock.advance(Date.now() + 60_000 - backend.clock.now())
  await backend.jobs.evaluateSignals()
  expect(await count('alert_signal')).toBe(0)
  const { rows } = await backend.pool.pg.query(
    `select count(*)::int as n, count(distinct at)::int as instants, bool_and(status = 'resolved') as are_over from incident group by target_id`,
  )
  expect(rows).toEqual(monitors.map(() => ({ n: changes, instants: changes, are_over: true })))
  const { rows: events } = await backend.pool.pg.query(
    'select type, count(*)::int as n from incident_event group by type order by type',
  )
  expect(events).toEqual([
    { type: 'opened', n: changes * MONITORS },
    { type: 'resolved', n: changes * MONITORS },
  ])
})
