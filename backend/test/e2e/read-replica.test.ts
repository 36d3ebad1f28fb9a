import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isMissing } from '../../../scripts/test-tools.ts'
import { registration } from '../harness.ts'
import { type PrivateCluster, type Replica, startPrivateCluster } from './private-cluster.ts'
import { ADMIN, call, makeWorkbench, type RunningVedette, signIn, until } from './workbench.ts'

const bench = makeWorkbench()
afterAll(() => bench.cleanUp())

describe.skipIf(isMissing('initdb', 'postgres', 'createdb', 'pg_basebackup'))(
  'DATABASE_READ_URL leads to a streaming replica',
  () => {
    let cluster: PrivateCluster
    let replica: Replica
    let vedette: RunningVedette
    let owner: object
    let server: { server_id: string; token: string }
    /** The newest value that was acknowledged. */
    let percent = 0
    beforeAll(async () => {
      cluster = await startPrivateCluster(bench)
      const databaseUrl = cluster.database('vedette')
      replica = await cluster.replica()
      const folder = bench.makeFolder()
      const keyFile = join(folder, 'agent.key')
      const environment = {
        ...ADMIN,
        DATABASE_URL: databaseUrl,
        DATABASE_READ_URL: replica.urlOf('vedette'),
        VEDETTE_BOOTSTRAP_API_KEY_FILE: keyFile,
        VEDETTE_RATE_LIMITS: 'off',
      }
      vedette = await bench.start({ dataDir: join(folder, 'data'), environment, command: 'serve' })
      owner = await signIn(vedette.url)
      const key = await until(() => existsSync(keyFile) && readFileSync(keyFile, 'utf8').trim(), 30_000)
      server = (await call(vedette.url, 'POST', '/v1/agent/register', { 'x-api-key': key }, registration('read here'))).body
    })

    /** Reads right after a push, when the replica may not have it yet. */
    async function pushAndRead(): Promise<void> {
      percent += 1
      const at = new Date().toISOString()
      const batch = { batch_id: randomUUID(), sent_at: at, agent_version: '0.1.0', samples: [{ at, cpu: { percent } }] }
      expect((await call(vedette.url, 'POST', '/v1/agent/metrics', { 'x-api-key': server.token }, batch)).status).toBe(202)
      const { body } = await call(vedette.url, 'GET', `/v1/servers/${server.server_id}/metrics?period=1h&metrics=cpu`, owner)
      expect([body.metrics.cpu.current_percent, body.metrics.cpu.max_percent]).toEqual([percent, percent])
    }

    /** The number of reads of pushes that the replica has logged. */
    const readCount = () => replica.output().split('from metric_push').length - 1
    const isReadAgain = async () => {
      const before = readCount()
      await pushAndRead()
      return readCount() > before
    }

    async function onReplica(statement: string): Promise<void> {
      const client = new pg.Client({ connectionString: replica.urlOf('vedette') })
      await client.connect()
      await client.query(statement)
      await client.end()
    }

    let marks = 0
    /** The number of reads so far: when the mark is in the log, all reads before it are too. */
    async function readsUntilNow(): Promise<number> {
      const mark = `'mark ${(marks += 1)}'`
      await onReplica(`select ${mark}`)
      await until(() => replica.output().includes(mark), 30_000)
      return readCount()
    }

    test('reads go there, and each has what was acknowledged before it [START-39]', async () => {
      expect(await until(isReadAgain, 40_000)).toBe(true)
      for (let count = 0; count < 20; count += 1) await pushAndRead()
      // As soon as the replica follows, which a busy machine may let it do late.
      expect(await until(async () => (await isReadAgain()) && readCount() > 10, 60_000)).toBe(true)
    })

    test('one that stands still gives no old answer: the primary reads', async () => {
      await onReplica('select pg_wal_replay_pause()')
      const before = await readsUntilNow()
      for (let count = 0; count < 5; count += 1) await pushAndRead()
      expect(await readsUntilNow()).toBe(before)
      await onReplica('select pg_wal_replay_resume()')
      expect(await until(isReadAgain, 40_000)).toBe(true)
    })

    test('one that is killed is not missed, and read from again when it is back', async () => {
      await replica.kill()
      for (let count = 0; count < 3; count += 1) await pushAndRead()
      await replica.start()
      expect(await until(isReadAgain, 60_000, 500)).toBe(true)
    })

    test('one that was made a primary of its own is left alone', async () => {
      await onReplica('select pg_promote()')
      const before = await readsUntilNow()
      for (let count = 0; count < 3; count += 1) await pushAndRead()
      expect(await readsUntilNow()).toBe(before)
      expect((await vedette.stop()).code).toBe(0)
    })
  },
)
