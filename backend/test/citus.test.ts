import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { distribute, DISTRIBUTED, isDistributed } from '../src/platform/db/index.ts'
import { silentLog } from '../src/platform/logging/log.ts'
import { startTestBackend, type TestBackend } from './harness.ts'

describe('the tables that are distributed', () => {
  let backend: TestBackend
  beforeAll(async () => {
    backend = await startTestBackend()
  })
  afterAll(() => backend.close())

  it('have the organization in every unique key, and no foreign key leads from or to them', async () => {
    // A unique key of a distributed table must have what it is distributed by.
    const { rows } = await backend.pool.pg.query(
      `select t.relname from pg_index join pg_class as t on t.oid = indrelid
        where t.relname = any ($1) and indisunique
          and not exists (select from pg_attribute where attrelid = t.oid and attname = 'organization' and attnum = any (indkey))`,
      [DISTRIBUTED],
    )
    expect(rows).toEqual([])
    const { rows: keys } = await backend.pool.pg.query(
      `select conname from pg_constraint
        where contype = 'f' and (conrelid::regclass::text = any ($1) or confrelid::regclass::text = any ($1))`,
      [DISTRIBUTED],
    )
    expect(keys).toEqual([])
  })

  // All others stay on the coordinator: what a table of rows by organization holds must stay small, or stand in the list.
  it('are all those that are partitioned and hold samples, checks or readings of entities', async () => {
    const { rows } = await backend.pool.pg.query<{ name: string }>(
      `select relname as name from pg_class where relkind = 'p' and relnamespace = current_schema()::regnamespace order by 1`,
    )
    expect(rows.map(({ name }) => name).filter((name) => /^(?:(?:metric|check|entity)_|ping$)/.test(name))).toEqual(
      [...DISTRIBUTED].sort(),
    )
  })

  it('are those that the docs name, also for the way back', () => {
    const docs = readFileSync(join(import.meta.dirname, '../../docs/postgresql.md'), 'utf8')
    const [, list = ''] = /can be distributed over nodes by organization:([^.]*)\./.exec(docs) ?? []
    expect([...list.matchAll(/`(\w+)`/g)].map(([, name]) => name)).toEqual(DISTRIBUTED)
    const undone = [...docs.matchAll(/undistribute_table\('(\w+)'\)/g)].map(([, name]) => name)
    expect(undone).toEqual(DISTRIBUTED)
  })

  it('are none where the extension is not, and nothing is changed there', async () => {
    expect(await isDistributed(backend.pool.db)).toBe(false)
    await expect(distribute(backend.pool.db, silentLog)).rejects.toThrow('The citus extension is not in this database')
  })
})
