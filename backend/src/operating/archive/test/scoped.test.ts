import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { createPool } from '../../../platform/db/index.ts'
import { parseId } from '../../../platform/ids.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { exportInstallation } from '../export.ts'
import { importInstallation } from '../import.ts'
import { exportSamples } from '../samples.ts'
import { fillInstallation, HOUR, makeDatabase, readAll, type FilledInstallation } from '../../../../test/filled-installation.ts'

const folder = mkdtempSync(join(tmpdir(), 'vdt-scoped-'))
const reportProgress = () => undefined
let source: TestBackend
let scene: FilledInstallation
let other: TestOrganization
beforeAll(async () => {
  source = await startTestBackend()
  other = await source.organization('Other')
  await source.member(other, 'admin')
  await source.server(other)
  await source.probe('secret-region')
  scene = await fillInstallation(source, 12)
}, 60_000)
afterAll(async () => {
  await source.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('an export of one organization', () => {
  it('contains all its rows and none of another organization [ARCHIVE-04]', { timeout: 60_000 }, async () => {
    const file = join(folder, 'acme.vedette')
    const { rows: found } = await source.pool.pg.query<{ number: number; id: string; name: string }>(
      `select number, id, name from organization where name = 'Acme'`,
    )
    const acme = found[0]
    if (!acme) throw new Error('no organization')
    // Sessions are not exported; API keys are.
    const as = await source.apiKey(scene.organization, 'read')
    const deps = { pool: source.pool, clock: source.clock, version: '0.1.0', reportProgress }
    const { rows: written } = await exportInstallation(deps, file, acme)
    const { rows: all } = await exportInstallation(deps, join(folder, 'all.vedette'))
    // Add each new table here, or export it with its organization.
    const left = [
      'email_verification',
      'idempotency_key',
      'identity_logout',
      'identity_request',
      'known_origin',
      'live_event',
      'mail_outbox',
      'notification_delivery',
      'notification_group',
      'password_reset',
      'password_reset_request',
      'push_delivery',
      'session',
      'push_subscription',
      'security_event',
      'session_refresh',
      'subscriber_mail',
      'subscriber_push',
      'subscriber_webhook',
      'unconfirmed_mail',
      'used_action_link',
      'used_passkey_challenge',
    ]
    expect(Object.keys(all).filter((table) => !(table in written))).toEqual(left)
    const database = await makeDatabase()
    const pool = createPool({ url: database.url, clock: source.clock, log: silentLog })
    await importInstallation({ pool, direct: pool, clock: source.clock, log: silentLog, reportProgress }, file)
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
    // Reads every sixth URL to save time.
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

  it('are exported as CSV in order and without duplicates, with quoted names [ARCHIVE-08]', async () => {
    const file = join(folder, 'samples.csv')
    const done = await exportSamples({ pool: source.pool, reportProgress }, file, 'csv', await server(), always)
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

  it('are exported as JSON lines that omit missing fields', async () => {
    const file = join(folder, 'samples.jsonl')
    await exportSamples({ pool: source.pool, reportProgress }, file, 'jsonl', await server(), always)
    const documents = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(documents.map((one) => [Date.parse(one.at), one['cpu.percent']])).toEqual(expected())
    const second = documents.find((one) => one['cpu.load_1'] === 0.25)
    expect(second).toMatchObject({ 'memory.used_bytes': 2 ** 33 + 1, 'disk.read_iops': 1.125 })
    expect(second).not.toHaveProperty('cpu.cores')
  })

  it('are exported by columns of equal length within a window, one line per hour', async () => {
    const file = join(folder, 'samples.columns')
    const now = source.clock.now()
    const window = { fromMs: now - 9 * HOUR, toMs: now - 3 * HOUR }
    const done = await exportSamples({ pool: source.pool, reportProgress }, file, 'columns', await server(), window)
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
