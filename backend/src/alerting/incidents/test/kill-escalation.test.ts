import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { roundsOf } from '../../../../../scripts/test-rounds.ts'
import { type AlertFixture, createAlertFixture } from '../../../../test/alert-fixture.ts'
import { startTestBackend, TEST_SECRET, type TestBackend } from '../../../../test/harness.ts'
import { bareEnvironment, VEDETTE } from '../../../../../scripts/test-tools.ts'

const KILLS = roundsOf(100)
const INCIDENTS = 300
const folder = mkdtempSync(join(tmpdir(), 'vdt-kill-'))

let backend: TestBackend
let alerts: AlertFixture
beforeAll(async () => {
  backend = await startTestBackend({ startMs: Date.now() })
  const organization = await backend.organization()
  const as = await backend.member(organization, 'owner')
  alerts = await createAlertFixture(backend, organization, as)
  const channel = { name: 'Ops', type: 'webhook', config: { url: 'http://127.0.0.1:1/' } }
  const { id } = await alerts.call('POST', '/v1/channels', channel)
  const steps = Array.from({ length: 10 }, () => ({ channel_ids: [id], wait_seconds: 86_400 }))
  const policy = await alerts.call('POST', '/v1/escalation-policies', { name: 'Shop', steps, repeats: 9 })
  await alerts.call('PATCH', `/v1/alert-rules/${alerts.ruleId}`, { escalation_policy_id: policy.id, channel_ids: [] })
  for (let opened = 0; opened < INCIDENTS; opened += 1) await alerts.open()
})
afterAll(async () => {
  await backend.close()
  rmSync(folder, { recursive: true, force: true })
})

const pg = () => backend.pool.pg
const count = async (what: string): Promise<number> => Number((await pg().query(`select count(*) as n from ${what}`)).rows[0]?.n)
const taken = () => count(`incident_event where type = 'notified'`)

/** Runs a worker and kills it as soon as a step shows in the database; whether it left some to do. */
async function killedDuringSteps(): Promise<boolean> {
  const env = { ...bareEnvironment(), DATABASE_URL: backend.databaseUrl, VEDETTE_DATA_DIR: join(folder, 'data') }
  const settings = { VEDETTE_SECRET_KEYS: TEST_SECRET, VEDETTE_LOG_LEVEL: 'silent' }
  const child = spawn(process.execPath, [VEDETTE, 'work'], { env: { ...env, ...settings }, cwd: '/', stdio: 'ignore' })
  const closed = once(child, 'close')
  const before = await taken()
  while (child.exitCode === null && (await taken()) === before);
  child.kill('SIGKILL')
  await closed
  return child.signalCode === 'SIGKILL' && (await count('open_incident where escalation_due_at <= now()')) > 0
}

it('a worker that is killed while it escalates: no step is skipped or taken twice [ESC-20]', {
  timeout: 120_000 + KILLS * 40_000,
}, async () => {
  let killed = 0
  let round = 0
  // A single kill may come too late.
  while (round < KILLS || (killed === 0 && round < 5)) {
    round += 1
    // A policy has at most 100 steps: they begin again.
    await pg().query(
      `update open_incident set escalation_due_at = now() - interval '1 second', escalation_step = escalation_step % 100`,
    )
    if (await killedDuringSteps()) killed += 1
    backend.clock.advance(Math.max(0, Date.now() + 1_000 - backend.clock.now()))
    await backend.jobs.escalate()
    const steps = `
      select incident_id, count(*)::int as taken, count(distinct message)::int as different from incident_event
      where type = 'notified' group by incident_id`
    const { rows } = await pg().query(`select taken, different, count(*)::int as n from (${steps}) as each group by 1, 2`)
    expect(rows).toEqual([{ taken: round + 1, different: Math.min(round + 1, 10), n: INCIDENTS }])
    // The notification is stored with its step or not at all.
    expect(await count(`live_event where type = 'incident.opened'`)).toBe(INCIDENTS * (round + 1))
  }
  console.info(`figure: killed at work ${killed} of ${round} times, ${INCIDENTS * (round + 1)} steps`)
  expect(killed).toBeGreaterThanOrEqual(KILLS / 2)
})
