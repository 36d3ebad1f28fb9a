import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { distribute, planPlacements } from '../src/platform/db/index.ts'
import { silentLog } from '../src/platform/log.ts'
import { startTestBackend, type TestBackend } from './harness.ts'

describe('the placement of tables on nodes', () => {
  let backend: TestBackend
  beforeAll(async () => {
    backend = await startTestBackend()
  })
  afterAll(() => backend.close())

  it('has the organization as the key of every table that is distributed, and what they lead to on every node', async () => {
    const plan = await planPlacements(backend.pool.db)
    const named = (as: string) => plan.filter((placement) => placement.as === as).map(({ table }) => table)
    expect(named('reference')).toEqual(['organization', 'app_user', 'region', 'credential', 'invitation_token', 'retired_token'])
    expect(named('distributed')).toEqual(
      `server alert_rule api_key audit_event certificate_told channel check_answer check_day check_hour check_hour_stale check_result deleted_machine event
      incident incident_event invitation live_event maintenance_window membership metric_day metric_dimension metric_hour metric_late
      metric_push monitor monitor_status monitor_transition offline_server open_incident process_list server_state`.split(/\s+/),
    )
    // A unique key of a distributed table must have what it is distributed by.
    const { rows } = await backend.pool.pg.query(
      `select t.relname from pg_index join pg_class as t on t.oid = indrelid
        where t.relname = any ($1) and indisunique
          and not exists (select from pg_attribute where attrelid = t.oid and attname = 'organization' and attnum = any (indkey))`,
      [named('distributed')],
    )
    expect(rows).toEqual([])
    // Every foreign key of them leads to a table that is on every node, or is distributed alike.
    const { rows: keys } = await backend.pool.pg.query<{ target: string }>(
      `select distinct confrelid::regclass::text as target from pg_constraint where contype = 'f' and conrelid::regclass::text = any ($1)`,
      [named('distributed')],
    )
    expect(keys.map(({ target }) => target).filter((target) => !plan.some(({ table }) => table === target))).toEqual([])
  })

  it('is refused where the extension is not, and changes nothing', async () => {
    await expect(distribute(backend.pool.db, silentLog)).rejects.toThrow('The citus extension is not in this database')
  })
})
