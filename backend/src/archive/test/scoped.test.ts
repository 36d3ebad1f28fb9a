import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend, type TestOrganization } from '../../../test/harness.ts'
import { createPool } from '../../platform/db/index.ts'
import { parseId } from '../../platform/ids.ts'
import { silentLog } from '../../platform/log.ts'
import { exportInstallation } from '../export.ts'
import { importInstallation } from '../import.ts'
import { exportSamples } from '../samples.ts'
import { fill, HOUR, makeDatabase, readAll, type Scene } from '../../../test/installation.ts'

const folder = mkdtempSync(join(tmpdir(), 'vdt-scoped-'))
const tell = () => undefined
let source: TestBackend
let scene: Scene
let other: TestOrganization
beforeAll(async () => {
  source = await startTestBackend()
  other = await source.organization('Other')
  await source.member(other, 'admin')
  await source.server(other)
  await source.probe('secret-region')
  scene = await fill(source, 12)
}, 60_000)
afterAll(async () => {
  await source.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('an export of one organization', () => {
  it('has all of it and nothing of another one [ARCHIVE-04]', { timeout: 60_000 }, async () => {
    const file = join(folder, 'acme.vedette')
    const { rows: found } = await source.pool.pg.query<{ number: number; id: string; name: string }>(
      `select number, id, name from organization where name = 'Acme'`,
    )
    const acme = found[0]
    if (!acme) throw new Error('no organization')
    // Sessions stay behind; the keys go with it.
    const as = await source.apiKey(scene.organization, 'read')
    const deps = { pool: source.pool, clock: source.clock, version: '0.1.0', tell }
    const { rows: written } = await exportInstallation(deps, file, acme)
    const { rows: all } = await exportInstallation(deps, join(folder, 'all.vedette'))
    // Whoever adds a table says whether it is an organization's.
    const left = [
      'idempotency_key',
      'live_event',
      'mail_outbox',
      'password_reset',
      'password_reset_request',
      'session',
      'telling',
    ]
    expect(Object.keys(all).filter((table) => !(table in written))).toEqual(left)
    const database = await makeDatabase()
    const pool = createPool({ url: database.url, clock: source.clock, log: silentLog })
    await importInstallation({ pool, direct: pool, clock: source.clock, log: silentLog, tell }, file)
    const { rows: names } = await pool.pg.query('select name from organization')
    expect(names).toEqual([{ name: 'Acme' }])
    const { rows: foreign } = await pool.pg.query(
      `select relname from pg_attribute join pg_class on pg_class.oid = attrelid
        where attname = 'organization' and relkind in ('r', 'p') and not relispartition`,
    )
    for (const { relname } of foreign as { relname: string }[]) {
      const { rows } = await pool.pg.query(`select count(*)::int as n from ${relname} where organization <> $1`, [acme.number])
      expect([relname, rows]).toEqual([relname, [{ n: 0 }]])
    }
    const people = await pool.pg.query('select count(*)::int as n from app_user')
    const members = await source.pool.pg.query('select count(*)::int as n from membership where organization = $1', [acme.number])
    expect(people.rows).toEqual(members.rows)
    const { rows: tokens } = await pool.pg.query('select id from region where token_hash is not null')
    expect(tokens).toEqual([])

    await pool.end()

    const restored = await startTestBackend({ databaseUrl: database.url, clock: source.clock })
    const reader = await startTestBackend({ databaseUrl: source.databaseUrl, clock: source.clock })
    // Of as many questions as everything is asked, each sixth.
    const urls = scene.urls.filter((url, index) => index % 6 === 0 && /^\/v1\/(servers|monitors)/.test(url))
    const before = await readAll(reader, urls, as)
    const after = await readAll(restored, urls, as)
    expect(urls.filter((_, index) => after[index] !== before[index])).toEqual([])
    await restored.close()
    await reader.close()
    await database.drop()
  })
})

describe('the samples of a server', () => {
  const server = async () => {
    const { rows } = await source.pool.pg.query<{ organization: number; number: number }>(
      'select organization, number from server where id = $1',
      [parseId('server', scene.server)],
    )
    return rows[0] ?? { organization: 0, number: 0 }
  }
  const always = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }
  const expected = () => [...scene.samples].sort(([left], [right]) => left - right).map(([at, percent]) => [at, percent])

  it('come as CSV, each once, in order, names quoted [ARCHIVE-08]', async () => {
    const file = join(folder, 'samples.csv')
    const done = await exportSamples({ pool: source.pool, tell }, file, 'csv', await server(), always)
    const text = readFileSync(file, 'utf8')
    expect(done).toEqual({
      samples: scene.samples.size,
      bytes: Buffer.byteLength(text),
      sha256: createHash('sha256').update(text).digest('hex'),
    })
    const [header = '', ...lines] = text.trimEnd().split('\n')
    expect(header).toMatch(
      /^at,cpu\.percent,cpu\.user_percent,.*,"filesystems\.\/srv, ""x""\.used_bytes",.*interfaces\.eth0\.rx_bytes_per_sec/,
    )
    expect(lines.map((line) => [Date.parse(line.split(',')[0] ?? ''), Number(line.split(',')[1])])).toEqual(expected())
    const columns = header.replace(/"[^"]*(?:""[^"]*)*"/g, 'quoted').split(',').length
    expect(lines.every((line) => line.split(',').length === columns)).toBe(true)
  })

  it('come as JSON lines, without what a sample lacks', async () => {
    const file = join(folder, 'samples.jsonl')
    await exportSamples({ pool: source.pool, tell }, file, 'jsonl', await server(), always)
    const documents = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(documents.map((one) => [Date.parse(one.at), one['cpu.percent']])).toEqual(expected())
    const second = documents.find((one) => one['cpu.load_1'] === 0.25)
    expect(second).toMatchObject({ 'memory.used_bytes': 2 ** 33 + 1, 'disk.read_iops': 1.125 })
    expect(second).not.toHaveProperty('cpu.cores')
  })

  it('come by columns of one length, an hour a line, within a window', async () => {
    const file = join(folder, 'samples.columns')
    const now = source.clock.now()
    const window = { fromMs: now - 9 * HOUR, toMs: now - 3 * HOUR }
    const done = await exportSamples({ pool: source.pool, tell }, file, 'columns', await server(), window)
    const hours = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown[]>)
    const names = new Set(hours.map((hour) => Object.keys(hour).join()))
    expect(names.size).toBe(1)
    for (const hour of hours) expect(new Set(Object.values(hour).map(({ length }) => length)).size).toBe(1)
    const got = hours.flatMap((hour) => (hour['at_ms'] ?? []).map((at, index) => [at, hour['cpu.percent']?.[index]]))
    const wanted = expected().filter(([at = 0]) => at >= window.fromMs && at < window.toMs)
    expect(got).toEqual(wanted)
    expect(done.samples).toBe(wanted.length)
  })
})
