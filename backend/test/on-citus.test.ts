import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../src/platform/clock.ts'
import { createPool, distribute, migrate, planPlacements, type Pool } from '../src/platform/db/index.ts'
import { silentLog } from '../src/platform/log.ts'

// Only there with TEST_CITUS_URL (vitest.config.ts), of a coordinator with nodes, as a superuser, in a database with the extension and
// nothing else: no Debian has it, so that nothing could install it for the gate.
const CITUS_URL = process.env['TEST_CITUS_URL']

describe('on a citus with nodes', { timeout: 120_000 }, () => {
  let pool: Pool
  let client: pg.Client
  beforeAll(async () => {
    pool = createPool({ url: CITUS_URL ?? '', clock: systemClock, log: silentLog, max: 1 })
    client = new pg.Client({ connectionString: CITUS_URL })
    await client.connect()
    await migrate(pool.db, silentLog)
  })
  afterAll(async () => {
    await client.end()
    await pool.end()
  })

  const keys = async () => {
    const { rows } = await client.query(
      `select conrelid::regclass::text as table, pg_get_constraintdef(oid) as definition from pg_constraint
        where contype = 'f' and conparentid = 0 and connamespace = 'public'::regnamespace and conrelid::regclass::text !~ '_[0-9]{6}$' order by 1, 2`,
    )
    return rows
  }

  it('places every table with its rows, keeps every key, and changes nothing again', async () => {
    for (let organization = 1; organization <= 40; organization += 1) {
      const { rows } = await client.query<{ number: number }>(
        'insert into organization (id, name, plan, created_at) values ($1, $2, $3, now()) returning number',
        [randomUUID(), `o${organization}`, 'free'],
      )
      await client.query(
        `insert into server (organization, id, machine_id, token_hash, token_created_at, former_boot_ids, hostname, os, kernel, arch,
          agent_version, tags, facts, registered_at) values ($1, $2, 'm', '', now(), '{}', 'h', '', '', '', '', '{}', '{}', now())`,
        [rows[0]?.number, randomUUID()],
      )
    }
    const before = await keys()
    const plan = await planPlacements(pool.db)
    expect((await distribute(pool.db, silentLog)).sort()).toEqual(plan.map(({ table }) => table).sort())
    expect(await keys()).toEqual(before)
    const { rows: counts } = await client.query(
      `select (select count(*)::int from server) as servers, (select count(*)::int from organization) as organizations,
        (select count(distinct nodename || nodeport)::int from citus_shards where table_name = 'server'::regclass) as nodes,
        (select count(distinct colocation_id)::int from citus_tables where citus_table_type = 'distributed') as groups`,
    )
    expect(counts).toEqual([{ servers: 40, organizations: 40, nodes: 2, groups: 1 }])
    expect(await distribute(pool.db, silentLog)).toEqual([])
  })

  it('gives partitions that are made later the same place, and numbers go on', async () => {
    await client.query(`create table metric_push_later partition of metric_push for values from ('2099-01-01') to ('2099-01-02')`)
    const { rows } = await client.query(
      `select citus_table_type as type from citus_tables where table_name = 'metric_push_later'::regclass`,
    )
    expect(rows).toEqual([{ type: 'distributed' }])
    const { rows: made } = await client.query(
      `insert into server (organization, id, machine_id, token_hash, token_created_at, former_boot_ids, hostname, os, kernel, arch,
        agent_version, tags, facts, registered_at) values (1, $1, 'n', '', now(), '{}', 'h', '', '', '', '', '{}', '{}', now()) returning number`,
      [randomUUID()],
    )
    expect(made).toEqual([{ number: 41 }])
  })
})
