import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort, isMissing } from '../../../scripts/test-tools.ts'
import { registration } from '../harness.ts'
import { type PrivateCluster, startPrivateCluster } from './private-cluster.ts'
import { ADMIN, call, firstSample, makeWorkbench, REPOSITORY, report, signIn, until } from './workbench.ts'

const bench = makeWorkbench()
afterAll(() => bench.cleanUp())

describe.skipIf(isMissing('initdb', 'postgres', 'createdb'))('a Postgres of its own, as Debian brings it', () => {
  let cluster: PrivateCluster
  beforeAll(async () => {
    cluster = await startPrivateCluster(bench)
  })

  test('DATABASE_URL: a start migrates it, starts none itself, and the first sample arrives [START-23]', async () => {
    const dataDir = join(bench.makeFolder(), 'data')
    const environment = { ...ADMIN, DATABASE_URL: cluster.database('vedette') }
    const vedette = await bench.start({ dataDir, environment })
    report('external Postgres, first start to ready', vedette.readyMs)
    const server = await firstSample(vedette.url, await signIn(vedette.url))
    expect(server).toMatchObject({ status: 'online', metrics: { cpu: { current_percent: expect.any(Number) } } })
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false)
    expect(statSync(dataDir).mode & 0o777).toBe(0o700)
    expect((await vedette.stop()).code).toBe(0)

    const client = new pg.Client({ connectionString: environment.DATABASE_URL })
    await client.connect()
    const { rows } = await client.query(
      "select current_setting('server_version_num')::int / 10000 as major, count(*)::int from server",
    )
    await client.end()
    expect(rows).toEqual([{ major: expect.toSatisfy((major: number) => major >= 15), count: 1 }])
  })

  test('two instances on it, started at once on an empty database: a token rotated on one is refused on the other at once [SERVER-11, START-34]', async () => {
    const folder = bench.makeFolder()
    const keyFile = join(folder, 'agent.key')
    const environment = { ...ADMIN, DATABASE_URL: cluster.database('shared'), VEDETTE_BOOTSTRAP_API_KEY_FILE: keyFile }
    const options = { dataDir: join(folder, 'data'), environment, command: 'serve' } as const
    const [one, other] = await Promise.all([bench.start(options), bench.start(options)])
    const owner = await signIn(one.url)
    const key = await until(() => existsSync(keyFile) && readFileSync(keyFile, 'utf8').trim(), 30_000)
    const { body } = await call(one.url, 'POST', '/v1/agent/register', { 'x-api-key': key }, registration('a host'))
    const push = async (url: string, token: string) => {
      const at = new Date().toISOString()
      const batch = { batch_id: randomUUID(), sent_at: at, agent_version: '0.1.0', samples: [{ at, cpu: { percent: 1 } }] }
      return (await call(url, 'POST', '/v1/agent/metrics', { 'x-api-key': token }, batch)).status
    }
    expect(await push(one.url, body.token)).toBe(202)
    expect(await push(other.url, body.token)).toBe(202)
    // Signed in on one is signed in on the other.
    const rotated = await call(other.url, 'POST', `/v1/servers/${body.server_id}/regenerate-token`, owner)
    expect(rotated.status).toBe(200)
    expect(await push(one.url, body.token)).toBe(401)
    expect(await push(other.url, body.token)).toBe(401)
    expect(await push(one.url, rotated.body.token)).toBe(202)
    expect(await Promise.all([one.stop(), other.stop()])).toMatchObject([{ code: 0 }, { code: 0 }])
  })

  test('the tests of the API pass on it too', async () => {
    const files = [
      'backend/src/hosts/metrics/test/push.test.ts',
      'backend/src/hosts/metrics/test/read.test.ts',
      'backend/src/hosts/servers/test/servers.test.ts',
    ]
    const vitest = join(REPOSITORY, 'node_modules/vitest/vitest.mjs')
    const argv = [process.execPath, vitest, 'run', '--root', REPOSITORY, ...files]
    const { code, output } = await bench.run(argv, { TEST_DATABASE_URL: cluster.url, TEST_REQUIRE_ALL: '1', NO_COLOR: '1' }).ended
    expect(output).toMatch(/\n[1-9]\d* passed, 0 failed\n$/)
    expect(code).toBe(0)
    // Not by the embedded one after all: they leave their template where they ran.
    const client = new pg.Client({ connectionString: cluster.url })
    await client.connect()
    const { rows } = await client.query("select 1 from pg_database where datname = 'vedette_template'")
    await client.end()
    expect(rows).toHaveLength(1)
  })
})

describe('a DATABASE_URL that will not do', () => {
  const dataDir = join(bench.makeFolder(), 'data')
  const refusal = (url: string) =>
    bench.runVedette({ dataDir, environment: { DATABASE_URL: url, VEDETTE_LOG_LEVEL: 'silent' } }).ended

  test('an older Postgres than 15 is refused by its version', async () => {
    const { url, close } = await fakePostgres('140011')
    expect(await refusal(url)).toMatchObject({ code: 1, output: expect.stringMatching(/leads to PostgreSQL 14; .* 15 or newer/) })
    close()
  })

  test('one that is not there is named as such, without its password', async () => {
    const { code, output } = await refusal(`postgres://someone:secret@127.0.0.1:${await freePort()}/x`)
    expect([code, output]).toEqual([1, expect.stringMatching(/PostgreSQL of DATABASE_URL .*ECONNREFUSED.* Check /)])
    expect(output).not.toContain('secret')
  })
})

/** As much of a Postgres as answers one question: lets everybody in, and gives every query this text. */
async function fakePostgres(answer: string): Promise<{ url: string; close(): void }> {
  const message = (type: string, body: Buffer) => {
    const length = Buffer.alloc(4)
    length.writeInt32BE(body.length + 4)
    return Buffer.concat([Buffer.from(type), length, body])
  }
  const ready = message('Z', Buffer.from('I'))
  const name = Buffer.from('server_version_num\0')
  const column = Buffer.concat([Buffer.from([0, 1]), name, Buffer.from('00000000000000000019ffffffffffff0000', 'hex')])
  const row = Buffer.concat([Buffer.from([0, 1, 0, 0, 0, answer.length]), Buffer.from(answer)])
  const result = Buffer.concat([message('T', column), message('D', row), message('C', Buffer.from('SHOW\0')), ready])
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.once('data', () => {
      socket.write(Buffer.concat([message('R', Buffer.alloc(4)), ready]))
      socket.on('data', (chunk) => chunk.toString('latin1', 0, 1) === 'Q' && socket.write(result))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `postgres://someone:secret@127.0.0.1:${(server.address() as AddressInfo).port}/x`, close: () => server.close() }
}
