import { existsSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dropWithConnections, startTestBackend, type TestBackend } from '../harness.ts'
import { ADMIN, call, firstSample, LAUNCHER, makeWorkbench, readiness, signIn, STOP_MS, until } from './workbench.ts'
import { VEDETTE } from '../../../scripts/test-tools.ts'

const bench = makeWorkbench()
/** One installation: a database knows the secret of its data folder. */
const dataDir = join(bench.makeFolder(), 'data')
let backend: TestBackend
beforeAll(async () => {
  backend = await startTestBackend()
})
afterAll(async () => {
  await bench.cleanUp()
  await backend.close()
})

describe('a start on a database of one’s own', () => {
  test('runs all of it there: API, page, the agent of this host; limits that are off are said [START-02, START-23, START-31]', async () => {
    const environment = { ...ADMIN, DATABASE_URL: backend.databaseUrl, VEDETTE_RATE_LIMITS: 'off' }
    const vedette = await bench.start({ dataDir, environment })
    expect(await firstSample(vedette.url, await signIn(vedette.url))).toMatchObject({ status: 'online' })
    expect((await fetch(vedette.url)).headers.get('content-type')).toContain('text/html')
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false)
    await until(() => vedette.output().includes('rate limits are off'), 30_000)
    const end = await vedette.stop('SIGTERM')
    expect([end.code, end.ms < STOP_MS]).toEqual([0, true])
  })

  test('migrates by the direct way where one is named [START-24]', async () => {
    const client = new pg.Client({ connectionString: backend.databaseUrl })
    await client.connect()
    const name = `direct_${process.pid}_${Date.now()}`
    await client.query(`create database ${name}`)
    const url = new URL(backend.databaseUrl)
    url.pathname = `/${name}`
    // As a transaction pooler would: what comes by the pooled way may not change the schema.
    const pooled = `${url.href}${url.search ? '&' : '?'}options=-c%20default_transaction_read_only%3Don`
    const migrate = (environment: NodeJS.ProcessEnv) =>
      bench.run([process.execPath, VEDETTE, 'migrate', '--json'], {
        VEDETTE_DATA_DIR: join(bench.makeFolder(), 'data'),
        DATABASE_URL: pooled,
        ...environment,
      }).ended
    try {
      expect(await migrate({})).toMatchObject({ code: 1 })
      expect(await migrate({ DATABASE_DIRECT_URL: url.href })).toMatchObject({
        code: 0,
        output: expect.stringContaining('"0001-installation"'),
      })
    } finally {
      await dropWithConnections(client, name)
      await client.end()
    }
  })
})

describe('an end by SIGTERM', () => {
  test('answers what has begun, takes nothing new, and is over within 10 s [START-35, START-36]', async () => {
    const environment = { ...ADMIN, DATABASE_URL: backend.databaseUrl, VEDETTE_LOCAL_AGENT: 'off' }
    const vedette = await bench.start({ dataDir, environment })
    const owner = await signIn(vedette.url)
    // A request that waits for a row which this test holds.
    const client = new pg.Client({ connectionString: backend.databaseUrl })
    await client.connect()
    await client.query('begin')
    await client.query('lock table organization in access exclusive mode')
    const pending = call(vedette.url, 'GET', '/v1/organizations', owner)
    const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    await until(async () => (await backend.pool.pg.query(waiting)).rows.length > 0, 30_000)
    const ending = vedette.stop('SIGTERM')
    await until(() => vedette.output().includes('stopping'), 5_000)
    await client.query('rollback')
    await client.end()
    expect((await pending).status).toBe(200)
    const end = await ending
    expect([end.code, end.ms < STOP_MS]).toEqual([0, true])
    await expect(fetch(vedette.url)).rejects.toThrow('fetch failed')
  })
})

describe('in a clone', () => {
  const launch = (...args: string[]) => bench.run(['sh', LAUNCHER, ...args], { HOME: homedir() }).ended

  test('the launcher runs both programs, with an env file where one is named [START-08, START-12]', async () => {
    // What the launcher itself may say before: that it installs.
    const version = { code: 0, output: expect.stringMatching(/^0\.1\.0\n$/m) }
    expect(await launch('vedette', 'version')).toMatchObject(version)
    expect(await launch('vedette-agent', 'version')).toMatchObject(version)
    const file = join(bench.makeFolder(), 'vedette.env')
    writeFileSync(file, 'VEDETTE_PORT=9191\n')
    const { output } = await launch('vedette', 'config', 'check', '--env-file', file)
    expect(output).toContain('VEDETTE_PORT=9191')
  })

  test('the data folder is that of the system for root, that of the user else [START-17]', async () => {
    const home = bench.makeFolder()
    const environment = { HOME: home, VEDETTE_LOG_LEVEL: 'silent' }
    const isRoot = process.getuid?.() === 0
    const ids = isRoot ? [undefined, { uid: 65_534, gid: 65_534 }] : [undefined]
    for (const as of ids) {
      const { output } = await bench.run([process.execPath, VEDETTE, 'config', 'check'], environment, as).ended
      const expected = isRoot && !as ? '/var/lib/vedette' : join(home, '.local/share/vedette')
      expect(output).toContain(`VEDETTE_DATA_DIR=${expected}`)
    }
  })
})

test('the ready line is all that a program has to wait for [START-04, START-05]', async () => {
  const environment = { DATABASE_URL: backend.databaseUrl, VEDETTE_PORT: '0', VEDETTE_LOCAL_AGENT: 'off' }
  const program = bench.run([process.execPath, VEDETTE, 'serve'], {
    VEDETTE_DATA_DIR: dataDir,
    ...environment,
  })
  const { url } = await readiness(program)
  expect((await call(url, 'GET', '/readyz')).status).toBe(200)
  process.kill(program.pid, 'SIGTERM')
  expect((await program.ended).code).toBe(0)
})
