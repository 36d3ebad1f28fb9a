import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findTool, freePort, isMissing } from '../../../../../../../../scripts/test-tools.ts'
import { createProber, type Prober } from '../../../index.ts'
import { makeCertificate } from '../../../test/certificates.ts'
import { checkKind, faultsOf, type KindCheck } from '../../../test/kinds.ts'
import { requireOwnMachine } from '../auth.ts'
import { type CachingServer, startCachingServer } from './caching-server.ts'
import { idsOf, makeServerFolder, type Server, startServer } from '../../../test/servers.ts'

const authority = makeCertificate({ name: 'authority', isAuthority: true })
const certificate = makeCertificate({ name: 'db', names: ['localhost'], issuer: authority })
const PASSWORD = 'pässword with "quotes"'
const ACCOUNTS = `
create database app character set utf8mb4;
create table app.note (id int);
create sequence app.counter;
create user admin@127.0.0.1 identified by '${PASSWORD}';
grant all on *.* to admin@127.0.0.1;
create user monitor@127.0.0.1 identified by '${PASSWORD}';
grant select on app.* to monitor@127.0.0.1;
create user only_by_tls@127.0.0.1 identified by '${PASSWORD}' require ssl;
create user no_password@127.0.0.1;
install soname 'auth_ed25519';
create user by_ed25519@127.0.0.1 identified via ed25519 using password('${PASSWORD}');
`

describe.skipIf(isMissing('mariadbd', 'mariadb-install-db'))('a check of MariaDB', () => {
  let server: Server
  let port: number
  let prober: Prober

  beforeAll(async () => {
    const ids = idsOf('mysql')
    port = await freePort()
    const settings = `
      [mariadbd]
      datadir=data
      port=${port}
      bind-address=127.0.0.1
      socket=socket
      pid-file=pid
      init-file=accounts.sql
      skip-name-resolve
      innodb-flush-log-at-trx-commit=0
      character-set-server=utf8mb4
      secure-file-priv=
      ssl-cert=server.crt
      ssl-key=server.key
    `.replaceAll(/^ +/gm, '')
    const files = { 'server.key': certificate.key, 'server.crt': certificate.cert, 'accounts.sql': ACCOUNTS, 'my.cnf': settings }
    const folder = makeServerFolder(files, ids)
    const paths = settings.replaceAll(/=(data|socket|pid|accounts\.sql|server\.\w+)$/gm, `=${folder}/$1`)
    const configuration = makeServerFolder({ 'my.cnf': paths }, ids, folder)
    execFileSync(
      findTool('mariadb-install-db') ?? '',
      ['--no-defaults', `--datadir=${folder}/data`, '--auth-root-authentication-method=normal', '--skip-test-db'],
      { cwd: folder, stdio: 'pipe', ...ids },
    )
    server = await startServer(['mariadbd', `--defaults-file=${configuration}/my.cnf`], { folder, port, ids })
    prober = createProber({ allowPrivateTargets: 'all', extraAuthorities: [authority.cert] })
  })
  afterAll(async () => {
    prober.close()
    await server.stop()
  })

  const check = (username: string, { options, credentials, ...more }: KindCheck = {}, host = '127.0.0.1', database = 'app') =>
    checkKind(prober, 'mysql', `mysql://${host}:${port}/${database}`, {
      options: options ?? {},
      credentials: { username, password: PASSWORD, ...credentials },
      ...more,
    })
  const run = (query: string, more: KindCheck = {}) => check('admin', { ...more, options: { query } })

  test('logs in over a plain connection', async () => {
    const result = await check('monitor')
    expect(result).toMatchObject({ outcome: 'up', error: null, address: '127.0.0.1', tls_ms: null, certificate: null })
    expect(result.facts).toEqual({ cell: 1, rows: 1, server_version: expect.stringContaining('MariaDB') })
    const { connect_ms, first_byte_ms, transfer_ms, response_ms } = result
    expect((connect_ms ?? 0) + (first_byte_ms ?? 0) + (transfer_ms ?? 0)).toBeCloseTo(response_ms ?? -1)
  })

  test('logs in without a password where the account has none', async () => {
    expect(await check('no_password', { credentials: { password: '' } }, '127.0.0.1', '')).toMatchObject({ outcome: 'up' })
  })

  test('logs in by a signature with Ed25519', async () => {
    expect(await check('by_ed25519', {}, '127.0.0.1', '')).toMatchObject({ outcome: 'up', error: null })
  })

  test('logs in over TLS, with a certificate that is verified', async () => {
    const result = await check('only_by_tls', { options: { tls: 'required' } }, 'localhost', '')
    expect(result).toMatchObject({ outcome: 'up', error: null, certificate: { subject_names: ['localhost'] } })
    expect(result.tls_ms).toBeGreaterThan(0)
    expect(await check('only_by_tls', { options: { tls: 'required' } }, '127.0.0.1', '')).toMatchObject({
      error: { code: 'tls' },
    })
    const unverified = await check('only_by_tls', { options: { tls: 'required', verify_tls: false } }, '127.0.0.1', '')
    expect(unverified.outcome).toBe('up')
  })

  test.each([
    ['a wrong password', 'monitor', { credentials: { password: 'wrong' } }],
    ['a user that does not exist', 'nobody', {}],
    ['a user that needs TLS', 'only_by_tls', {}],
    ['no password', 'monitor', { credentials: { password: '' } }],
    ['a wrong password for Ed25519', 'by_ed25519', { credentials: { password: 'wrong' } }],
  ])('is down with %s', async (_, username, more) => {
    const message = 'the server refused the login of the configured user (1045)'
    expect(await check(username, more)).toMatchObject({ outcome: 'down', error: { code: 'protocol', message } })
  })

  test('is down with a database that does not exist', async () => {
    expect((await check('admin', {}, '127.0.0.1', 'none')).error?.message).toMatch(
      /^the server refused the connection: .*\(1049\)$/,
    )
  })

  test.each([
    ['select count(*) from seq_1_to_7', 7, 1],
    ['select 1.25', 1.25, 1],
    ['select 9007199254740993', '9007199254740993', 1],
    ["select '007'", '007', 1],
    ["select 'two\\nlines'", 'two lines', 1],
    ["select repeat('x', 5000)", `${'x'.repeat(299)}…`, 1],
    ["select repeat('x', 70000)", `${'x'.repeat(299)}…`, 1],
    ['select null', undefined, 1],
    ['select 1 from dual where false', undefined, 0],
    ['select seq from seq_1_to_3', 1, 3],
    ['show status like "uptime"', 'Uptime', 1],
    ['select ü from (select 1 as ü) t', 1, 1],
  ])('reads the first cell and the rows of %s', async (query, cell, rows) => {
    const { outcome, error, facts } = await run(query)
    expect({ outcome, error, cell: facts['cell'], rows: facts['rows'] }).toEqual({ outcome: 'up', error: null, cell, rows })
  })

  test.each([
    ['insert into note values (1) returning id', /READ ONLY.* \(1792\)/],
    ['select nextval(counter)', /READ ONLY.* \(1792\)/],
    ['insert into note values (1)', /returns no rows, so it was not executed|READ ONLY.* \(1792\)/],
    ['create table other (id int)', /returns no rows, so it was not executed|READ ONLY.* \(1792\)/],
    ['drop table note', /returns no rows, so it was not executed|READ ONLY.* \(1792\)/],
    ["select 1 into outfile 'executed'", /returns no rows, so it was not executed/],
    ['set session transaction read write', /returns no rows, so it was not executed/],
    ['commit', /returns no rows, so it was not executed/],
    ['select 1; insert into note values (1)', /\(1064\)/],
    ['commit; insert into note values (1)', /\(1064\)/],
    ['select nonsense', /^the query failed: Unknown column 'nonsense' .*\(1054\)$/],
    ['select ?', /placeholders/],
  ])('does not execute %s', async (query, message) => {
    expect(await run(query)).toMatchObject({
      outcome: 'down',
      error: { code: 'protocol', message: expect.stringMatching(message) },
    })
    const left = await run(
      'select concat((select count(*) from note), is_not_used) from (select next_not_cached_value = 1 as is_not_used from counter) t',
    )
    expect(left.facts['cell']).toBe('01')
    expect(readdirSync(join(server.folder, 'data', 'app')).filter((name) => name === 'executed')).toEqual([])
  })

  test('stops reading an answer without end', async () => {
    expect(await run('select seq from seq_1_to_1000000000')).toMatchObject({ outcome: 'up', facts: { cell: 1, rows: 1_000 } })
    const large = await run("select repeat('x', 100000) from seq_1_to_1000")
    expect(large).toMatchObject({ outcome: 'down', error: { code: 'protocol', message: expect.stringContaining('more than') } })
  })

  test('ends with its timeout, on the server as well', async () => {
    expect(await run('select sleep(60)', { timeout: 1 })).toMatchObject({ outcome: 'down' })
    const sleeping = async () =>
      (await run("select count(*) from information_schema.processlist where info = 'select sleep(60)'")).facts['cell']
    await expect.poll(sleeping).toBe(0)
  })
})

function faultOf(run: () => void): string | undefined {
  try {
    run()
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

describe('a login by caching_sha2_password', () => {
  const prober = createProber({ allowPrivateTargets: 'all', extraAuthorities: [authority.cert] })
  afterAll(() => prober.close())

  async function check(server: { isCached: boolean; publicKey?: string }, tls: string, password = PASSWORD) {
    const target = await startCachingServer({ password: PASSWORD, certificate, ...server })
    const credentials = { username: 'monitor', password }
    const result = await checkKind(prober, 'mysql', `mysql://localhost:${target.port}`, { options: { tls }, credentials })
    await target.close()
    return result
  }

  test.each([
    ['that the server has in its cache', true, 'off'],
    ['that the server has in its cache, over TLS', true, 'required'],
    ['that is sent encrypted by RSA', false, 'off'],
    ['that is sent over TLS', false, 'required'],
  ])('succeeds with a password %s', async (_, isCached, tls) => {
    const result = await check({ isCached }, tls)
    expect(result).toMatchObject({ outcome: 'up', error: null, facts: { cell: 1, rows: 1, server_version: '8.4.9' } })
    expect(await check({ isCached }, tls, 'wrong')).toMatchObject({
      outcome: 'down',
      error: { code: 'protocol', message: 'the server refused the login of the configured user (1045)' },
    })
  })

  test.each([
    ['127.0.0.1', true],
    ['127.8.0.1', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['203.0.113.7', false],
    ['10.127.0.1', false],
    ['2001:db8::1', false],
    ['::ffff:203.0.113.7', false],
    [undefined, false],
  ])('encrypts a password for the key of a server at %s without TLS: %s', (address, isDone) => {
    expect(faultOf(() => requireOwnMachine(address))).toBe(
      isDone ? undefined : 'the server asks for the whole password, which needs TLS: set tls to required',
    )
  })

  test('fails with a key that is no RSA key', async () => {
    const { error } = await check({ isCached: false, publicKey: certificate.cert }, 'off')
    expect(error).toEqual({ code: 'protocol', message: 'the server sent an invalid public key' })
  })
})

describe('a server that does not know a bound', () => {
  const prober = createProber({ allowPrivateTargets: 'all' })
  afterAll(() => prober.close())

  /** A server of this version that has these variables, and what it heard. */
  async function check(version: string, variables: readonly string[], refusesMore?: CachingServer['refuses']) {
    const heard: string[] = []
    const refuses = (statement: string): [number, string] | undefined => {
      heard.push(statement)
      const unknown = [...statement.matchAll(/(\w+) = /g)].find(([, name = '']) => !variables.includes(name))
      return unknown ? [1193, `Unknown system variable '${unknown[1]}'`] : refusesMore?.(statement)
    }
    const target = await startCachingServer({ password: PASSWORD, certificate, isCached: true, version, refuses })
    const credentials = { username: 'monitor', password: PASSWORD }
    const result = await checkKind(prober, 'mysql', `mysql://localhost:${target.port}`, { options: { tls: 'off' }, credentials })
    await target.close()
    return { result, heard }
  }

  const LIMIT = 'set session sql_select_limit = 1000'
  const IN_MYSQL = 'set session max_execution_time = 5000'
  const IN_MARIADB = 'set session max_statement_time = 5'
  const BOTH_IN_MYSQL = 'set session sql_select_limit = 1000, max_execution_time = 5000'
  const BOTH_IN_MARIADB = 'set session sql_select_limit = 1000, max_statement_time = 5'
  const READ_ONLY = ['set session transaction read only', 'start transaction read only']

  test.each([
    ['MySQL 8', '8.4.9', ['sql_select_limit', 'max_execution_time'], [BOTH_IN_MYSQL]],
    ['MySQL 5.6', '5.6.51-log', ['sql_select_limit'], [BOTH_IN_MYSQL, LIMIT, IN_MYSQL, IN_MARIADB]],
    ['MariaDB', '11.4.2-MariaDB', ['sql_select_limit', 'max_statement_time'], [BOTH_IN_MARIADB]],
    ['MariaDB 10.0', '5.5.5-10.0.38-MariaDB', ['sql_select_limit'], [BOTH_IN_MARIADB, LIMIT, IN_MARIADB, IN_MYSQL]],
    [
      'MariaDB behind a proxy',
      '8.0.30',
      ['sql_select_limit', 'max_statement_time'],
      [BOTH_IN_MYSQL, LIMIT, IN_MYSQL, IN_MARIADB],
    ],
    ['a server without a limit of rows', '8.0.30', ['max_execution_time'], [BOTH_IN_MYSQL, LIMIT, IN_MYSQL]],
    ['a server that has no bounds', '5.7.25-Other', [], [BOTH_IN_MYSQL, LIMIT, IN_MYSQL, IN_MARIADB]],
  ])('is up: %s', async (_, version, variables, bounds) => {
    const { result, heard } = await check(version, variables)
    expect(result).toMatchObject({ outcome: 'up', error: null, facts: { cell: 1, server_version: version } })
    expect(heard).toEqual([...bounds, ...READ_ONLY])
  })

  test.each([1064, 1105, 1227, 1231, 1235, 1238])('is up if it refuses bounds with error %i', async (number) => {
    const { result } = await check('8.0.30', ['sql_select_limit', 'max_execution_time', 'max_statement_time'], (statement) =>
      statement.includes(' = ') ? [number, 'no'] : undefined,
    )
    expect(result).toMatchObject({ outcome: 'up', error: null })
  })

  test.each(READ_ONLY)('is not queried if it does not know "%s"', async (unknown) => {
    const { result, heard } = await check('5.5.62', ['sql_select_limit'], (statement) =>
      statement === unknown ? [1064, 'You have an error in your SQL syntax'] : undefined,
    )
    const message = 'the server knows no read-only transactions, so the query was not executed'
    expect(result).toMatchObject({ outcome: 'inconclusive', error: { code: 'internal', message } })
    expect(heard.at(-1)).toBe(unknown)
  })

  test.each(READ_ONLY)('is down if it fails at "%s"', async (failing) => {
    const { result } = await check('8.0.30', ['sql_select_limit', 'max_execution_time'], (statement) =>
      statement === failing ? [1053, 'Server shutdown in progress'] : undefined,
    )
    const message = 'the query failed: Server shutdown in progress (1053)'
    expect(result).toMatchObject({ outcome: 'down', error: { code: 'protocol', message } })
  })
})

test.each([
  ['mysql://db.test/app', { username: 'a' }, []],
  ['mysql://db.test', { username: 'a', password: 'b' }, []],
  ['mysql://db.test/app/more', { username: 'a' }, ['url']],
  ['mysql://db.test/app?sslmode=off', { username: 'a' }, ['url']],
  ['mysql://a@db.test/app', {}, ['url']],
  ['mysql://db.test/app', {}, ['credentials.username']],
  ['mysql://db.test/app', { username: 'a\0b' }, ['credentials.username']],
])('the URL %s with the credentials %j has faults at %j', (url, credentials, paths) => {
  expect(faultsOf('mysql', url, { credentials })).toEqual(paths.map((path) => expect.stringMatching(`^${path}: `)))
})
