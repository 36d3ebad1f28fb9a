import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { casesOf } from '../../../../test/deal.ts'
import { announcements, NO_ANNOUNCEMENTS } from '../../../../test/changes.ts'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { removeRules } from '../../../../test/remove-rules.ts'
import { incidentsOf } from '../../../../test/watched-monitor.ts'
import { ALL_SLICES, type Db, type Slices } from '../../../platform/db/index.ts'
import { createServerEvaluator } from '../evaluation/servers.ts'
import { measure, startBeating } from '../../../../test/measured-server.ts'

// Servers are evaluated when their next push is expected. One that comes before is announced by the statement that stores it.

let backend: TestBackend
let organization: TestOrganization
let admin: Credentials
let instance: ReturnType<typeof startBeating>
let listener: pg.Client
/** Payloads of announcements. */
let heard: string[] = []
let onHeard: (payload: string) => void = () => undefined
beforeAll(async () => {
  backend = await startTestBackend()
  instance = startBeating(backend)
  listener = new pg.Client({ connectionString: backend.databaseUrl })
  await listener.connect()
  await listener.query('listen vedette_changes')
  listener.on('notification', ({ payload = '' }) => {
    heard.push(payload)
    onHeard(payload)
  })
})
afterAll(async () => {
  await listener.end()
  await backend.close()
})
beforeEach(async () => {
  organization = await backend.organization()
  admin = await backend.member(organization, 'admin')
  await removeRules(backend, organization)
  const condition = { metric: 'cpu.percent', operator: 'greater_than', value: 90 }
  await backend.call('POST', '/v1/alert-rules', { as: admin, body: { name: 'rule', target: { type: 'server' }, condition } })
})

/** What was announced until now: the announcement of this test comes last. */
async function announcedEarly(): Promise<string[]> {
  await backend.pool.pg.query(`select pg_notify('vedette_changes', 'end of test')`)
  await expect.poll(() => heard.at(-1)).toBe('end of test')
  const early = heard.filter((payload) => payload.startsWith('early_push '))
  heard = []
  return early.map((payload) => payload.slice('early_push '.length))
}

/** An evaluating process, and the statements that it sends. `isHeard`: it hears what the statements of pushes announce. */
function process(isHeard: boolean, own: Slices = ALL_SLICES) {
  let statements = 0
  const counting: Db = backend.pool.db.withPlugin({
    transformQuery: ({ node }) => {
      statements += 1
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const { changes, announce } = announcements()
  onHeard = (payload) => announce(payload.split(' ')[0] ?? '', payload.split(' ')[1])
  const evaluator = createServerEvaluator({
    db: counting,
    clock: backend.clock,
    changes: isHeard ? changes : NO_ANNOUNCEMENTS,
    pushIntervalSeconds: 60,
    slices: () => own,
  })
  return {
    /** Seconds until the condition is met, at most `seconds`. */
    pass: async (seconds: number, isMet: () => Promise<boolean> = async () => false) => {
      await announcedEarly()
      for (let passed = 1; passed <= seconds; passed += 1) {
        backend.clock.advance(1_000)
        if (passed % 10 === 0) await instance.beat()
        if (evaluator.isDue()) await evaluator.evaluate()
        if (await isMet()) return passed
      }
      return seconds
    },
    takeStatements: () => {
      const taken = statements
      statements = 0
      return taken
    },
  }
}

const hasOpen = (uuid: string) => async () => (await incidentsOf(backend, uuid)).some(({ status }) => status === 'open')

interface EarlyPush {
  way: string
  isHeard: boolean
  seconds: number
}
const EARLY_PUSHES = [1, 2, 20, 45, 56, 59].flatMap((seconds): EarlyPush[] => [
  { way: 'is announced', isHeard: true, seconds },
  { way: 'is polled for', isHeard: false, seconds },
])
const dimensions = { row: (one: EarlyPush) => String(one.seconds), kind: (one: EarlyPush) => one.way, outcome: () => '' }

describe.each(casesOf(EARLY_PUSHES, dimensions))('a push that comes before its time and $way', ({ isHeard, seconds }) => {
  it(`${seconds} s after the previous one is evaluated within ten seconds`, async () => {
    const { uuid, sends } = await measure(backend, organization)
    const { pass } = process(isHeard)
    await instance.beat()
    await pass(2)
    await sends({ 'cpu.percent': [1] })
    await pass(62)
    await sends({ 'cpu.percent': [1] })
    await pass(seconds)
    await sends({ 'cpu.percent': [95] })
    expect(await pass(30, hasOpen(uuid))).toBeLessThanOrEqual(10)
  })
})

describe('announcements of pushes', () => {
  it('are those of pushes before their time alone, whether they are stored alone or together', async () => {
    const servers = await Promise.all(Array.from({ length: 8 }, () => measure(backend, organization)))
    const sendAll = (percent: number) => Promise.all(servers.map(({ sends }) => sends({ 'cpu.percent': [percent] })))
    const ids = servers.map(({ uuid }) => uuid).sort()
    await sendAll(1)
    expect(await announcedEarly()).toEqual([])
    backend.clock.advance(2_000)
    await sendAll(2)
    expect((await announcedEarly()).sort()).toEqual(ids)
    for (const seconds of [60, 57, 65]) {
      backend.clock.advance(seconds * 1_000)
      await sendAll(seconds)
      expect(await announcedEarly()).toEqual([])
    }
    backend.clock.advance(10_000)
    await servers[0]?.sends({ 'cpu.percent': [3] })
    expect(await announcedEarly()).toEqual([servers[0]?.uuid])
    // Late samples are stored by another statement.
    backend.clock.advance(10_000)
    await servers[1]?.sends({ 'cpu.percent': [4] }, { agoMs: 3 * 3_600_000 })
    expect(await announcedEarly()).toEqual([servers[1]?.uuid])
  })

  it('add no statement to the evaluation of regular pushes', async () => {
    const { uuid, sends } = await measure(backend, organization)
    const { rows } = await backend.pool.pg.query<{ number: number }>('select number from server where id = $1', [uuid])
    const number = rows[0]?.number ?? 0
    const own = { ids: [number % ALL_SLICES.ids.length], has: (other: number) => other === number }
    const { pass, takeStatements } = process(true, own)
    const minutes = async (count: number, pushesAt: readonly number[]) => {
      takeStatements()
      for (let minute = 0; minute < count; minute += 1) {
        let passed = 0
        for (const second of pushesAt) {
          await pass(second - passed)
          passed = second
          await sends({ 'cpu.percent': [minute] })
        }
        await pass(60 - passed)
      }
      return takeStatements() / count
    }
    await instance.beat()
    await minutes(2, [0])
    const [regular, early] = [await minutes(5, [0]), await minutes(5, [0, 20])]
    console.log(
      `figure: statements a minute of an evaluation: ${regular} with a push a minute, ${early} with an early one as well`,
    )
    // The list of servers, the rules, and one evaluation, which reads the entities of all due servers for their health.
    expect(regular).toBeLessThanOrEqual(8)
    expect(early - regular).toBeLessThanOrEqual(6)
  })
})
