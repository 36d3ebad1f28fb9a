import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { contentsOf } from '../../../../test/filled-installation.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { parseId } from '../../../platform/ids.ts'
import { exportInstallation } from '../export.ts'
import type { Head, TableHead } from '../format.ts'
import { readFrames, writeFrames } from '../frames.ts'
import { importInstallation } from '../import.ts'
import { makeFile } from '../new-file.ts'
import { renumber } from '../renumber.ts'

/** An export whose head and rows a test can change. */
interface Archive {
  head: Head
  /** Fields of each row, by table. */
  rows: Map<string, (Buffer | null)[][]>
}

const folder = mkdtempSync(join(tmpdir(), 'vdt-hostile-'))
const reportProgress = () => undefined
let source: TestBackend
let target: TestBackend
let honest: Archive
let evil: { number: number; id: string; name: string }
let author: { userId: string }
/** Who and what must not gain or lose anything. */
let victim: { number: number; userId: string; server: number; provider: string }

const int = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}
const uuid = (id: string) => Buffer.from(id.replaceAll('-', ''), 'hex')
const uuidOf = (id: string) => (id.includes('-') ? id : (parseId('user', id) as string))

beforeAll(async () => {
  source = await startTestBackend()
  const organization = await source.organization('Evil')
  const owner = await source.member(organization, 'owner')
  author = { userId: uuidOf(owner.userId) }
  await source.server(organization)
  await source.apiKey(organization, 'admin')
  await source.call('POST', '/v1/monitors', { as: owner, body: { name: 'a', url: 'https://example.com/' } })
  const invitation = { email: 'invited@example.com', role: 'owner' }
  await source.call('POST', `/v1/organizations/${organization.id}/members/invite`, { as: owner, body: invitation })
  const { rows } = await source.pool.pg.query<typeof evil>(`select number, id, name from organization where name = 'Evil'`)
  evil = rows[0] as typeof evil
  const { pg } = source.pool
  await pg.query('update app_user set email_verified_at = now()')
  await pg.query('update invitation set mailed = true')
  await pg.query(
    `insert into passkey (id, user_id, name, credential_id, public_key, counter, transports, synced, created_at)
      values (gen_random_uuid(), $1, 'key', 'x', 'x', 0, '{}', false, now())`,
    [author.userId],
  )
  const provider = randomUUID()
  await insertProvider(source, evil.number, provider)
  await pg.query(
    `update identity_provider set name = 'evil', domains_check_at = '2100-01-01',
      domain_proofs = '{"example.com": {"proved_at": "2026-01-01T00:00:00.000Z", "missing_at": null}}' where id = $1`,
    [provider],
  )
  await pg.query(`insert into user_identity (identity_provider, subject, user_id, created_at) values ($1, 'me', $2, now())`, [
    provider,
    author.userId,
  ])
  honest = await exported()

  target = await startTestBackend({ clock: source.clock })
  await target.organization('Another')
  const home = await target.organization('Victim')
  const admin = await target.member(home, 'owner')
  await target.server(home)
  const { rows: homes } = await target.pool.pg.query<{ number: number; server: number }>(
    `select organization.number, server.number as server from organization join server on organization = organization.number where organization.name = 'Victim'`,
  )
  const here = homes[0] as { number: number; server: number }
  victim = { ...here, userId: uuidOf(admin.userId), provider: randomUUID() }
  await insertProvider(target, here.number, victim.provider)
  // An import first compacts the due hours of the target.
  await target.jobs.compactSamples()
  await target.jobs.compactChecks()
})
afterAll(async () => {
  await source.close()
  await target.close()
  rmSync(folder, { recursive: true, force: true })
})

const insertProvider = ({ pool }: TestBackend, organization: number, id: string) =>
  pool.pg.query(
    `insert into identity_provider values ($1, $2, 'idp', 'oidc', 'https://idp.example.com', 'a', 'x', '{}', true, 'viewer', null, '{}', true, now(), now())`,
    [id, organization],
  )

/** The fields of each tuple of a binary COPY. */
function* fieldsIn(tuples: Buffer): Generator<(Buffer | null)[]> {
  for (let at = 0; at < tuples.length; ) {
    const fields: (Buffer | null)[] = []
    const count = tuples.readInt16BE(at)
    at += 2
    for (let index = 0; index < count; index += 1) {
      const length = tuples.readInt32BE(at)
      fields.push(length < 0 ? null : tuples.subarray(at + 4, at + 4 + length))
      at += 4 + Math.max(0, length)
    }
    yield fields
  }
}

function tupleOf(fields: readonly (Buffer | null)[]): Buffer {
  const count = Buffer.alloc(2)
  count.writeInt16BE(fields.length)
  return Buffer.concat([count, ...fields.flatMap((field) => (field ? [int(field.length), field] : [int(-1)]))])
}

async function exported(): Promise<Archive> {
  const path = join(folder, `${randomUUID()}.vedette`)
  await exportInstallation({ pool: source.pool, clock: source.clock, version: '0.1.0', reportProgress }, path, evil)
  const archive: Archive = { head: undefined as unknown as Head, rows: new Map() }
  for await (const frame of readFrames(path)) {
    if (frame.kind === 'head') archive.head = frame.head
    if (frame.kind !== 'rows') continue
    const { name } = archive.head.tables[frame.table] as TableHead
    archive.rows.set(name, [...(archive.rows.get(name) ?? []), ...fieldsIn(frame.tuples())])
  }
  return archive
}

const copyOf = ({ head, rows }: Archive): Archive => ({
  head: structuredClone({ ...head, id: randomUUID() }),
  rows: new Map([...rows].map(([name, all]) => [name, all.map((fields) => [...fields])])),
})

/** A complete file with valid checksums, as an attacker can write it. */
async function write({ head, rows }: Archive): Promise<string> {
  const path = join(folder, `${randomUUID()}.vedette`)
  await makeFile(path, async (file) => {
    const frames = writeFrames(file)
    await frames.head(head)
    for (const [index, { name }] of head.tables.entries())
      for (const fields of rows.get(name) ?? []) await frames.rows(index, tupleOf(fields))
    await frames.end({ rows: head.tables.map(({ name }) => rows.get(name)?.length ?? 0) })
  })
  return path
}

async function importHostile(change: (archive: Archive) => void): Promise<void> {
  const archive = copyOf(honest)
  change(archive)
  const { pool, clock } = target
  await importInstallation({ pool, direct: pool, clock, log: silentLog, reportProgress }, await write(archive))
}

const tableOf = ({ head }: Archive, name: string) => head.tables.find((table) => table.name === name) as TableHead
/** Adds a copy of the first row of a table with other values. */
function addRow(archive: Archive, table: string, values: Record<string, Buffer | null>): void {
  const rows = archive.rows.get(table) ?? []
  const { columns } = tableOf(archive, table)
  archive.rows.set(table, [
    ...rows,
    columns.map((column, index) => (column in values ? (values[column] ?? null) : (rows[0]?.[index] ?? null))),
  ])
}
const numberHere = async (table: string) => {
  const { rows } = await target.pool.pg.query<{ last: number | null }>(
    `select pg_sequence_last_value(pg_get_serial_sequence('${table}', 'number')::regclass)::int as last`,
  )
  return rows[0]?.last ?? 0
}
/** What a row has to hold to become this number after the numbers of the database are added. */
const aimedAt = async (table: string, number: number) => int(number - (await numberHere(table)))

describe('the rows of an export of one organization', () => {
  const known = randomUUID()
  const renumbering = {
    organization: 7,
    last: { server: 3, monitor: 3 },
    regions: { 1: 5 },
    people: [known],
    providers: [known],
    existingUsers: [],
    bases: { organization: 100, server: 200, monitor: 300 },
    atMs: 0,
  }
  const small = (value: number) => int(value).subarray(2)
  const foreignIds = [uuid(randomUUID()), Buffer.alloc(16), Buffer.alloc(4)]
  const numbers = (own: number, becomes: number, ...foreign: number[]) => {
    return { own: int(own), becomes: int(becomes), foreign: [...foreign.map(int), Buffer.alloc(8), Buffer.alloc(0)] }
  }
  const FOREIGN: Record<string, { own: Buffer; becomes: Buffer; foreign: Buffer[] }> = {
    organization: numbers(7, 107, 0, 1, 6, 8, -93, 107, -(2 ** 31), 2 ** 31 - 1),
    server: numbers(3, 203, 0, 4, -1, -199, 203, 2 ** 31 - 1),
    monitor: numbers(1, 301, 0, 4, -299, 2 ** 31 - 1),
    region: { own: small(1), becomes: small(5), foreign: [small(0), small(2), small(5), small(-1)] },
    user_id: { own: uuid(known), becomes: uuid(known), foreign: foreignIds },
    identity_provider: { own: uuid(known), becomes: uuid(known), foreign: foreignIds },
  }

  it('are refused in every table and column that refers to something when they name what the file does not contain', () => {
    const wrong: string[] = []
    let tried = 0
    for (const table of honest.head.tables) {
      if (['region', 'setting', 'metric_progress', 'check_progress'].includes(table.name)) continue
      for (const [index, column] of table.columns.entries()) {
        const example = FOREIGN[table.identity?.column === column ? table.name : column]
        if (!example) continue
        const tuple = (value: Buffer) => tupleOf(table.columns.map((_, at) => (at === index ? value : null)))
        if (!renumber(table, tuple(example.own), renumbering).equals(tuple(example.becomes)))
          wrong.push(`${table.name}.${column}`)
        for (const value of example.foreign) {
          tried += 1
          try {
            renumber(table, tuple(value), renumbering)
            wrong.push(`${table.name}.${column} = ${value.toString('hex')}`)
          } catch {
            continue
          }
        }
      }
    }
    expect(wrong).toEqual([])
    expect(tried).toBeGreaterThan(500)
  })

  it('are refused where they are cut off or have another number of columns', () => {
    const table = tableOf(honest, 'membership')
    const whole = tupleOf(table.columns.map((column) => FOREIGN[column]?.own ?? null))
    expect(renumber(table, whole, renumbering).length).toBe(whole.length)
    for (let length = 1; length < whole.length; length += 1)
      expect(() => renumber(table, whole.subarray(0, length), renumbering)).toThrow(/a row ends|out of range|outside buffer/)
    for (const fields of [[], [null], [...table.columns.map(() => null), null]])
      expect(() => renumber(table, tupleOf(fields), renumbering)).toThrow(/does not have the columns/)
    expect(() => renumber(table, Buffer.from([0xff, 0xff]), renumbering)).toThrow(/does not have the columns/)
  })
})

describe('an export of one organization that was changed by hand', () => {
  /** Each names something that is not in the file. */
  const ATTACKS: Record<string, (archive: Archive) => Promise<void> | void> = {
    'a membership of another organization': async (archive) =>
      addRow(archive, 'membership', { organization: await aimedAt('organization', victim.number) }),
    'a membership of a user who is not in the file': (archive) => addRow(archive, 'membership', { user_id: uuid(victim.userId) }),
    'a key of another organization': async (archive) => {
      const organization = await aimedAt('organization', victim.number)
      addRow(archive, 'api_key', { organization, hash: Buffer.alloc(32, 1) })
      addRow(archive, 'credential', { organization, hash: Buffer.alloc(32, 1) })
    },
    'a passkey of a user who is not in the file': (archive) =>
      addRow(archive, 'passkey', { id: uuid(randomUUID()), user_id: uuid(victim.userId), credential_id: Buffer.from('evil') }),
    'an identity at a provider of another organization': (archive) =>
      addRow(archive, 'user_identity', { identity_provider: uuid(victim.provider), subject: Buffer.from('boss') }),
    'an identity of a user who is not in the file': (archive) =>
      addRow(archive, 'user_identity', { user_id: uuid(victim.userId), subject: Buffer.from('boss') }),
    'an invitation to another organization': async (archive) =>
      addRow(archive, 'invitation_token', {
        hash: Buffer.alloc(32, 2),
        organization: await aimedAt('organization', victim.number),
      }),
    'a server of another organization': async (archive) =>
      addRow(archive, 'server', { id: uuid(randomUUID()), number: await aimedAt('server', victim.server) }),
    'a server number beyond those of the file': (archive) =>
      addRow(archive, 'server', { id: uuid(randomUUID()), number: int(tableOf(archive, 'server').identity!.last! + 1) }),
    'a number of another length': (archive) => addRow(archive, 'membership', { organization: Buffer.alloc(8) }),
    'a second organization': (archive) =>
      addRow(archive, 'organization', { id: uuid(randomUUID()), number: int(evil.number + 1) }),
    'a row without a column': (archive) => void archive.rows.get('membership')?.push([int(evil.number)]),
    'a region that the file does not have': (archive) => {
      const { columns } = tableOf(archive, 'check_schedule')
      const row = archive.rows.get('check_schedule')?.[0] as (Buffer | null)[]
      row[columns.indexOf('region')] = Buffer.from([0x7f, 0x00])
    },
    'a password hash that takes a gigabyte': (archive) => {
      const hash = Buffer.from('$argon2id$v=19$m=1048576,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAA')
      addRow(archive, 'app_user', { id: uuid(randomUUID()), email: Buffer.from('a@example.com'), password_hash: hash })
    },
    'the address of somebody else': (archive) =>
      addRow(archive, 'app_user', { id: uuid(randomUUID()), email: Buffer.from('TAKEN@example.com') }),
    'an id that another row has': (archive) => {
      const { columns } = tableOf(archive, 'server')
      const row = archive.rows.get('server')?.[0] as (Buffer | null)[]
      archive.rows.set('server', [
        ...(archive.rows.get('server') ?? []),
        row.map((field, index) => (columns[index] === 'number' ? int(1) : field)),
      ])
    },
    'a table of another kind': ({ head }) =>
      void head.tables.push({ name: 'mail_outbox', columns: ['id'], partitions: [], identity: null }),
    'a table that does not exist': ({ head }) =>
      void head.tables.push({ name: 'pg_authid', columns: ['oid'], partitions: [], identity: null }),
    'a table twice': ({ head }) => void head.tables.push(structuredClone(head.tables[0] as TableHead)),
    'a column that ends the statement': (archive) =>
      void tableOf(archive, 'membership').columns.push("role\") from program 'true'; --"),
    'a column less': (archive) => void tableOf(archive, 'membership').columns.pop(),
    'a column twice': (archive) => {
      const { columns } = tableOf(archive, 'membership')
      columns[1] = columns[0] as string
    },
    'a table without its numbers': (archive) => void (tableOf(archive, 'server').identity = null),
    'a last number that is none': (archive) => void (tableOf(archive, 'server').identity!.last = 2 ** 40),
    'a partition of all times': (archive) =>
      void tableOf(archive, 'check_result').partitions.push({
        name: 'check_result_20300101',
        bound: `FOR VALUES FROM ('2030-01-01') TO ('2999-01-01')`,
      }),
    'a partition with the name of a table': (archive) =>
      void tableOf(archive, 'check_result').partitions.push({
        name: 'membership',
        bound: `FOR VALUES FROM ('2030-01-01') TO ('2030-01-02')`,
      }),
  }

  it.each(Object.entries(ATTACKS))(
    'is refused with %s, and changes nothing [ARCHIVE-11]',
    { timeout: 60_000 },
    async (_, attack) => {
      const { pg } = target.pool
      await pg.query(`update app_user set email = 'taken@example.com' where id = $1`, [victim.userId])
      const before = await contentsOf(target.pool.pg)
      const archive = copyOf(honest)
      await attack(archive)
      const path = await write(archive)
      const { pool, clock } = target
      await expect(importInstallation({ pool, direct: pool, clock, log: silentLog, reportProgress }, path)).rejects.toThrow(
        /Nothing was imported|have the addresses of users of the file|contains more than one organization|password hash/,
      )
      expect(await contentsOf(target.pool.pg)).toEqual(before)
      const { rows } = await pg.query(`select from setting where name = 'import'`)
      expect(rows).toEqual([])
    },
  )

  it('brings nobody a verified e-mail, a mailed invitation or an identity, and existing users join now [ARCHIVE-12]', {
    timeout: 60_000,
  }, async () => {
    const { pg } = target.pool
    const { rows: before } = await pg.query(`select t::text from app_user as t where id = $1`, [victim.userId])
    await importHostile((archive) => {
      // The victim is named as a user of the file, with what the author would sign in with.
      addRow(archive, 'app_user', { id: uuid(victim.userId), email: Buffer.from('other@example.com') })
      addRow(archive, 'passkey', { id: uuid(randomUUID()), user_id: uuid(victim.userId), credential_id: Buffer.from('evil') })
      addRow(archive, 'user_identity', { user_id: uuid(victim.userId), subject: Buffer.from('boss') })
      addRow(archive, 'membership', { user_id: uuid(victim.userId), joined_at: Buffer.alloc(8) })
    })
    const { rows: users } = await pg.query(`select email_verified_at from app_user where id = $1`, [author.userId])
    expect(users).toEqual([{ email_verified_at: null }])
    const { rows: providers } = await pg.query(
      `select distinct domain_proofs, domains_check_at from identity_provider where name = 'evil'`,
    )
    expect(providers).toEqual([{ domain_proofs: {}, domains_check_at: null }])
    expect((await pg.query(`select distinct mailed from invitation`)).rows).toEqual([{ mailed: false }])
    expect((await pg.query(`select t::text from app_user as t where id = $1`, [victim.userId])).rows).toEqual(before)
    for (const table of ['passkey', 'user_identity', 'user_totp', 'recovery_code'])
      expect((await pg.query(`select from ${table} where user_id = $1`, [victim.userId])).rows).toEqual([])
    const { rows: memberships } = await pg.query<{ name: string }>(
      `select organization.name from membership join organization on number = organization where user_id = $1 order by joined_at`,
      [victim.userId],
    )
    expect(memberships.map(({ name }) => name)).toEqual(['Victim', 'Evil'])
    const { rows: own } = await pg.query(
      `select name from membership join organization on number = organization where user_id = $1`,
      [author.userId],
    )
    expect(own).toEqual([{ name: 'Evil' }])
  })
})
