import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { openTestIncident } from '../../../../test/incident.ts'
import { keepIncidentPartitions } from '../partitions.ts'

const DAY = 86_400_000

let backend: TestBackend
beforeAll(async () => {
  backend = await startTestBackend()
})
afterAll(() => backend.close())

it.each(['incident', 'incident_event'])('partitions of %s are kept for 400 days [INCIDENT-07]', async (table) => {
  const { pool, clock } = backend
  const startMs = clock.now()
  const first = `${table}_${new Date(startMs).toISOString().slice(0, 7).replace('-', '')}`
  const isThereAt = async (days: number) => {
    await keepIncidentPartitions(pool.db, silentLog, startMs + days * DAY)
    const { rows } = await pool.pg.query('select from pg_class where relname = $1', [first])
    return rows.length === 1
  }
  expect([await isThereAt(0), await isThereAt(400), await isThereAt(400 + 31)]).toEqual([true, true, false])
})

it('an incident that is open for longer does not prevent the next one', async () => {
  const { pool, clock } = backend
  await keepIncidentPartitions(pool.db, silentLog, clock.now())
  await openTestIncident(backend, await backend.organization())
  const keys = async (days: number) => {
    await keepIncidentPartitions(pool.db, silentLog, clock.now() + days * DAY)
    return (await pool.db.selectFrom('open_incident').select('rule_id').execute()).length
  }
  expect([await keys(399), await keys(400 + 31)]).toEqual([1, 0])
})
