import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { roundsOf } from '../../../../../scripts/test-rounds.ts'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { parseId } from '../../../platform/ids.ts'
import { compactSamples } from '../index.ts'
import { bareEnvironment, VEDETTE } from '../../../../../scripts/test-tools.ts'

const HOUR = 3_600_000
const SERVERS = 4
const KILLS = roundsOf(10)

let backend: TestBackend
let organization: TestOrganization
const folder = mkdtempSync(join(tmpdir(), 'vdt-kill-'))
/** What was acknowledged: percent by instant, the first one stands. */
const hosts: { id: string; as: Credentials; acked: Map<number, number> }[] = []
beforeAll(async () => {
  backend = await startTestBackend({ startMs: Date.now() })
  organization = await backend.organization()
  for (let index = 0; index < SERVERS; index += 1) hosts.push({ ...(await backend.server(organization)), acked: new Map() })
})
afterAll(async () => {
  await backend.close()
  rmSync(folder, { recursive: true, force: true })
})

type Host = (typeof hosts)[number]

async function push({ as, acked }: Host, ats: readonly number[], percent: number): Promise<void> {
  // No two pushes come in one millisecond: which of two values came first is then known.
  backend.clock.advance(1)
  const samples = ats.map((at) => ({ at: new Date(at).toISOString(), cpu: { percent } }))
  const body = { batch_id: randomUUID(), sent_at: new Date(backend.clock.now()).toISOString(), agent_version: '1', samples }
  const answer = await backend.call('POST', '/v1/agent/metrics', { as, body })
  expect([answer.status, answer.body.rejected]).toEqual([202, []])
  for (const at of ats) if (!acked.has(at)) acked.set(at, percent)
}

const rowsOfHours = async () => Number((await backend.pool.pg.query('select count(*) as n from metric_hour')).rows[0]?.n)
const marks = async () => Number((await backend.pool.pg.query('select count(*) as n from metric_late')).rows[0]?.n)

/** Runs the job as a process and kills it in the midst, as soon as something of its work is to be seen; whether it was. */
async function killedWhileCompacting(): Promise<boolean> {
  const env = { ...bareEnvironment(), DATABASE_URL: backend.databaseUrl, VEDETTE_DATA_DIR: join(folder, 'data') }
  const child = spawn(process.execPath, [VEDETTE, 'compact'], { env, cwd: '/', stdio: 'ignore' })
  const closed = once(child, 'close')
  const before = [await rowsOfHours(), await marks()]
  const isAtWork = async () => (await rowsOfHours()) !== before[0] || (await marks()) !== before[1]
  while (child.exitCode === null && !(await isAtWork())) await backend.pool.pg.query('select')
  child.kill('SIGKILL')
  await closed
  return child.signalCode === 'SIGKILL'
}

it('a job that is killed in the midst loses and doubles nothing, late and repeated samples included [PUSH-02]', {
  timeout: 240_000,
}, async () => {
  const now = backend.clock.now()
  for (const [number, host] of hosts.entries()) {
    for (let hour = 60; hour > 0; hour -= 1) {
      const start = now - hour * HOUR
      await push(
        host,
        Array.from({ length: 20 }, (_, index) => start + index * 61_000 + number),
        (hour * 7) % 100,
      )
    }
  }
  let killed = 0
  let round = 0
  // A single kill may come too late.
  for (; round < KILLS || (killed === 0 && round < 5); round += 1) {
    if (await killedWhileCompacting()) killed += 1
    for (const host of hosts) {
      const known = [...host.acked.keys()]
      const start = now - (2 + round * 5) * HOUR
      await push(
        host,
        Array.from({ length: 10 }, (_, index) => start + 30_500 + index * 61_000),
        50 + round,
      )
      // Sent again under another batch, with other values: what came first stands.
      await push(host, known.slice(round * 20, round * 20 + 15), 99)
    }
  }
  console.info(
    `figure: killed at work ${killed} of ${round} times, ${hosts.reduce((sum, { acked }) => sum + acked.size, 0)} samples`,
  )
  expect(killed).toBeGreaterThanOrEqual(KILLS / 2)
  // As late as it is for the processes that were killed: a midnight may lie between.
  backend.clock.advance(Math.max(0, Date.now() - backend.clock.now()))
  await compactSamples(backend.pool, backend.clock)
  await compactSamples(backend.pool, backend.clock)
  const due = Math.floor((backend.clock.now() - 600_000) / HOUR) * HOUR
  // From the fourth to the tenth minute of an hour, samples of the previous hour are marked late although it is not due yet.
  const open = await backend.pool.pg.query('select from metric_late where hour < $1', [due / HOUR])
  expect(open.rowCount).toBe(0)
  // From here on only the compacted hours contain them.
  await backend.pool.pg.query('delete from metric_push where t0 < $1', [now - 2 * HOUR])

  const as = await backend.apiKey(organization, 'read')
  for (const { id, acked } of hosts) {
    const kept = await backend.pool.pg.query(
      `select coalesce(sum(samples), 0)::int as n from (
         select server, samples from metric_samples union all
         select server, samples from metric_hour where day - date '1970-01-01' > (select done from metric_progress where name = 'day')
       ) as stored where server = (select number from server where id = $1::uuid)`,
      [parseId('server', id)],
    )
    expect(kept.rows).toEqual([{ n: [...acked.keys()].filter((at) => at < due).length }])
    const values = [...acked.values()]
    const { body } = await backend.call('GET', `/v1/servers/${id}/metrics?period=7d&metrics=cpu`, { as })
    const mean = values.reduce((sum, percent) => sum + percent * 100, 0) / (values.length * 100)
    expect([body.metrics.cpu.avg_percent, body.metrics.cpu.max_percent]).toEqual([mean, Math.max(...values)])
  }
})
