import { execFileSync } from 'node:child_process'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findTool, freePort, isMissing } from '../../../../../../../scripts/test-tools.ts'
import { createProber, type Prober } from '../../index.ts'
import { makeCertificate } from '../../test/certificates.ts'
import { checkKind, faultsOf, type KindCheck } from '../../test/kinds.ts'
import { idsOf, makeServerFolder, type Server, startServer } from '../../test/servers.ts'

const authority = makeCertificate({ name: 'authority', isAuthority: true })
const certificate = makeCertificate({ name: 'db', names: ['localhost'], issuer: authority })
const PASSWORD = 'pässword with "quotes"'
const HBA = `
host    all  by_md5        127.0.0.1/32  md5
host    all  in_clear_text 127.0.0.1/32  password
host    all  trusted       127.0.0.1/32  trust
hostssl all  only_by_tls   127.0.0.1/32  scram-sha-256
hostnossl all only_by_tls  127.0.0.1/32  reject
host    all  not_allowed   127.0.0.1/32  reject
host    all  all           127.0.0.1/32  scram-sha-256
`

describe.skipIf(isMissing('initdb', 'postgres'))('a check of PostgreSQL', () => {
  let server: Server
  let port: number
  let prober: Prober
  let admin: pg.Client

  beforeAll(async () => {
    const ids = idsOf('postgres')
    const files = { 'server.key': certificate.key, 'server.crt': certificate.cert, password: PASSWORD, 'own-hba': HBA }
    const folder = makeServerFolder(files, ids)
    const flags = ['-U', 'postgres', '-A', 'scram-sha-256', '--pwfile=password', '-E', 'UTF8', '--no-locale', '--no-sync']
    execFileSync(findTool('initdb') ?? '', ['-D', 'data', ...flags], { cwd: folder, stdio: 'pipe', ...ids })
    port = await freePort()
    const settings = {
      port,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: folder,
      fsync: 'off',
      hba_file: `${folder}/own-hba`,
      ssl: 'on',
      ssl_cert_file: `${folder}/server.crt`,
      ssl_key_file: `${folder}/server.key`,
    }
    const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    server = await startServer(['postgres', '-D', 'data', ...options], {
      folder,
      port,
      ids,
      ready: 'ready to accept connections',
    })
    admin = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', password: PASSWORD, database: 'postgres' })
    await admin.connect()
    for (const name of ['by_scram', 'in_clear_text', 'only_by_tls', 'not_allowed', 'trusted'])
      await admin.query(`create role ${name} login password '${PASSWORD}'`)
    await admin.query(`set password_encryption = 'md5'; create role by_md5 login password '${PASSWORD}'`)
    await admin.query('create table public.note (id int); grant all on public.note to public; create sequence public.counter')
    prober = createProber({ allowPrivateTargets: 'all', extraAuthorities: [authority.cert] })
  })
  afterAll(async () => {
    prober.close()
    await admin.end()
    await server.stop()
  })

  const check = (username: string, { options, credentials, ...more }: KindCheck = {}, host = '127.0.0.1') =>
    checkKind(prober, 'postgres', `postgres://${host}:${port}/postgres`, {
      options: options ?? {},
      credentials: { username, password: PASSWORD, ...credentials },
      ...more,
    })
  const run = (query: string, more: KindCheck = {}) => check('postgres', { ...more, options: { query } })

  test.each(['by_scram', 'by_md5', 'trusted'])('logs in over a plain connection as %s', async (username) => {
    const result = await check(username)
    expect(result).toMatchObject({ outcome: 'up', error: null, address: '127.0.0.1', tls_ms: null, certificate: null })
    expect(result.facts).toEqual({ cell: 1, rows: 1, server_version: expect.stringMatching(/^\d+/) })
    const { connect_ms, first_byte_ms, transfer_ms, response_ms } = result
    expect((connect_ms ?? 0) + (first_byte_ms ?? 0) + (transfer_ms ?? 0)).toBeCloseTo(response_ms ?? -1)
  })

  test.each(['by_scram', 'by_md5', 'in_clear_text', 'only_by_tls'])('logs in over TLS as %s', async (username) => {
    const result = await check(username, { options: { tls: 'required' } }, 'localhost')
    expect(result).toMatchObject({ outcome: 'up', error: null, certificate: { subject_names: ['localhost'] } })
    expect(result.tls_ms).toBeGreaterThan(0)
  })

  test('verifies the certificate unless the option is off', async () => {
    const wrong = await check('by_scram', { options: { tls: 'required' } })
    expect(wrong).toMatchObject({ outcome: 'down', error: { code: 'tls' }, certificate: { subject_names: ['localhost'] } })
    expect((await check('by_scram', { options: { tls: 'required', verify_tls: false } })).outcome).toBe('up')
  })

  test.each([
    ['a wrong password', 'by_scram', { credentials: { password: 'wrong' } }, /^the server refused the login .*\(28P01\)$/],
    ['a wrong password for md5', 'by_md5', { credentials: { password: 'wrong' } }, /^the server refused the login .*\(28P01\)$/],
    ['a user that pg_hba.conf refuses', 'not_allowed', {}, /^the server refused the login .*pg_hba/],
    ['a user that needs TLS', 'only_by_tls', {}, /^the server refused the login .*pg_hba/],
    ['no password', 'by_scram', { credentials: { password: '' } }, /asks for a password/],
    ['a password in plain text without TLS', 'in_clear_text', {}, /which needs TLS/],
  ])('is down with %s', async (_, username, more, message) => {
    const result = await check(username, more)
    expect(result).toMatchObject({ outcome: 'down', error: { code: 'protocol', message: expect.stringMatching(message) } })
    expect(result.error?.message).not.toContain(username)
  })

  test('is down with a database that does not exist', async () => {
    const url = `postgres://127.0.0.1:${port}/none`
    const more = { options: { tls: 'off', query: 'select 1' }, credentials: { username: 'postgres', password: PASSWORD } }
    const { error } = await checkKind(prober, 'postgres', url, more)
    expect(error?.message).toMatch(/^the server refused the connection: .*\(3D000\)$/)
  })

  test.each([
    ['select count(*) from generate_series(1, 7)', 7, 1],
    ['select 1.25::numeric', 1.25, 1],
    ["select 'NaN'::float", 'NaN', 1],
    ['select 9007199254740993', '9007199254740993', 1],
    ["select '007'", '007', 1],
    ["select E'two\\nlines'", 'two lines', 1],
    ["select repeat('x', 5000)", `${'x'.repeat(299)}…`, 1],
    ['select null', undefined, 1],
    ['select', undefined, 1],
    ['select 1 where false', undefined, 0],
    ['select n from generate_series(1, 3) n', 1, 3],
    ['explain select 1', expect.stringContaining('Result'), 1],
    ['show server_encoding', 'UTF8', 1],
    ['table pg_catalog.pg_database', expect.anything(), expect.any(Number)],
  ])('reads the first cell and the rows of %s', async (query, cell, rows) => {
    const { outcome, error, facts } = await run(query)
    expect({ outcome, error, cell: facts['cell'], rows: facts['rows'] }).toEqual({ outcome: 'up', error: null, cell, rows })
  })

  test.each([
    ['insert into note values (1) returning id', /read-only transaction \(25006\)/],
    ["select nextval('counter')", /read-only transaction \(25006\)/],
    ['with gone as (delete from note returning 1) select * from gone', /read-only transaction \(25006\)/],
    ["select set_config('transaction_read_only', 'off', false), nextval('counter')", /read-write mode .*\(25001\)/],
    ['insert into note values (1)', /returns no rows, so it was not executed/],
    ["copy (select 1) to program 'touch executed'", /returns no rows, so it was not executed/],
    ['do $$ begin commit; insert into note values (1); end $$', /returns no rows, so it was not executed/],
    ['set transaction read write', /returns no rows, so it was not executed/],
    ['commit', /returns no rows, so it was not executed/],
    ['select 1; insert into note values (1)', /multiple commands .*\(42601\)/],
    ['commit; insert into note values (1)', /multiple commands .*\(42601\)/],
    ['', /returns no rows, so it was not executed/],
    ['select nonsense', /^the query failed: column "nonsense" does not exist \(42703\)$/],
    ['select $1', /\((?:42P18|08P01)\)/],
  ])('does not execute %s', async (query, message) => {
    expect(await run(query)).toMatchObject({
      outcome: 'down',
      error: { code: 'protocol', message: expect.stringMatching(message) },
    })
    const { rows } = await admin.query(
      'select (select count(*)::int from note) as notes, (select is_called from counter) as called',
    )
    expect(rows).toEqual([{ notes: 0, called: false }])
  })

  test('stops reading an answer without end', async () => {
    const many = await run('select generate_series(1, 1000000000)')
    expect(many).toMatchObject({ outcome: 'up', facts: { cell: 1, rows: 1_000 } })
    const large = await run("select repeat('x', 100000) from generate_series(1, 1000)")
    expect(large).toMatchObject({ outcome: 'down', error: { code: 'protocol', message: expect.stringContaining('more than') } })
  })

  test('ends with its timeout, on the server as well', async () => {
    expect(await run('select pg_sleep(60)', { timeout: 1 })).toMatchObject({ outcome: 'down', facts: {} })
    const sleeping = async () =>
      (
        await admin.query(
          "select 1 from pg_stat_activity where state = 'active' and query like '%pg_sleep(60)%' and pid <> pg_backend_pid()",
        )
      ).rowCount
    await expect.poll(sleeping).toBe(0)
  })
})

test.each([
  ['postgres://db.test/app', { username: 'a' }, []],
  ['postgres://db.test', { username: 'a', password: 'b' }, []],
  ['postgres://db.test/app/more', { username: 'a' }, ['url']],
  ['postgres://db.test/app?sslmode=off', { username: 'a' }, ['url']],
  ['postgres://a@db.test/app', {}, ['url']],
  ['postgres://db.test/app', {}, ['credentials.username']],
  ['postgres://db.test/app', { username: 'a\0b' }, ['credentials.username']],
])('the URL %s with the credentials %j has faults at %j', (url, credentials, paths) => {
  expect(faultsOf('postgres', url, { credentials })).toEqual(paths.map((path) => expect.stringMatching(`^${path}: `)))
})
