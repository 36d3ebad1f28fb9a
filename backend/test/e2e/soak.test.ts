import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isMissing, VEDETTE_AGENT } from '../../../scripts/test-tools.ts'
import { registration } from '../harness.ts'
import { type EveryRequest, everyRequest, isSuccess } from './every-request.ts'
import { CAUSES, type Cause, type FaultyDatabase, startFaultyDatabase, storedInstants } from './faulty-database.ts'
import { type Pusher, startPusher } from './pusher.ts'
import { ADMIN, agentStatus, call, makeWorkbench, type Program, type RunningVedette, signIn, until } from './workbench.ts'

/** How long it goes on. The nightly run has 30. */
const MINUTES = Number(process.env['TEST_SOAK_MINUTES'])
/** What is promised. */
const ANSWER_MS = 10_000
const HEALED_MS = 10_000
/** How long a cause lasts, and how long the database works between two. */
const LASTS_MS = 12_000
const RESTS_MS = 6_000
const SLOW: Cause = {
  what: 'each statement takes 300 ms more',
  begin: ({ proxy }) => proxy.slow(300),
  end: ({ proxy }) => proxy.slow(0),
  spares: true,
}
const ALL = [...CAUSES, SLOW]

const bench = makeWorkbench()
let database: FaultyDatabase
let instances: RunningVedette[]
let requests: EveryRequest[]
let agent: Program
let agentFolder: string
const pushers = new Map<string, Pusher>()
const target = createServer((_request, response) => response.end('fine'))

describe.skipIf(isMissing('initdb', 'postgres', 'createdb'))('two instances on a database that half works', () => {
  beforeAll(async () => {
    database = await startFaultyDatabase(bench)
    await new Promise<void>((resolve) => void target.listen(0, '127.0.0.1', resolve))
    const keyFile = join(bench.makeFolder(), 'agent.key')
    const environment = {
      ...ADMIN,
      DATABASE_URL: database.proxy.url,
      VEDETTE_BOOTSTRAP_API_KEY_FILE: keyFile,
      VEDETTE_LOCAL_AGENT: 'off',
      VEDETTE_ALLOW_PRIVATE_TARGETS: '127.0.0.0/8',
      VEDETTE_SECRET_KEYS: randomBytes(32).toString('base64'),
      VEDETTE_SAMPLE_INTERVAL_SECONDS: '1',
      VEDETTE_PUSH_INTERVAL_SECONDS: '5',
      // On, but never reached.
      VEDETTE_RATE_LIMITS: 'read=100000,write=100000,auth=100000,agent=1000000',
    }
    const first = await bench.start({ dataDir: bench.makeFolder(), environment })
    const second = await bench.start({ dataDir: bench.makeFolder(), environment })
    instances = [first, second]
    const owner = await signIn(first.url)
    const agentKey = await until(() => existsSync(keyFile) && readFileSync(keyFile, 'utf8').trim(), 30_000)
    const register = async (name: string) =>
      (await call(first.url, 'POST', '/v1/agent/register', { 'x-api-key': agentKey }, registration(name))).body
    const requested = await register('requested')
    requests = instances.map(({ url }) => everyRequest(url, owner, requested))
    for (const [index, name] of ['one', 'two', 'three', 'four'].entries())
      pushers.set(name, startPusher((index % 2 ? second : first).url, (await register(name)).token, 200))
    const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/`
    for (let count = 0; count < 5; count += 1)
      await call(first.url, 'POST', '/v1/monitors', owner, { name: `monitor ${count}`, url, interval: 10 })
    agentFolder = bench.makeFolder()
    const { token } = await register('the agent')
    const settings = {
      VEDETTE_STATE_DIR: agentFolder,
      VEDETTE_AGENT_URL: first.url,
      VEDETTE_AGENT_TOKEN: token,
      VEDETTE_AGENT_SAMPLE_INTERVAL_SECONDS: '1',
    }
    agent = bench.run([process.execPath, VEDETTE_AGENT, 'run'], settings)
  })
  afterAll(async () => {
    for (const pusher of pushers.values()) await pusher.stop(0)
    database.clean()
    target.close()
    await bench.cleanUp()
  })

  test(
    `loses and doubles nothing, answers within 10 s and heals within 10 s, for ${MINUTES} minutes`,
    async () => {
      const endsAt = performance.now() + MINUTES * 60_000
      const faults: string[] = []
      const healedMs = new Map<string, number>()
      const keys: string[] = []
      let [answers, slowestMs, turns] = [0, 0, 0]
      for (; performance.now() < endsAt; turns += 1) {
        const cause = ALL[turns % ALL.length] as Cause
        const key = `${turns} ${randomUUID()}`
        keys.push(key)
        const untilAt = performance.now() + LASTS_MS
        await cause.begin(database)
        try {
          while (performance.now() < untilAt) {
            const outcomes = (await Promise.all(requests.map((each) => each.sendAll(key)))).flat()
            answers += outcomes.length
            for (const { name, status, ms } of outcomes) {
              slowestMs = Math.max(slowestMs, ms)
              const isRight = (status >= 200 && status < 300) || status === 503 || (status === 409 && name === 'write')
              if (!isRight || ms > ANSWER_MS) faults.push(`${cause.what}: ${name} ${status} after ${Math.round(ms)} ms`)
            }
            await delay(500)
          }
        } finally {
          await cause.end(database)
        }
        const healed = (await Promise.all(requests.map((each) => each.healing(key)))).flat()
        const ms = Math.max(...healed.map((outcome) => outcome.ms))
        healedMs.set(cause.what, Math.max(ms, healedMs.get(cause.what) ?? 0))
        if (ms > HEALED_MS || !healed.every(isSuccess)) faults.push(`${cause.what}: healed after ${Math.round(ms)} ms`)
        await delay(RESTS_MS)
      }
      for (const [what, ms] of healedMs) console.info(`figure: healed within ${(ms / 1000).toFixed(1)} s: ${what}`)
      console.info(`figure: ${turns} turns, ${answers} answers, the slowest after ${(slowestMs / 1000).toFixed(1)} s`)
      expect(faults).toEqual([])

      let samples = 0
      for (const [name, pusher] of pushers) {
        await pusher.stop()
        const instants = await storedInstants(database.url, name)
        samples += instants.length
        expect(instants).toEqual([...pusher.acknowledged.keys()].sort((a, b) => a - b))
        expect([...pusher.statuses].filter((status) => status !== 503)).toEqual([])
      }
      await checkAgent()
      const client = new pg.Client({ connectionString: database.url })
      await client.connect()
      const windows = await client.query<{ name: string }>('select name from maintenance_window')
      // An interval is 10 s.
      const doubled = await client.query(
        `select monitor, at, next from (select monitor, at, lead(at) over (partition by monitor order by at) as next from check_result) as checks
        where next - at < 5000`,
      )
      await client.end()
      expect(windows.rows.map(({ name }) => name).sort()).toEqual(keys.sort())
      expect(doubled.rows).toEqual([])
      console.info(`figure: ${samples} samples acknowledged, 0 lost, 0 doubled`)
    },
    (MINUTES + 5) * 60_000,
  )
})

/** A sample each second from its first to its last: its spool kept them while pushes were refused. */
async function checkAgent(): Promise<void> {
  process.kill(agent.pid, 'SIGTERM')
  await agent.ended
  const instants = await storedInstants(database.url, 'the agent')
  const gaps = instants.slice(1).map((at, index) => at - (instants[index] ?? 0))
  console.info(`figure: ${instants.length} samples of an agent, ${agentStatus(agentFolder)?.accepted_samples} accepted`)
  expect(Math.min(...gaps)).toBeGreaterThan(0)
  const late = gaps.flatMap((gap, index) =>
    gap > 2_500 ? [`${gap} ms before ${new Date(instants[index + 1] ?? 0).toISOString()}`] : [],
  )
  expect(late, agent.output()).toEqual([])
}
