import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { CALLERS_PER_HOUR, createRefusalCounter } from '../refusals.ts'

describe('refused operations', () => {
  let backend: TestBackend
  let other: TestBackend
  let organization: TestOrganization
  beforeAll(async () => {
    backend = await startTestBackend()
    other = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock })
    organization = await backend.organization()
  })
  afterAll(async () => {
    await other.close()
    await backend.close()
  })

  const stored = async (status: number) => {
    const rows = await backend.pool.db
      .selectFrom('security_event')
      .select(['at', 'actor_kind', 'ip', 'details', 'organization'])
      .where('type', '=', 'request.refused')
      .orderBy('at')
      .execute()
    return rows.filter(({ details }) => (details as { status: number }).status === status)
  }
  const flush = () => Promise.all([backend.vedette.flush(), other.vedette.flush()])

  it('are one event per caller, status and hour over all instances, with their number', async () => {
    const viewer = await backend.member(organization, 'viewer')
    const key = await backend.apiKey(organization, 'read')
    const refused = (on: TestBackend, as: object) => on.call('POST', '/v1/monitors', { as, body: {} })
    for (const on of [backend, other, other]) {
      expect((await refused(on, viewer)).status).toBe(403)
      expect((await refused(on, key)).status).toBe(403)
      await flush()
    }
    const of = {
      organization: organization.number,
      ip: '192.0.2.1',
      details: { status: 403, count: 3, last: 'POST /v1/monitors' },
    }
    const actor = expect.stringMatching(/^(user|api_key)$/)
    expect(await stored(403)).toEqual([1, 2].map(() => ({ ...of, at: expect.any(Date), actor_kind: actor })))
    backend.clock.advance(3_600_000)
    await refused(backend, viewer)
    await flush()
    expect(await stored(403)).toHaveLength(3)
    const { body } = await backend.call('GET', '/v1/security-events?type=request.refused', {
      as: await backend.member(organization, 'owner'),
    })
    expect(body).toMatchObject({ total: 3, security_events: [{ actor: { type: 'user' }, details: { count: 1 } }, {}, {}] })
  })

  it('of unknown callers are counted by their network, and shown to the operator alone', async () => {
    const as = { 'x-api-key': 'vk_nobody' }
    for (const ip of ['203.0.113.1', '203.0.113.2', '198.51.100.1'])
      expect((await backend.call('GET', '/v1/servers', { as, ip })).status).toBe(401)
    // No credentials are no attempt of one who has some, but count as well; a wrong password has its own event.
    await backend.call('GET', '/v1/servers', { ip: '198.51.100.1' })
    await backend.call('POST', '/v1/auth/login', { body: { email: 'a@example.com', password: 'x' }, ip: '198.51.100.1' })
    await flush()
    const counts = (await stored(401)).map(({ details, organization }) => [(details as { count: number }).count, organization])
    expect(counts).toEqual([
      [2, null],
      [2, null],
    ])
  })

  it(`of more than ${CALLERS_PER_HOUR} callers in an hour are counted together`, async () => {
    const { db } = backend.pool
    backend.clock.advance(3_600_000)
    const counter = createRefusalCounter({ db, clock: backend.clock })
    const from = new Date(backend.clock.now())
    for (let caller = 0; caller < CALLERS_PER_HOUR + 5; caller += 1)
      counter.record({ status: 401, principal: undefined, ip: `10.${caller >> 8}.${caller & 255}.1`, operation: 'GET /v1/me' })
    await counter.flush()
    const rows = db.selectFrom('security_event').select(['ip', 'details']).where('at', '>=', from)
    const events = await rows.where('type', '=', 'request.refused').execute()
    expect(events).toHaveLength(CALLERS_PER_HOUR + 1)
    expect(events.filter(({ ip }) => ip === null)).toMatchObject([{ details: { count: 5 } }])
  })
})
