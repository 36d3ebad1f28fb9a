import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { someOf } from '../../../scripts/test-rounds.ts'
import { isMissing } from '../../../scripts/test-tools.ts'
import { registration } from '../harness.ts'
import { type EveryRequest, everyRequest, isSuccess, type Outcome } from './every-request.ts'
import { CAUSES, type Cause, type FaultyDatabase, startFaultyDatabase, storedInstants } from './faulty-database.ts'
import { type Pusher, startPusher } from './pusher.ts'
import { ADMIN, call, makeWorkbench, report, signIn, until } from './workbench.ts'

/** What is promised: an answer while it lasts, and service after it ended. */
const ANSWER_MS = 5_000
const HEALED_MS = 10_000

const bench = makeWorkbench()
let database: FaultyDatabase
let requests: EveryRequest
let pusher: Pusher

/** What is wrong with an answer, for a person. */
function faultOf(outcome: Outcome, spares: Cause['spares']): string[] {
  const { name, status, retryAfter, ms } = outcome
  const said = `${name}: ${status} after ${Math.round(ms)} ms`
  // The server may not know yet that the client of the first is gone.
  const isUnderWay = status === 409 && name === 'write'
  const isRight = (spares && isSuccess(outcome)) || ((status === 503 || (spares && isUnderWay)) && Number(retryAfter) > 0)
  return isRight && ms < ANSWER_MS ? [] : [said]
}

describe.skipIf(isMissing('initdb', 'postgres', 'createdb'))('a database that half works', () => {
  const keys: string[] = []

  beforeAll(async () => {
    database = await startFaultyDatabase(bench)
    const folder = bench.makeFolder()
    const keyFile = join(folder, 'agent.key')
    const environment = {
      ...ADMIN,
      DATABASE_URL: database.proxy.url,
      VEDETTE_BOOTSTRAP_API_KEY_FILE: keyFile,
      VEDETTE_LOCAL_AGENT: 'off',
      // On, but never reached.
      VEDETTE_RATE_LIMITS: 'read=100000,write=100000,auth=100000,agent=1000000',
    }
    const vedette = await bench.start({ dataDir: join(folder, 'data'), environment, command: 'serve' })
    const owner = await signIn(vedette.url)
    const agentKey = await until(() => existsSync(keyFile) && readFileSync(keyFile, 'utf8').trim(), 30_000)
    const register = async (name: string) =>
      (await call(vedette.url, 'POST', '/v1/agent/register', { 'x-api-key': agentKey }, registration(name))).body
    requests = everyRequest(vedette.url, owner, await register('requested'))
    pusher = startPusher(vedette.url, (await register('the pusher')).token)
    await pusher.nextSuccess()
  })
  afterAll(async () => {
    await (pusher as Pusher | undefined)?.stop(0)
    database.clean()
    await bench.cleanUp()
  })

  test('answers each kind of request while the database works', async () => {
    keys.push('before')
    expect((await requests.sendAll('before')).filter((outcome) => !isSuccess(outcome))).toEqual([])
  })

  test.each(someOf(CAUSES))(
    'answers 503 with Retry-After within 5 s while $what, and serves 10 s later at most [ERROR-28, ERROR-29]',
    async ({ what, begin, end, spares }) => {
      const key = `${what} ${randomUUID()}`
      keys.push(key)
      await begin(database)
      const faults: string[] = []
      try {
        // What is under way when it begins, and what comes later.
        for (const round of ['at first', 'later'])
          for (const outcome of await requests.sendAll(key))
            faults.push(...faultOf(outcome, spares).map((fault) => `${round}, ${fault}`))
      } finally {
        await end(database)
      }
      const healed = await requests.healing(key)
      const healedMs = Math.max(...healed.map(({ ms }) => ms))
      report(`healed: ${what}`, healedMs)
      expect(faults).toEqual([])
      expect(healed.filter((outcome) => !isSuccess(outcome) || outcome.ms > HEALED_MS)).toEqual([])
      await pusher.nextSuccess()
    },
  )

  test('keeps every acknowledged sample once, and makes every repeated write once', async () => {
    await pusher.stop()
    expect(pusher.failures).toBeGreaterThan(0)
    expect([...pusher.statuses].filter((status) => status !== 503)).toEqual([])
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    const windows = await client.query<{ name: string }>('select name from maintenance_window')
    await client.end()
    const instants = await storedInstants(database.url, 'the pusher')
    expect(instants).toEqual([...pusher.acknowledged.keys()].sort((a, b) => a - b))
    expect(windows.rows.map(({ name }) => name).sort()).toEqual([...keys].sort())
    console.info(`figure: ${instants.length} samples acknowledged, ${pusher.failures} pushes were cut or refused`)
  })
})
