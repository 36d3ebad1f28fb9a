import { afterEach, describe, expect, it } from 'vitest'
import { createFakeClock, type FakeClock } from '../../../../test/fake-clock.ts'
import { type Answer, type Credentials, startTestBackend, type TestBackend, type TestOptions } from '../../../../test/harness.ts'

/** Some seconds before the end of a minute. */
const START_MS = Date.parse('2026-11-20T18:07:50.000Z')
const LIMITS = 'auth=10,read=100,write=30,agent=400'
const UNKNOWN = 'srv_01h455vb4pex5vsknk084sn02q'
const IN_FLIGHT = 16

let open: TestBackend[] = []
afterEach(async () => {
  for (const backend of open.reverse()) await backend.close()
  open = []
})

/** Backends on one database, each of which knows the others; the first owns the database. */
async function startBackends(count: number, more: (index: number) => TestOptions = () => ({})): Promise<TestBackend[]> {
  const clock = createFakeClock(START_MS)
  const backends: TestBackend[] = []
  for (let index = 0; index < count; index += 1) {
    const databaseUrl = backends[0]?.databaseUrl
    const options = {
      clock,
      environment: { VEDETTE_RATE_LIMITS: LIMITS },
      ...(databaseUrl ? { databaseUrl } : {}),
      ...more(index),
    }
    const backend = await startTestBackend(options)
    backends.push(backend)
    open.push(backend)
  }
  for (const { vedette } of backends) await vedette.keepLimits()
  return backends
}

type Call = (backend: TestBackend) => Promise<Answer>
interface Response {
  status: number
  remaining: number
  reset: number
  /** The lowest Remaining that this backend had shown in this window when the request was sent. */
  shownBefore: number
  answer: Answer
}

/** So many requests over all backends, 16 of each in flight, in the order of their answers. */
async function flood(backends: readonly TestBackend[], total: number, call: Call): Promise<Response[]> {
  const responses: Response[] = []
  let left = total
  const one = async (backend: TestBackend, lowest: Map<number, number>) => {
    while (left-- > 0) {
      const before = new Map(lowest)
      const answer = await call(backend)
      const { status, headers } = answer
      const [remaining, reset] = [Number(headers['x-ratelimit-remaining']), Number(headers['x-ratelimit-reset'])]
      lowest.set(reset, Math.min(remaining, lowest.get(reset) ?? remaining))
      responses.push({ status, remaining, reset, shownBefore: before.get(reset) ?? Number.POSITIVE_INFINITY, answer })
    }
  }
  const onEach = (backend: TestBackend) => {
    const lowest = new Map<number, number>()
    return Array.from({ length: IN_FLIGHT }, () => one(backend, lowest))
  }
  await Promise.all(backends.flatMap(onEach))
  return responses
}

const admitted = (responses: readonly Response[]) => responses.filter(({ status }) => status !== 429).length

/** Never negative, and on each backend never more than an earlier response showed. */
function expectFalling(responses: readonly Response[]): void {
  for (const { remaining, shownBefore } of responses) {
    expect(remaining).toBeGreaterThanOrEqual(0)
    expect(remaining).toBeLessThanOrEqual(shownBefore)
  }
}

const groups = async (backend: TestBackend) => {
  const organization = await backend.organization()
  const admin = await backend.member(organization, 'admin')
  const viewer = await backend.member(organization, 'viewer')
  const server = await backend.server(organization)
  const call =
    (method: string, url: string, as: Credentials, body?: unknown): Call =>
    (at) =>
      at.call(method, url, { as, body })
  return {
    auth: { limit: 10, call: call('POST', '/v1/auth/login', {}, { email: 'nobody@example.com' }) },
    write: { limit: 30, call: call('DELETE', `/v1/servers/${UNKNOWN}`, admin) },
    read: { limit: 100, call: call('GET', '/v1/servers', viewer) },
    agent: { limit: 400, call: call('PUT', '/v1/agent/facts', server.as, {}) },
    anonymous: { limit: 100, call: call('GET', '/v1/nothing', {}) },
  }
}

describe.each([1, 4])('limits of %i backends on one database', { timeout: 60_000 }, (count) => {
  it('hold under ten times as many requests: exactly for logins and writes, at most a twentieth below the limit for the rest [LIMIT-05, LIMIT-25, LIMIT-26]', async () => {
    const backends = await startBackends(count)
    const [first] = backends as [TestBackend]
    const kinds = await groups(first)
    first.clock.advance(60_000)
    for (const [name, { limit, call }] of Object.entries(kinds)) {
      const responses = await flood(backends, limit * 10, call)
      const exact = count === 1 || name === 'auth' || name === 'write'
      expect(admitted(responses), name).toBeLessThanOrEqual(limit)
      // Of pushes each backend admits the first two of a minute without asking, which the others leave out.
      const leftOut = name === 'agent' ? 2 * (count - 1) : 0
      expect(admitted(responses), name).toBeGreaterThanOrEqual(exact ? limit : limit * 0.95 - leftOut)
      expectFalling(responses)
      for (const { answer } of responses.filter(({ status }) => status === 429)) {
        expect(answer.headers['retry-after']).toBe('10')
        expect(answer.headers['x-ratelimit-remaining']).toBe('0')
        expect(answer.body.error.code).toBe('rate_limited')
      }
    }
  })

  it('restart with each window and are never exceeded within one [LIMIT-24]', async () => {
    const backends = await startBackends(count)
    const [first] = backends as [TestBackend]
    const { write, read } = await groups(first)
    first.clock.advance(60_000)
    for (const { limit, call } of [write, read]) {
      const responses: Response[] = []
      for (let window = 0; window < 3; window += 1) {
        // The minute ends while requests are under way.
        const both = [flood(backends, limit * 3, call)]
        await Promise.resolve()
        first.clock.advance(60_000)
        both.push(flood(backends, limit * 3, call))
        responses.push(...(await Promise.all(both)).flat())
      }
      const windows = Map.groupBy(responses, ({ reset }) => reset)
      expect(windows.size).toBeGreaterThanOrEqual(3)
      for (const [, inWindow] of windows) {
        expect(admitted(inWindow)).toBeLessThanOrEqual(limit)
        expectFalling(inWindow)
      }
    }
  })
})

describe('limits of several backends', { timeout: 60_000 }, () => {
  it('follow the minutes of the database clock, independent of the clocks of the machines [LIMIT-09, LIMIT-19, LIMIT-25]', async () => {
    const shared = createFakeClock(START_MS)
    const databaseClock = { now: () => shared.now(), measure: () => Promise.resolve() }
    const skews = [0, 45_000, -3_600_000]
    const backends = await startBackends(3, (index) => ({
      databaseClock,
      clock: createFakeClock(START_MS + (skews[index] as number)),
    }))
    const call: Call = (at) => at.call('POST', '/v1/nothing')
    const responses = await flood(backends, 300, call)
    expect(admitted(responses)).toBe(30)
    expect(new Set(responses.map(({ reset }) => reset))).toEqual(new Set([(START_MS + 10_000) / 1000]))
    shared.advance(10_000)
    expect(admitted(await flood(backends, 300, call))).toBe(30)
  })

  it('stay consistent at the edge of a minute when the clocks of the instances differ slightly', async () => {
    const shared = createFakeClock(START_MS)
    const backends = await startBackends(2, (index) => ({
      databaseClock: { now: () => shared.now() + index * 300, measure: () => Promise.resolve() },
    }))
    const call: Call = (at) => at.call('POST', '/v1/nothing')
    shared.advance(9_800)
    const edge = await flood(backends, 300, call)
    shared.advance(200)
    const after = await flood(backends, 300, call)
    const windows = Map.groupBy([...edge, ...after], ({ reset }) => reset)
    for (const [, responses] of windows) expect(admitted(responses)).toBeLessThanOrEqual(30)
    expect(admitted([...edge, ...after])).toBeLessThanOrEqual(60)
  })

  it('show a Remaining of reads and writes that decreases from one backend to the next [LIMIT-08]', async () => {
    const backends = await startBackends(2)
    const [first] = backends as [TestBackend]
    for (const method of ['GET', 'POST']) {
      const remaining = []
      for (let n = 0; n < 20; n += 1) {
        const { headers } = await (backends[n % 2] as TestBackend).call(method, '/v1/nothing', { ip: '198.51.100.5' })
        remaining.push(Number(headers['x-ratelimit-remaining']))
      }
      const limit = method === 'GET' ? 100 : 30
      expect(remaining).toEqual(Array.from({ length: 20 }, (_, n) => limit - 1 - n))
    }
    first.clock.advance(1)
  })

  it('survive a restart: exactly for logins and writes, minus at most a lease for the rest', async () => {
    const [first] = (await startBackends(1)) as [TestBackend]
    const { auth, write, read, agent } = await groups(first)
    first.clock.advance(60_000)
    const parts = Object.entries({ auth, write, read, agent }).map(([name, part]) => ({ name, ...part, passed: 0 }))
    let current = first
    for (let restart = 0; restart < 4; restart += 1) {
      const share = restart === 3 ? 1 : 1 / 4
      for (const part of parts) part.passed += admitted(await flood([current], Math.ceil(part.limit * share), part.call))
      const { databaseUrl, clock } = first
      current = await startTestBackend({ databaseUrl, clock, environment: { VEDETTE_RATE_LIMITS: LIMITS } })
      open.push(current)
    }
    for (const { name, limit, passed } of parts) {
      expect(passed, name).toBeLessThanOrEqual(limit)
      // The four before may still run, as far as the last one knows: it leaves out what they admit without asking.
      const leftOut = name === 'agent' ? 2 * 4 : 0
      expect(passed, name).toBeGreaterThanOrEqual(name === 'auth' || name === 'write' ? limit : limit * 0.95 - leftOut)
    }
  })

  it('hold for an e-mail in addition to the addresses that try it [LIMIT-16]', async () => {
    const backends = await startBackends(2)
    let ip = 0
    const responses = await flood(backends, 60, (at) =>
      at.call('POST', '/v1/auth/login', { body: { email: 'Eve@example.com', password: 'wrong' }, ip: `198.51.100.${(ip += 1)}` }),
    )
    expect(responses.filter(({ status }) => status === 401)).toHaveLength(10)
    expect(admitted(responses)).toBe(10)
  })

  it('remove an instance that stopped, and delete the counts of past minutes', async () => {
    const [first, second] = (await startBackends(2)) as [TestBackend, TestBackend]
    const instances = () => first.pool.db.selectFrom('rate_limit_instance').select('id').execute()
    expect(await instances()).toHaveLength(2)
    open = [first]
    await second.close()
    expect(await instances()).toHaveLength(1)
    await first.call('POST', '/v1/nothing')
    const rows = () => first.pool.db.selectFrom('rate_limit').select('subject').execute()
    expect(await rows()).toHaveLength(1)
    first.clock.advance(120_000)
    await first.jobs.removeOldCounts()
    expect(await rows()).toHaveLength(1)
    first.clock.advance(60_000)
    await first.jobs.removeOldCounts()
    expect(await rows()).toEqual([])
  })
})

describe('limits while the database is unavailable', () => {
  /** Advances the clock until the answer is there. */
  async function waitOut<T>(clock: FakeClock, answer: Promise<T>): Promise<T> {
    const over = new AbortController()
    const done = answer.finally(() => over.abort())
    while (!over.signal.aborted) {
      clock.advance(500)
      await new Promise((resolve) => setImmediate(resolve))
    }
    return done
  }

  /** Two backends, of which the first has lost the database until `restore` is called. */
  async function loseDatabase() {
    const [first, second] = (await startBackends(2)) as [TestBackend, TestBackend]
    first.clock.advance(10_000)
    const { query } = first.pool.dedicated
    first.pool.dedicated.query = () => Promise.reject(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }))
    return { first, second, restore: () => (first.pool.dedicated.query = query) }
  }

  it('refuse logins and pushes as unavailable [ERROR-18, LIMIT-27, LIMIT-28]', async () => {
    const { first } = await loseDatabase()
    const call = (method: string, url: string, body: object) => waitOut(first.clock, first.call(method, url, { body }))
    const login = await call('POST', '/v1/auth/login', { email: 'a@example.com', password: 'x' })
    expect([login.status, login.body.error.code, login.headers['retry-after']]).toEqual([503, 'unavailable', '2'])
    expect(login.headers['x-ratelimit-limit']).toBe('10')
    expect((await call('PUT', '/v1/agent/facts', {})).status).toBe(503)
  })

  it('admit a share of reads and writes, and count it afterwards [LIMIT-29]', async () => {
    const { first, second, restore } = await loseDatabase()
    const statuses = []
    for (let n = 0; n < 16; n += 1) statuses.push((await waitOut(first.clock, first.call('POST', '/v1/nothing'))).status)
    expect(statuses).toEqual([...Array<number>(15).fill(404), 429])
    restore()
    first.clock.advance(2_000)
    expect((await first.call('POST', '/v1/nothing')).headers['x-ratelimit-remaining']).toBe('0')
    expect((await second.call('POST', '/v1/nothing')).headers['x-ratelimit-remaining']).toBe('13')
  })
})
