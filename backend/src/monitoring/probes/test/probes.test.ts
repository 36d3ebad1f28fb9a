import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import type { ClaimedCheck, ProbeResult } from '@vedette/shared'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { holdBy } from '../../../../test/database-locks.ts'
import { type Credentials, startTestBackend, type TestBackend, TEST_SECRET } from '../../../../test/harness.ts'
import { pauseChecks, insertStatus, scheduleMonitors } from '../../checks/index.ts'
import { createEncrypter } from '../../../platform/crypto/encrypter.ts'
import { createSecrets } from '../../../platform/crypto/installation-secrets.ts'
import { rotateRegionToken } from '../../regions/index.ts'

let backend: TestBackend
let organization: number
beforeAll(async () => {
  backend = await startTestBackend()
  organization = (await backend.organization()).number
})
afterAll(() => backend.close())

const db = () => backend.pool.db
const now = () => backend.clock.now()
const encrypter = createEncrypter(createSecrets([TEST_SECRET]).derive('monitor request'))

/** A region of its own, its probe, and monitors that are due in it. */
async function watched(count = 1, options: { timeout?: number; encrypted?: (id: string) => Buffer } = {}) {
  const id = `region-${randomUUID()}`
  const as = await backend.probe(id)
  const { number: region } = await db().selectFrom('region').select('number').where('id', '=', id).executeTakeFirstOrThrow()
  const monitors: number[] = []
  for (let n = 0; n < count; n += 1) {
    const monitorId = randomUUID()
    const at = new Date(now())
    const { number } = await db()
      .insertInto('monitor')
      .values({
        organization,
        id: monitorId,
        name: 'a monitor',
        type: 'http',
        url: `https://${n}.example.com/`,
        method: 'POST',
        interval_seconds: 60,
        timeout_seconds: options.timeout ?? 10,
        regions: [id],
        request_encrypted: options.encrypted?.(monitorId) ?? null,
        options: '{}',
        assertions: JSON.stringify([{ type: 'status_code', operator: 'equals', value: 200 }]),
        follow_redirects: false,
        verify_tls: true,
        confirmations: 1,
        tags: [],
        server_id: null,
        created_at: at,
        updated_at: at,
      })
      .returning('number')
      .executeTakeFirstOrThrow()
    await insertStatus(db(), organization, [number], 'up', at)
    await scheduleMonitors(
      db(),
      organization,
      [{ monitor: number, intervalSeconds: 60, regions: [region], isPaused: false }],
      now(),
    )
    monitors.push(number)
  }
  return { as, id, region, monitors }
}

const claim = (as: Credentials, more: object = {}) =>
  backend.call('POST', '/v1/probe/claims', { as, body: { worker_id: randomUUID(), ...more } })
const claimed = async (as: Credentials, more: object = {}): Promise<ClaimedCheck[]> => (await claim(as, more)).body.checks
const bring = (as: Credentials, ...results: object[]) => backend.call('POST', '/v1/probe/results', { as, body: { results } })

function resultOf({ claim }: Pick<ClaimedCheck, 'claim'>, more: Partial<ProbeResult> = {}): ProbeResult {
  const at = new Date(now()).toISOString()
  return {
    claim,
    ended_at: at,
    checked_at: at,
    outcome: 'up',
    status_code: 200,
    response_ms: 12.3,
    dns_ms: 1,
    connect_ms: 2,
    tls_ms: 3,
    first_byte_ms: 4,
    transfer_ms: 2.3,
    error: null,
    address: '192.0.2.1',
    http_version: '1.1',
    certificate: null,
    delayed: false,
    ...more,
  }
}
const storedOf = (monitor = 0) => db().selectFrom('check_result').selectAll().where('monitor', '=', monitor).execute()

describe('POST /v1/probe/claims', () => {
  it('returns the due checks of the token’s region once, with their secrets [PROBE-01]', async () => {
    const encrypted = (id: string) =>
      encrypter.encrypt(Buffer.from(JSON.stringify({ headers: { 'x-secret': 's' }, body: 'b', credentials: {} })), id)
    const { as, id } = await watched(1, { encrypted })
    await watched(1)
    const { status, body } = await claim(as)
    expect(status).toBe(200)
    expect(body).toMatchObject({ region: id, in_flight: 64, server_time: new Date(now()).toISOString() })
    expect(body.checks).toEqual([
      {
        claim: expect.stringMatching(/^\d+\.\d+\.\d+$/),
        due_in_ms: 0,
        next_due_in_ms: 60_000,
        lease_ms: 15_000,
        definition: {
          type: 'http',
          url: 'https://0.example.com/',
          method: 'POST',
          headers: { 'x-secret': 's' },
          body: 'b',
          timeout: 10,
          follow_redirects: false,
          verify_tls: true,
          options: {},
          credentials: {},
          assertions: [{ type: 'status_code', operator: 'equals', value: 200 }],
        },
      },
    ])
    expect(await claimed(as)).toEqual([])
  })

  it('returns at most the requested number', async () => {
    const { as } = await watched(5)
    expect(await claimed(as, { limit: 3 })).toHaveLength(3)
    expect(await claimed(as, { limit: 3 })).toHaveLength(2)
  })

  it('records a check whose headers cannot be decrypted as inconclusive', async () => {
    const { as, monitors } = await watched(1, { encrypted: () => Buffer.from('not ours') })
    expect(await claimed(as)).toEqual([])
    expect(await storedOf(monitors[0])).toMatchObject([{ outcome: 3, error_code: 'internal' }])
  })

  it('waits until a check is due [PROBE-02]', async () => {
    const { as, monitors, region } = await watched(1)
    await claimed(as)
    const waiting = claimed(as, { wait_seconds: 25 })
    await backend.pool.db.selectFrom('region').select('id').execute()
    await scheduleMonitors(
      db(),
      organization,
      [{ monitor: monitors[0] ?? 0, intervalSeconds: 60, regions: [region], isPaused: false }],
      now() + 1,
    )
    await advanceUntil(waiting)
    expect(await waiting).toHaveLength(1)
  })

  it('returns no checks when none was due in time', async () => {
    const { as } = await watched(0)
    const waiting = claim(as, { wait_seconds: 3 })
    const seconds = await advanceUntil(waiting)
    expect((await waiting).body.checks).toEqual([])
    expect(seconds).toBeGreaterThanOrEqual(3)
  })

  /** A backend that listens, and a request to it that waits and can be aborted. */
  async function claimOver(as: Credentials) {
    const other = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock })
    const { app } = other.vedette
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo
    const hangingUp = new AbortController()
    const answer = fetch(`http://127.0.0.1:${port}/v1/probe/claims`, {
      method: 'POST',
      headers: { ...(as as Record<string, string>), 'content-type': 'application/json' },
      body: JSON.stringify({ worker_id: randomUUID(), wait_seconds: 25 }),
      signal: hangingUp.signal,
    }).catch((error: unknown) => error)
    return { other, answer, hangUp: () => hangingUp.abort() }
  }

  /** A request that waits because no check is due. */
  async function held() {
    const { as, id, monitors, region } = await watched(1)
    await claimed(as)
    const { other, answer } = await claimOver(as)
    await untilWorkers(region, 2)
    const makeDue = () =>
      scheduleMonitors(
        db(),
        organization,
        [{ monitor: monitors[0] ?? 0, intervalSeconds: 60, regions: [region], isPaused: false }],
        now() + 10,
      )
    return { other, id, answer, makeDue }
  }

  it('refuses a waiting request once its token has been replaced, and leaves the checks to the new token', async () => {
    const { other, id, answer, makeDue } = await held()
    const as = { 'x-api-key': await rotateRegionToken({ db: db(), clock: backend.clock }, id) }
    await makeDue()
    await advanceUntil(answer)
    expect(await answer).toMatchObject({ status: 401 })
    expect(await claimed(as)).toHaveLength(1)
    await other.close()
  })

  it('refuses a request whose token is replaced before its first look for checks', async () => {
    const { as, id } = await watched(1)
    const hold = await holdBy(backend.databaseUrl, 'lock table check_worker in access exclusive mode')
    const answer = claim(as)
    await hold.untilWaiting(1, answer)
    const replaced = { 'x-api-key': await rotateRegionToken({ db: db(), clock: backend.clock }, id) }
    await hold.release()
    expect(await answer).toMatchObject({ status: 401 })
    expect(await claimed(replaced)).toHaveLength(1)
  })

  it('ends a waiting request at once when the backend stops', async () => {
    const { other, answer } = await held()
    await other.close()
    expect(await answer).toMatchObject({ status: 200 })
  })

  it('releases the checks of a probe that disconnects', async () => {
    const { as } = await watched(1)
    const hold = await holdBy(backend.databaseUrl, 'lock table check_worker in access exclusive mode')
    const { other, answer, hangUp } = await claimOver(as)
    await hold.untilWaiting(1, answer)
    hangUp()
    expect(await answer).toBeInstanceOf(Error)
    const { server } = other.vedette.app
    while ((await promisify(server.getConnections.bind(server))()) > 0) await db().selectFrom('region').select('id').execute()
    await hold.release()
    // The request claims the check now and releases it. The clock stands still: no lease ends by itself.
    let checks: ClaimedCheck[] = []
    while (checks.length === 0) checks = await claimed(as)
    expect(checks).toHaveLength(1)
    await other.close()
  })

  it('ignores unknown fields and refuses invalid ones [PROBE-04]', async () => {
    const { as } = await watched(0)
    expect((await claim(as, { platform: 'moon' })).status).toBe(200)
    for (const wrong of [{ worker_id: 'x' }, { wait_seconds: 26 }, { wait_seconds: -1 }, { limit: 501 }, { limit: '5' }])
      expect((await claim(as, wrong)).status).toBe(400)
  })
})

/** Advances the clock by seconds, whose number it returns, until the request is answered: it may not wait at the first one yet. */
async function advanceUntil(answer: Promise<unknown>): Promise<number> {
  const seen = { isAnswered: false }
  const note = () => void (seen.isAnswered = true)
  answer.then(note, note)
  let seconds = 0
  for (; !seen.isAnswered; seconds += 1) {
    backend.clock.advance(1_000)
    await db().selectFrom('region').select('id').execute()
  }
  return seconds
}

async function untilWorkers(region: number, count: number): Promise<void> {
  for (;;) {
    const rows = await db().selectFrom('check_worker').select('id').where('region', '=', region).execute()
    if (rows.length >= count) return
  }
}

describe('POST /v1/probe/results', () => {
  it('stores results with the region of the token and returns their number [PROBE-03]', async () => {
    const { as, region, monitors } = await watched(3)
    const [one, two, three] = (await claimed(as)) as [ClaimedCheck, ClaimedCheck, ClaimedCheck]
    await pauseChecks(db(), organization, Number(two.claim.split('.')[1]))
    const { status, body } = await bring(as, resultOf(one), resultOf(two), resultOf(three))
    expect([status, body]).toEqual([202, { accepted: 2, refused: 1 }])
    const stored = (await Promise.all(monitors.map(storedOf))).flat()
    expect(stored.map((row) => row.region)).toEqual([region, region])
  })

  it('accepts a repeated result without storing it again', async () => {
    const { as, monitors } = await watched(1)
    const [one] = (await claimed(as)) as [ClaimedCheck]
    for (let times = 0; times < 3; times += 1)
      expect((await bring(as, resultOf(one, { outcome: 'down', response_ms: null }))).body).toEqual({ accepted: 1, refused: 0 })
    expect(await storedOf(monitors[0])).toHaveLength(1)
  })

  it('sets a monitor down with a transition', async () => {
    const { as, monitors } = await watched(1)
    const [one] = (await claimed(as)) as [ClaimedCheck]
    const error = { code: 'timeout', message: 'no answer within 10 s' } as const
    await bring(as, resultOf(one, { outcome: 'down', response_ms: null, error }))
    const reported = await db()
      .selectFrom('monitor_transition')
      .select(['to_status', 'reason'])
      .where('monitor', '=', monitors[0] ?? 0)
      .execute()
    expect(reported).toEqual([{ to_status: 'down', reason: 'no answer within 10 s' }])
  })

  it('accepts late results with their own time and refuses impossible times', async () => {
    const { as, monitors } = await watched(5)
    const checks = await claimed(as)
    const at = (ms: number) => ({ checked_at: new Date(now() + ms).toISOString(), ended_at: new Date(now() + ms).toISOString() })
    const [a, b, c, d, e] = checks as [ClaimedCheck, ClaimedCheck, ClaimedCheck, ClaimedCheck, ClaimedCheck]
    const { body } = await bring(
      as,
      resultOf(a, at(-6 * 86_400_000)),
      resultOf(b, at(-7 * 86_400_000 - 1)),
      resultOf(c, at(300_000)),
      resultOf(d, at(300_001)),
      resultOf(e, { ended_at: new Date(now() + 300_001).toISOString() }),
    )
    expect(body).toEqual({ accepted: 2, refused: 3 })
    const stored = (await Promise.all(monitors.map(storedOf))).flat()
    expect(stored.map((row) => row.at).sort((left, right) => left - right)).toEqual([now() - 6 * 86_400_000, now() + 300_000])
    // A check of an hour that was compacted long ago marks it for another compaction.
    const stale = await db().selectFrom('check_hour_stale').selectAll().where('monitor', 'in', monitors).execute()
    expect(stale).toHaveLength(1)
  })

  it('changes nothing of another region, whatever the claim says', async () => {
    const one = await watched(1)
    const two = await watched(1)
    const [check] = (await claimed(one.as)) as [ClaimedCheck]
    expect((await bring(two.as, resultOf(check))).body).toEqual({ accepted: 0, refused: 1 })
    expect(await storedOf(one.monitors[0])).toEqual([])
  })

  it.each([['0.0.0'], ['1.1.99999999999999999999'], ['99999999999.1.1'], ['9999999999999999999999.1.1']])(
    'survives the claim %s',
    async (claim) => {
      const { as } = await watched(0)
      expect((await bring(as, resultOf({ claim }))).body).toEqual({ accepted: 0, refused: 1 })
    },
  )

  it('refuses an invalid result', async () => {
    const { as } = await watched(0)
    const good = resultOf({ claim: '1.1.1' })
    for (const wrong of [{ claim: 'x' }, { outcome: 'fine' }, { response_ms: -1 }, { response_ms: '1' }, { checked_at: 'now' }])
      expect((await bring(as, { ...good, ...wrong })).status).toBe(400)
    expect((await bring(as, { ...good, newer: true })).status).toBe(202)
    expect((await bring(as, ...Array.from({ length: 501 }, () => good))).status).toBe(400)
    expect((await bring(as)).body).toEqual({ accepted: 0, refused: 0 })
  })

  it('has limits of its own [LIMIT-30]', async () => {
    const limited = await startTestBackend({
      databaseUrl: backend.databaseUrl,
      clock: backend.clock,
      environment: { VEDETTE_RATE_LIMITS: 'probe=3' },
    })
    const { as } = await watched(0)
    const statuses: number[] = []
    for (let times = 0; times < 5; times += 1)
      statuses.push((await limited.call('POST', '/v1/probe/results', { as, body: { results: [] } })).status)
    expect(statuses).toEqual([202, 202, 202, 429, 429])
    const { headers } = await limited.call('POST', '/v1/probe/results', { as, body: { results: [] } })
    expect(headers['x-ratelimit-limit']).toBe('3')
    await limited.close()
  })
})

it('deleting a region invalidates its token', async () => {
  const { as, id } = await watched(0)
  await sql`delete from region where id = ${id}`.execute(db())
  expect((await claim(as)).status).toBe(401)
})
