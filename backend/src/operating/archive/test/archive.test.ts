import { copyFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { createPool, keepPartitions, listMigrations, migrateTo } from '../../../platform/db/index.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { withSnapshot } from '../copy-store.ts'
import { exportInstallation } from '../export.ts'
import { writeFrames } from '../frames.ts'
import { importInstallation } from '../import.ts'
import { makeFile } from '../new-file.ts'
import { cutTuples } from '../tuples.ts'
import {
  contentsOf,
  fillInstallation,
  makeDatabase,
  readAll,
  type FilledInstallation,
} from '../../../../test/filled-installation.ts'

const folder = mkdtempSync(join(tmpdir(), 'vdt-archive-'))
const file = join(folder, 'all.vedette')
const reportProgress = () => undefined

let source: TestBackend
let reader: TestBackend
let scene: FilledInstallation
const databases: { drop(): Promise<void> }[] = []
beforeAll(async () => {
  source = await startTestBackend()
  scene = await fillInstallation(source)
  // Its caches are empty, as after a restart.
  reader = await startTestBackend({ databaseUrl: source.databaseUrl, clock: source.clock })
  await exportInstallation({ pool: source.pool, clock: source.clock, version: '0.1.0', reportProgress, frameBytes: 2_000 }, file)
}, 120_000)
afterAll(async () => {
  await reader.close()
  await source.close()
  for (const { drop } of databases) await drop()
  rmSync(folder, { recursive: true, force: true })
})

async function newPool() {
  const database = await makeDatabase()
  databases.push(database)
  return { url: database.url, pool: createPool({ url: database.url, clock: source.clock, log: silentLog, max: 4 }) }
}

async function importInto(pool: TestBackend['pool'], path = file) {
  return importInstallation({ pool, direct: pool, clock: source.clock, log: silentLog, reportProgress }, path)
}

describe('an export of everything', () => {
  it('gives byte-identical answers after it is imported into another database [ARCHIVE-01]', { timeout: 90_000 }, async () => {
    const before = await readAll(reader, scene.urls, scene.owner)
    const { url, pool } = await newPool()
    expect((await importInto(pool)).how).toBe('imported')
    expect(await contentsOf(pool.pg)).toEqual(await contentsOf(source.pool.pg))
    await pool.end()
    const restored = await startTestBackend({ databaseUrl: url, clock: source.clock })
    try {
      const after = await readAll(restored, scene.urls, scene.owner)
      expect(scene.urls.filter((_, index) => after[index] !== before[index])).toEqual([])
      const series = before.join('').match(/"(?:avg|max)":\[|_(?:ms|percent)":\[/g)?.length ?? 0
      expect(series).toBeGreaterThan(1_000)
      console.info(`figure: ${before.length} answers with ${series} series are the same before and after`)
      // New numbers continue after the imported ones, and encrypted values can be decrypted.
      expect((await restored.server(scene.organization)).id).not.toBe(scene.server)
      expect((await restored.call('GET', `/v1/monitors/${scene.monitor}`, { as: scene.owner })).body.headers).toEqual({
        'X-Secret': 'hush',
      })
    } finally {
      await restored.close()
    }
  })

  it('is imported once: a repeat changes nothing, another file is refused [ARCHIVE-02]', { timeout: 60_000 }, async () => {
    const { pool } = await newPool()
    await importInto(pool)
    const before = await contentsOf(pool.pg)
    expect((await importInto(pool)).how).toBe('already')
    const other = join(folder, 'other.vedette')
    await exportInstallation({ pool, clock: source.clock, version: '0.1.0', reportProgress }, other)
    await expect(importInto(pool, other)).rejects.toThrow(/contains an installation already/)
    expect(await contentsOf(pool.pg)).toEqual(before)
    await pool.end()
  })

  it('leaves the database unchanged when the file is damaged or cut off [ARCHIVE-03]', async () => {
    const { pool } = await newPool()
    const bytes = readFileSync(file)
    const damaged = join(folder, 'damaged')
    for (const at of [30, bytes.length >> 1, bytes.length - 40]) {
      copyFileSync(file, damaged)
      const copy = Buffer.from(bytes)
      copy.writeUInt8(copy.readUInt8(at) ^ 4, at)
      writeFileSync(damaged, copy)
      await expect(importInto(pool, damaged)).rejects.toThrow(/damaged.* at byte \d+, in /)
      truncateSync(damaged, at)
      await expect(importInto(pool, damaged)).rejects.toThrow(/is cut off at byte \d+, in |is damaged/)
    }
    const { rows } = await pool.pg.query(
      `select count(*)::int as tables from pg_class where relnamespace = 'public'::regnamespace`,
    )
    expect(rows).toEqual([{ tables: 0 }])
    await pool.end()
  })

  it('of an older schema is migrated after its rows are stored [ARCHIVE-06]', { timeout: 60_000 }, async () => {
    const old = await newPool()
    const { available } = await listMigrations(old.pool.db)
    await migrateTo(old.pool.db, silentLog, available.at(-2) ?? '')
    await old.pool.pg.query(
      `insert into organization (id, name, plan, created_at) values (gen_random_uuid(), 'old', 'free', '2026-01-01')`,
    )
    const path = join(folder, 'old.vedette')
    await exportInstallation({ pool: old.pool, clock: source.clock, version: '0.1.0', reportProgress }, path)
    const { pool } = await newPool()
    await importInto(pool, path)
    const { rows } = await pool.pg.query(`select name, to_regclass('live_event') is not null as newest from organization`)
    expect(rows).toEqual([{ name: 'old', newest: true }])
    const migrated = await newPool()
    await importInto(migrated.pool)
    await migrated.pool.pg.query('truncate organization, app_user cascade')
    await expect(importInto(migrated.pool, path)).rejects.toThrow(/schema of this database is newer/)
    for (const each of [old, { pool }, migrated]) await each.pool.end()
  })

  it('is refused if it is from a newer version, or if an instance runs on the database [ARCHIVE-06]', {
    timeout: 90_000,
  }, async () => {
    const newer = join(folder, 'newer.vedette')
    const { pool } = await newPool()
    const { available } = await listMigrations(pool.db)
    const base = { id: 'x', made_at: '', version: '9.0.0', organization: null, secret: null, tables: [] }
    await makeFile(newer, async (made) => {
      const frames = writeFrames(made)
      await frames.head({ ...base, migrations: [...available, '9999-later'] })
      await frames.end({ rows: [] })
    })
    await expect(importInto(pool, newer)).rejects.toThrow(/made by a newer version of Vedette \(9\.0\.0\)/)
    const other = join(folder, 'other-build.vedette')
    await makeFile(other, async (made) => {
      const frames = writeFrames(made)
      await frames.head({ ...base, version: '0.0.9', migrations: ['0001-everything'] })
      await frames.end({ rows: [] })
    })
    await expect(importInto(pool, other)).rejects.toThrow(
      /made by a build of Vedette \(0\.0\.9\) that this version does not follow/,
    )
    await migrateTo(pool.db, silentLog, available.at(-1) ?? '')
    const alive = (agoMs: number) =>
      pool.pg.query('insert into instance (id, started_at, alive_at) values (gen_random_uuid(), $1, $1)', [
        new Date(source.clock.now() - agoMs),
      ])
    await alive(14_000)
    await expect(importInto(pool)).rejects.toThrow(/Vedette runs on this database/)
    await pool.pg.query('delete from instance')
    await alive(60_000)
    expect((await importInto(pool)).how).toBe('imported')
    await pool.end()
  })

  it('contains a snapshot without rows that are written during the export [ARCHIVE-07]', { timeout: 60_000 }, async () => {
    const before = await contentsOf(source.pool.pg)
    const path = join(folder, 'meanwhile.vedette')
    const { pool } = await newPool()
    let written: Promise<unknown> | undefined
    const write = () =>
      source.pool.pg.query(`with gone as (delete from setting) insert into membership (organization, user_id, role, joined_at)
        select organization, gen_random_uuid(), 'viewer', now() from membership`)
    // Writes at the first rows, before the other tables are read.
    const deps = { pool: source.pool, clock: source.clock, version: '0.1.0', frameBytes: 2_000 }
    await exportInstallation({ ...deps, reportProgress: () => void (written ??= write()) }, path)
    await written
    await importInto(pool, path)
    expect(await contentsOf(pool.pg)).toEqual(before)
    expect(await contentsOf(source.pool.pg)).not.toEqual(before)
    await pool.end()
  })

  it('contains the rows of partitions that are dropped during the export: dropping them waits [ARCHIVE-07]', async () => {
    const count = `select count(*)::int as n from metric_push`
    const { rows: before } = await source.pool.pg.query<{ n: number }>(count)
    const plan = { table: 'metric_push', period: 'day', behind: 0, ahead: 0, retentionMs: 0 } as const
    const waiting = () =>
      reader.pool.pg.query(
        `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`,
      )
    let dropped: Promise<string[]> | undefined
    const copied = await withSnapshot(source.pool, async ({ copy }) => {
      dropped = keepPartitions(reader.pool.db, plan, source.clock.now() + 30 * 86_400_000)
      await expect.poll(async () => (await waiting()).rows, { timeout: 30_000 }).toEqual([{ n: 1 }])
      // Pushes are stored without waiting.
      await source.pool.pg.query('insert into metric_push select * from metric_push limit 0')
      let rows = 0
      const tuples = cutTuples(copy('metric_push', { columns: ['t0'], where: 'true' }), 1_000)
      for await (const run of tuples) rows += run.rows
      return rows
    })
    expect(await dropped).not.toEqual([])
    expect([{ n: copied }]).toEqual(before)
    expect((await source.pool.pg.query(count)).rows).toEqual([{ n: 0 }])
  })
})
