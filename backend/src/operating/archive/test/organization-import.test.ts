import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Credentials, registration, startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { fillInstallation, HOUR, makeDatabase, readAll, type FilledInstallation } from '../../../../test/filled-installation.ts'
import { createPool, type Pool } from '../../../platform/db/index.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { exportInstallation } from '../export.ts'
import { giveUpImport, importInstallation } from '../import.ts'

const folder = mkdtempSync(join(tmpdir(), 'vdt-organization-import-'))
const file = join(folder, 'acme.vedette')
const reportProgress = () => undefined
let source: TestBackend
let target: TestBackend
let scene: FilledInstallation
let resident: FilledInstallation
let acme: { number: number; id: string; name: string }
const isOfAll = /^\/v1\/(regions|auth|me$)/
/** A key of the imported organization, valid in both databases. */
let key: Credentials
let urls: string[]
beforeAll(async () => {
  source = await startTestBackend()
  // The two databases give different numbers of each kind.
  await source.organization('Left behind')
  await source.probe('elsewhere')
  scene = await fillInstallation(source, 40)
  const open = await pushNow()
  // Late samples are compacted: no mark is left on the open hours.
  await source.jobs.compactSamples()
  target = await startTestBackend({ clock: source.clock })
  for (const name of ['One', 'Two', 'Three']) await target.server(await target.organization(name))
  await target.probe('here')
  resident = await fillInstallation(target, 20)
  const { rows } = await source.pool.pg.query<typeof acme>(`select number, id, name from organization where name = 'Acme'`)
  if (!rows[0]) throw new Error('no organization')
  acme = rows[0]
  key = await source.apiKey(scene.organization, 'admin')
  await write(file)
  const ofOpen = ['period=7d', 'period=7d&points=300', 'period=24h'].map((query) => `/v1/servers/${open}/metrics?${query}`)
  urls = [...scene.urls.filter((url) => !isOfAll.test(url)), ...ofOpen]
}, 120_000)
afterAll(async () => {
  await target.close()
  await source.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Pushes current samples, in an hour that is compacted later. Returns the server. */
async function pushNow(): Promise<string> {
  const server = await source.server(scene.organization)
  const now = source.clock.now()
  const samples = [3, 2, 1].map((seconds) => ({ at: new Date(now - seconds * 1_000).toISOString(), cpu: { percent: seconds } }))
  const body = { batch_id: randomUUID(), sent_at: new Date(now).toISOString(), agent_version: '1', samples }
  const { status } = await source.call('POST', '/v1/agent/metrics', { as: server.as, body })
  expect(status).toBe(202)
  return server.id
}

const write = (path: string) =>
  exportInstallation({ pool: source.pool, clock: source.clock, version: '0.1.0', reportProgress, frameBytes: 2_000 }, path, acme)
const importInto = (pool: Pool, path = file, onProgress: (done: number, of: number, what: string) => void = reportProgress) =>
  importInstallation({ pool, direct: pool, clock: source.clock, log: silentLog, reportProgress: onProgress }, path)

/** Throws after so many frames are stored, to simulate a kill. */
function cutAfter(frames: number): () => void {
  let stored = 0
  return (...[, , what]: unknown[]) => {
    if (what === 'checking') return
    stored += 1
    if (stored > frames) throw new Error('cut')
  }
}

/** A checksum of the rows of the other organizations, for each table. */
async function checksumsOfOthers(pool: Pool, number: number): Promise<string[]> {
  const { rows } = await pool.pg.query<{ relname: string }>(
    `select distinct relname from pg_attribute join pg_class on pg_class.oid = attrelid
      where attname = 'organization' and relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace`,
  )
  const tables = rows.map(({ relname }) => relname).sort()
  return Promise.all(
    tables.map(async (name) => {
      const found = await pool.pg.query<{ sum: string | null }>(
        `select md5(string_agg(t::text, e'\\n' order by t::text)) as sum from "${name}" as t where organization <> $1`,
        [number],
      )
      return `${name} ${found.rows[0]?.sum}`
    }),
  )
}

async function numberIn(pool: Pool): Promise<number | undefined> {
  const { rows } = await pool.pg.query<{ number: number }>('select number from organization where id = $1', [acme.id])
  return rows[0]?.number
}

describe('an organization that is imported into a database with other organizations', () => {
  it('is refused while an instance runs, if the schema differs, or if other accounts have the addresses of its users [ARCHIVE-10]', async () => {
    const { pg } = target.pool
    await pg.query('insert into instance (id, started_at, alive_at) values (gen_random_uuid(), $1, $1)', [
      new Date(source.clock.now()),
    ])
    await expect(importInto(target.pool)).rejects.toThrow(/Vedette runs on this database/)
    await pg.query('delete from instance')
    const { rows } = await source.pool.pg.query(
      'select email from app_user where id = (select user_id from membership where organization = $1 limit 1)',
      [acme.number],
    )
    const { email } = rows[0] as { email: string }
    await pg.query(`update app_user set email = $1 where id = (select id from app_user limit 1)`, [email])
    await expect(importInto(target.pool)).rejects.toThrow(`have the addresses of users of the file: ${email}`)
    await pg.query(`update app_user set email = 'moved@example.com' where email = $1`, [email])
    await pg.query(`update kysely_migration set name = name || 'x' where name = '0012-incidents'`)
    await expect(importInto(target.pool)).rejects.toThrow(/with another schema than this database has|newer version/)
    await pg.query(`update kysely_migration set name = '0012-incidents' where name = '0012-incidentsx'`)
    expect(await numberIn(target.pool)).toBeUndefined()
  })

  it('can be given up before its end, and leaves the other organizations unchanged [ARCHIVE-10]', {
    timeout: 60_000,
  }, async () => {
    // An import first compacts the due hours of the target.
    await target.jobs.compactSamples()
    await target.jobs.compactChecks()
    const before = await checksumsOfOthers(target.pool, -1)
    await expect(importInto(target.pool, file, cutAfter(20))).rejects.toThrow('cut')
    expect(await checksumsOfOthers(target.pool, -1)).not.toEqual(before)
    const deps = { pool: target.pool, direct: target.pool, clock: source.clock, log: silentLog, reportProgress }
    await giveUpImport(deps, file)
    expect(await checksumsOfOthers(target.pool, -1)).toEqual(before)
    await expect(giveUpImport(deps, file)).rejects.toThrow(/no unfinished import of this file/)
  })

  it('gives byte-identical answers hours after the export, and so do the other organizations [ARCHIVE-10, ARCHIVE-02]', {
    timeout: 120_000,
  }, async () => {
    // The source compacts hours and a day that were open at the export.
    source.clock.advance(30 * HOUR)
    const residentUrls = resident.urls.filter((url) => !isOfAll.test(url))
    const residentKey = await target.apiKey(resident.organization, 'admin')
    await target.jobs.compactSamples()
    const residentBefore = await readAll(target, residentUrls, residentKey)
    const before = await readAll(await reader(source), urls, key)
    let how = ''
    for (let frames = 15; how === ''; frames += 40) {
      how = await importInto(target.pool, file, cutAfter(frames)).then(
        (done) => done.how,
        (error: Error) => (error.message === 'cut' ? '' : Promise.reject(error)),
      )
    }
    expect(how).toBe('resumed')
    const number = await numberIn(target.pool)
    expect([number, number === acme.number]).toEqual([expect.any(Number), false])
    const after = await readAll(await reader(target), urls, key)
    expect(urls.filter((_, index) => after[index] !== before[index])).toEqual([])
    expect(await readAll(target, residentUrls, residentKey)).toEqual(residentBefore)
    expect((await importInto(target.pool)).how).toBe('already')
    await write(join(folder, 'again.vedette'))
    await expect(importInto(target.pool, join(folder, 'again.vedette'))).rejects.toThrow(
      /The organization Acme \(org_\w+\) is in this database already/,
    )
  })

  it('can register new servers and monitors, which get unused numbers', async () => {
    const { pg } = target.pool
    const count = async (table: string) =>
      (await pg.query(`select count(*)::int as n, count(distinct number)::int as numbers from ${table}`)).rows[0]
    const registered = await target.call('POST', '/v1/agent/register', { as: key, body: registration('a new machine') })
    expect(registered.status).toBe(201)
    const body = { name: 'new', url: 'https://new.example.com/', interval: 60 }
    expect((await target.call('POST', '/v1/monitors', { as: key, body })).status).toBe(201)
    for (const table of ['organization', 'server', 'monitor']) {
      const { n, numbers } = (await count(table)) as { n: number; numbers: number }
      expect([table, numbers]).toEqual([table, n])
    }
  })

  it('has no row with a number of the file: every column that references a number is renumbered', async () => {
    const { rows } = await target.pool.pg.query<{ column: string }>(
      `select distinct attname || ' ' || format_type(atttypid, null) as column from pg_attribute join pg_class as t on t.oid = attrelid
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and attname in ('organization', 'server', 'monitor', 'region')
          and (attname = 'organization' or exists (select from pg_attribute where attrelid = t.oid and attname = 'organization'))
        order by 1`,
    )
    expect(rows.map(({ column }) => column)).toEqual([
      'monitor integer',
      'organization integer',
      'region smallint',
      'server integer',
    ])
    const { rows: strays } = await target.pool.pg.query(
      `select 'hour' as of from metric_hour where (organization, server) not in (select organization, number from server)
      union all select 'push' from metric_push where (organization, server) not in (select organization, number from server)
      union all select 'check' from check_result where (organization, monitor) not in (select organization, number from monitor)
      union all select 'region' from check_schedule as h where not exists (select from region where number = h.region)`,
    )
    expect(strays).toEqual([])
  })

  it('leaves existing users unchanged, and imports none of their second factors [ARCHIVE-10]', {
    timeout: 60_000,
  }, async () => {
    const database = await makeDatabase()
    const pool = createPool({ url: database.url, clock: source.clock, log: silentLog })
    const { rows } = await source.pool.pg.query('select number, id, name from organization where name = $1', ['Left behind'])
    const other = join(folder, 'left.vedette')
    // One user is a member of both.
    await source.pool.pg.query(
      `insert into membership (organization, user_id, role, joined_at) select $1, user_id, 'viewer', joined_at from membership where organization = $2 and role = 'owner'`,
      [rows[0].number, acme.number],
    )
    await exportInstallation({ pool: source.pool, clock: source.clock, version: '0.1.0', reportProgress }, other, rows[0])
    await importInto(pool, other)
    await source.pool.pg.query(
      `insert into user_totp (user_id, secret, created_at, enabled_at, last_step)
        select user_id, 'x', now(), now(), 0 from membership where organization = $1`,
      [acme.number],
    )
    await write(join(folder, 'both.vedette'))
    await pool.pg.query(`update app_user set password_hash = 'of here'`)
    expect((await importInto(pool, join(folder, 'both.vedette'))).how).toBe('imported')
    const people = await pool.pg.query(
      `select count(*)::int as n, count(*) filter (where password_hash = 'of here')::int as here,
        (select count(*)::int from user_totp) as factors from app_user`,
    )
    expect(people.rows).toEqual([{ n: 4, here: 3, factors: 1 }])
    await pool.end()
    await database.drop()
  })
})

/** Backends with empty caches, as after a restart. */
const readers: TestBackend[] = []
afterAll(async () => {
  for (const one of readers) await one.close()
})
async function reader({ databaseUrl, clock }: TestBackend): Promise<TestBackend> {
  const made = await startTestBackend({ databaseUrl, clock })
  readers.push(made)
  return made
}
