import { Migrator } from 'kysely/migration'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { MIGRATIONS } from '../../../migrations/index.ts'
import { createFakeClock } from '../../../test/fake-clock.ts'
import { withDatabase } from '../../../test/global-setup.ts'
import { dropWithConnections } from '../../../test/harness.ts'
import { createPool, type Pool } from '../../platform/db/index.ts'
import { silentLog } from '../../platform/log.ts'

const NAME = 'vedette_before_alerts'
const MADE_AT = new Date('2026-11-20T12:00:00.000Z')

let pool: Pool
async function asOperator(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: inject('postgresUrl') })
  await client.connect()
  await work(client)
  await client.end()
}
beforeAll(async () => {
  await asOperator((client) => client.query(`create database ${NAME}`))
  const url = withDatabase(inject('postgresUrl'), NAME)
  pool = createPool({ url, clock: createFakeClock(MADE_AT.getTime()), log: silentLog, max: 2 })
})
afterAll(async () => {
  await pool.end()
  await asOperator((client) => dropWithConnections(client, NAME))
})

it('organizations that stood before get the default rules with the update [ALERT-13]', async () => {
  const { db } = pool
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(MIGRATIONS) } })
  expect((await migrator.migrateTo('0012-limits')).error).toBeUndefined()
  for (const [index, name] of ['Old', 'Older'].entries()) {
    const id = `00000000-0000-7000-8000-00000000000${index}`
    await db.insertInto('organization').values({ id, name, plan: 'enterprise', created_at: MADE_AT }).execute()
  }
  expect((await migrator.migrateToLatest()).error).toBeUndefined()
  const rules = await db
    .selectFrom('alert_rule')
    .select(['organization', 'id', 'name', 'value', 'created_at'])
    .orderBy('id')
    .execute()
  const own = rules.filter(({ organization }) => organization === rules[0]?.organization)
  expect([rules.length, new Set(rules.map(({ id }) => id)).size, own.length]).toEqual([8, 8, 4])
  expect(own.map(({ name, value }) => [name, value])).toEqual([
    ['Monitor down', 'down'],
    ['Server offline', 'offline'],
    ['Filesystem above 90 %', 90],
    ['Memory above 95 %', 95],
  ])
  expect(own[0]?.created_at).toEqual(MADE_AT)
})
