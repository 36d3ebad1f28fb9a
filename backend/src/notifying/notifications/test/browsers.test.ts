import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AlertFixture, createAlertFixture, LOCAL_TARGETS } from '../../../../test/alert-fixture.ts'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { type PushService, startPushService } from '../../../../test/push-service.ts'
import { encodeId } from '../../../platform/ids.ts'

let backend: TestBackend
let service: PushService
let organization: TestOrganization
let admin: Credentials
let person: Credentials
let alerts: AlertFixture
beforeAll(async () => {
  backend = await startTestBackend({ environment: LOCAL_TARGETS })
  service = await startPushService()
})
afterAll(async () => {
  await backend.close()
  await service.close()
})
beforeEach(async () => {
  organization = await backend.organization()
  // A session would end before a day has passed.
  admin = await backend.apiKey(organization, 'admin')
  person = await backend.member(organization, 'member')
  alerts = await createAlertFixture(backend, organization, admin, { repeat_seconds: 600 })
  service.received.length = 0
  service.answer((response) => void response.writeHead(201).end())
})

const post = (as: Credentials, body: object) => backend.call('POST', '/v1/push-subscriptions', { as, body })
const list = async (as: Credentials = person) =>
  (await backend.call('GET', '/v1/push-subscriptions', { as })).body.push_subscriptions
async function subscribe(as: Credentials = person) {
  const subscription = service.subscribe()
  const { status, body } = await post(as, subscription)
  expect([status, body.last_error]).toEqual([201, null])
  return { ...subscription, id: body.id as string }
}
/** The jobs work for all organizations. */
const titles = (of: string) => service.received.filter(({ endpoint }) => endpoint === of).map(({ message }) => message['title'])
const waiting = () =>
  backend.pool.db.selectFrom('push_delivery').selectAll().where('organization', '=', organization.number).execute()

describe('a browser', () => {
  it('gets each step of an incident, encrypted, in one notification that changes', async () => {
    const { endpoint } = await subscribe()
    const id = await alerts.open()
    await alerts.deliver()
    await alerts.acknowledge(id)
    await alerts.deliver()
    await alerts.resolve(id)
    await alerts.deliver()
    const incident = encodeId('incident', id)
    const acknowledge = { organization: organization.id, incident }
    const common = { path: `/incidents/${incident}`, tag: incident }
    expect(service.received.map(({ message }) => message)).toMatchObject([
      { ...common, title: 'Shop is down: no answer', tone: 'critical', acknowledge },
      { ...common, title: 'Acknowledged: Shop is down: no answer', tone: 'critical' },
      { ...common, title: 'Resolved: Shop is down: no answer', tone: 'resolved' },
    ])
    expect(service.received.map(({ message }) => 'acknowledge' in message)).toEqual([true, false, false])
    expect(service.received[0]).toMatchObject({
      endpoint,
      headers: { ttl: '86400', urgency: 'high', 'content-encoding': 'aes128gcm' },
    })
    const topics = new Set(service.received.map(({ headers }) => headers['topic']))
    expect([...topics]).toEqual([expect.stringMatching(/^[\w-]{32}$/)])
    expect([...topics].join()).not.toContain(incident.slice(4))
    expect(await waiting()).toEqual([])
  })

  it('of a viewer cannot acknowledge', async () => {
    await subscribe(await backend.member(organization, 'viewer'))
    await alerts.open()
    await alerts.deliver()
    expect(service.received).toHaveLength(1)
    expect(service.received[0]?.message).not.toHaveProperty('acknowledge')
  })

  it('gets nothing of other organizations, nor of an incident that a maintenance window suppresses', async () => {
    await subscribe(await backend.member(await backend.organization(), 'owner'))
    await subscribe()
    await alerts.open({ silenced: true })
    await alerts.deliver()
    expect(service.received).toEqual([])
  })

  it('gets the reminders of a rule without channels', async () => {
    const { endpoint } = await subscribe()
    await alerts.open()
    await alerts.deliver()
    backend.clock.advance(600_000)
    await backend.jobs.notifyOverdue()
    await alerts.deliver()
    expect(titles(endpoint)).toEqual(['Shop is down: no answer', 'Still open: Shop is down: no answer'])
  })

  it('gets one reminder at most while its push service is down', async () => {
    await subscribe()
    service.answer((response) => void response.writeHead(503).end())
    await alerts.open()
    for (let round = 0; round < 3; round += 1) {
      await alerts.deliver()
      backend.clock.advance(600_000)
      await backend.jobs.notifyOverdue()
    }
    expect(await waiting()).toHaveLength(1)
  })

  it('gets a notification later whose push service was down, and its fault is shown until then', async () => {
    const { endpoint } = await subscribe()
    service.answer((response) => void response.writeHead(503).end(`no room at ${endpoint}`))
    await alerts.open()
    await alerts.deliver()
    const [{ last_error: fault }] = await list()
    expect(fault).toMatchObject({ code: 'refused', attempts: 1, message: 'the service answered 503' })
    service.answer((response) => void response.writeHead(201).end())
    backend.clock.advance(60_000)
    await alerts.deliver()
    expect(titles(endpoint)).toEqual(['Shop is down: no answer', 'Shop is down: no answer'])
    expect((await list())[0].last_error).toBeNull()
  })

  it.each([404, 410])('that has unsubscribed (%i) is removed with what waits for it', async (status) => {
    await subscribe()
    service.answer((response) => void response.writeHead(status).end())
    await alerts.open()
    await alerts.open()
    await alerts.deliver()
    expect([await list(), await waiting()]).toEqual([[], []])
  })

  it('is given up after a day', async () => {
    await subscribe()
    service.answer((response) => void response.writeHead(500).end())
    await alerts.open()
    for (let hour = 0; hour < 26; hour += 1) {
      await alerts.deliver()
      backend.clock.advance(3_600_000)
    }
    await alerts.deliver()
    expect(await waiting()).toEqual([])
  })

  it('at a private address gets nothing while those are not allowed', async () => {
    const strict = await startTestBackend()
    const own = await strict.organization()
    const as = await strict.member(own, 'owner')
    const subscription = service.subscribe()
    const { body } = await strict.call('POST', '/v1/push-subscriptions', { as, body: subscription })
    const tested = await strict.call('POST', `/v1/push-subscriptions/${body.id}/test`, { as })
    expect(tested.body).toMatchObject({ delivered: false, error: { code: 'blocked' } })
    expect(service.received).toEqual([])
    await strict.close()
  })

  it('shows long texts up to their bound', async () => {
    await subscribe()
    await alerts.open({ summary: '"🐢'.repeat(700), target_name: '\\é'.repeat(500) })
    await alerts.deliver()
    const [{ message } = { message: {} }] = service.received as { message: Record<string, string> }[]
    expect(message['title']).toHaveLength(200)
    expect(Buffer.byteLength(message['body'] ?? '')).toBeLessThanOrEqual(800)
  })
})

describe('a test', () => {
  it('is sent at once, and says what the push service answered', async () => {
    const { id, endpoint } = await subscribe()
    const test = () => backend.call('POST', `/v1/push-subscriptions/${id}/test`, { as: person })
    expect((await test()).body).toEqual({ delivered: true, status_code: 201, answer: null, error: null })
    expect(titles(endpoint)).toEqual(['Test of the notifications'])
    service.answer((response) => void response.writeHead(403).end('another key'))
    const refused = {
      delivered: false,
      status_code: 403,
      error: { code: 'refused', message: 'the service answered 403' },
    }
    expect((await test()).body).toMatchObject(refused)
    expect((await list())[0].last_error).toMatchObject({ message: refused.error.message })
    service.answer((response) => void response.writeHead(410).end())
    expect((await test()).body).toMatchObject({ delivered: false, error: { message: 'the browser has unsubscribed' } })
    expect(await list()).toEqual([])
  })
})

describe('a subscription', () => {
  it('is stored once for an endpoint, and goes to who turned it on last', async () => {
    const { endpoint, keys } = await subscribe()
    await post(person, { endpoint, keys })
    expect(await list()).toHaveLength(1)
    const other = await backend.member(organization, 'member')
    await post(other, { endpoint, keys })
    expect([await list(), (await list(other)).length]).toEqual([[], 1])
  })

  it('ends when its session is ended, and when the password is changed; other browsers stay', async () => {
    const { email } = await backend.pool.db
      .selectFrom('app_user')
      .select('email')
      .where('id', '=', person.userId ?? '')
      .executeTakeFirstOrThrow()
    const signIn = async () => {
      const body = { email, password: 'a long and rare passphrase' }
      return { authorization: `Bearer ${(await backend.call('POST', '/v1/auth/login', { body })).body.token}` }
    }
    const phone = await signIn()
    const lost = await subscribe(phone)
    const own = await subscribe()
    await backend.call('POST', '/v1/auth/logout', { as: phone })
    expect((await list()).map(({ id }: { id: string }) => id)).toEqual([own.id])
    expect(lost.id).not.toBe(own.id)
    const passwords = { current_password: 'a long and rare passphrase', new_password: 'another long and rare passphrase' }
    const { body } = await backend.call('POST', '/v1/auth/password', { as: person, body: passwords })
    expect(await list({ authorization: `Bearer ${body.token}` })).toEqual([])
  })

  it('stays when its session expires, and ends with the next that ends all sessions', async () => {
    await subscribe()
    backend.clock.advance(13 * 3_600_000)
    await backend.jobs.deleteExpired()
    await alerts.open()
    await alerts.deliver()
    expect(service.received).toHaveLength(1)
  })

  it('is refused beyond 20 browsers of a user', async () => {
    for (let count = 0; count < 20; count += 1) await subscribe()
    const { status, body } = await post(person, service.subscribe())
    expect([status, body.error.code, body.error.message]).toEqual([
      409,
      'conflict',
      'You have 20 browsers with notifications, the most there may be. Remove one first.',
    ])
    const [{ id }] = await list()
    expect((await backend.call('DELETE', `/v1/push-subscriptions/${id}`, { as: person })).status).toBe(204)
    expect((await post(person, service.subscribe())).status).toBe(201)
  })

  it.each([
    ['endpoint', { endpoint: 'http://127.0.0.1/' }],
    ['endpoint', { endpoint: 'https://' }],
    ['endpoint', { endpoint: `https://example.com/${'a'.repeat(2_048)}` }],
    ['keys.p256dh', { keys: { p256dh: 'A'.repeat(87), auth: 'A'.repeat(22) } }],
    ['keys.p256dh', { keys: { p256dh: 'A', auth: 'A'.repeat(22) } }],
  ])('names a wrong %s', async (path, own) => {
    const { status, body } = await post(person, { ...service.subscribe(), ...own })
    expect([status, body.error.details[0].path]).toEqual([400, path])
  })

  it('of another user is not found', async () => {
    const { id } = await subscribe()
    const as = await backend.member(organization, 'owner')
    for (const [method, path] of [
      ['DELETE', id],
      ['POST', `${id}/test`],
      ['DELETE', encodeId('pushSubscription', randomUUID())],
    ] as const)
      expect((await backend.call(method, `/v1/push-subscriptions/${path}`, { as })).status).toBe(404)
  })
})
