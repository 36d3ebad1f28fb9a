import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { LOCAL_TARGETS } from '../../../../test/alert-fixture.ts'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { type Receiver, startReceiver } from '../../../../test/receiver.ts'
import { encodeId } from '../../../platform/ids.ts'

let backend: TestBackend
let organization: TestOrganization
let receiver: Receiver
let owner: Credentials
let ada: Credentials & { userId: string }
beforeAll(async () => {
  receiver = await startReceiver()
  backend = await startTestBackend({ environment: LOCAL_TARGETS })
  organization = await backend.organization()
  owner = await backend.member(organization, 'owner')
})
beforeEach(async () => {
  ada = await backend.member(organization, 'viewer')
})
afterAll(async () => {
  await backend.close()
  await receiver.close()
})

const call = (method: string, path = '', body?: unknown, as: Credentials = ada) =>
  backend.call(method, `/v1/contact-methods${path}`, { as, body })
const ntfy = (own: object = {}) => ({ type: 'ntfy', config: { url: receiver.url, topic: 'ada', token: 'tk_1234', ...own } })
const verify = () =>
  backend.pool.db
    .updateTable('app_user')
    .set({ email_verified_at: new Date(backend.clock.now()) })
    .where('id', '=', ada.userId)
    .execute()

describe('contact methods', () => {
  it('are those of the caller alone, with masked secrets', async () => {
    const { status, body } = await call('POST', '', ntfy())
    expect(status).toBe(201)
    expect(body).toMatchObject({ type: 'ntfy', config: { topic: 'ada', token: '•••' }, last_error: null, last_test: null })
    expect((await call('GET')).body).toMatchObject({ contact_methods: [body], total: 1 })
    expect((await call('GET', '', undefined, owner)).body.total).toBe(0)
    for (const [method, path] of [
      ['DELETE', `/${body.id}`],
      ['POST', `/${body.id}/test`],
    ] as const)
      expect((await call(method, path, undefined, owner)).status).toBe(404)
    const elsewhere = await backend.organization()
    expect((await call('GET', '', undefined, await backend.member(elsewhere, 'owner'))).body.total).toBe(0)
    expect((await call('DELETE', `/${body.id}`)).status).toBe(204)
    expect((await call('GET')).body.total).toBe(0)
  })

  it('show nothing of what a service answers, and follow no redirect to another origin', async () => {
    const other = await startReceiver()
    try {
      const { id } = (await call('POST', '', ntfy())).body
      const test = async () => (await call('POST', `/${id}/test`)).body
      const secret = 'what an inner service says'
      receiver.answer((response) => void response.writeHead(200).end(secret))
      expect(await test()).toEqual({ delivered: true, status_code: 200, answer: null, error: null })
      receiver.answer((response) => void response.writeHead(400).end(secret))
      const refused = { code: 'refused', message: 'the service answered 400' }
      expect(await test()).toEqual({ delivered: false, status_code: 400, answer: null, error: refused })
      expect(JSON.stringify((await call('GET')).body)).not.toContain(secret)
      for (const status of [307, 308]) {
        receiver.answer((response) => void response.writeHead(status, { location: `${other.url}/inside` }).end())
        expect((await test()).error).toEqual({ code: 'blocked', message: 'the redirect leads to another origin' })
      }
      expect(other.received).toEqual([])
    } finally {
      receiver.answer((response) => void response.writeHead(204).end())
      await other.close()
    }
  })

  it('are no channels of the organization', async () => {
    const { id } = (await call('POST', '', ntfy())).body
    const channels = await backend.call('GET', '/v1/channels?limit=100', { as: owner })
    expect(channels.body.channels.map((channel: { id: string }) => channel.id)).not.toContain(id)
    for (const [method, path, body] of [
      ['GET', `/v1/channels/${id}`],
      ['PATCH', `/v1/channels/${id}`, { name: 'x' }],
      ['DELETE', `/v1/channels/${id}`],
      ['POST', `/v1/channels/${id}/test`],
    ] as const)
      expect((await backend.call(method, path, { as: owner, body })).status).toBe(404)
    const condition = { metric: 'status', operator: 'equals', value: 'down' }
    const rule = { name: 'rule', target: { type: 'monitor' }, condition, channel_ids: [id] }
    const { status, body } = await backend.call('POST', '/v1/alert-rules', { as: owner, body: rule })
    expect([status, body.error.details]).toEqual([
      400,
      [{ path: 'channel_ids.0', message: 'is not a channel of this organization' }],
    ])
  })

  it('are at most 10, of which one is the verified e-mail of the account', async () => {
    const unverified = await call('POST', '', { type: 'email' })
    expect([unverified.status, unverified.body.error.message]).toEqual([409, 'Your e-mail is not verified. Verify it first.'])
    await verify()
    const { email } = (await backend.call('GET', '/v1/auth/me', { as: ada })).body
    expect((await call('POST', '', { type: 'email' })).body.config).toEqual({ to: email })
    expect((await call('POST', '', { type: 'email' })).body.error.message).toBe('Your e-mail is a contact method already.')
    expect((await call('POST', '', { type: 'email', config: { to: 'eve@example.com' } })).body.error.details).toEqual([
      { path: 'config', message: 'must be empty: messages go to the e-mail of your account' },
    ])
    for (let index = 0; index < 9; index += 1) expect((await call('POST', '', ntfy())).status).toBe(201)
    expect((await call('POST', '', ntfy())).body.error.message).toBe(
      'You have 10 contact methods, the most there may be. Remove one first.',
    )
  })

  it.each([
    [{ type: 'slack', config: { url: 'https://hooks.slack.com/x' } }, 'type'],
    [{ type: 'telegram', config: { bot_token: '1:a' } }, 'config.chat_id'],
    [{ type: 'ntfy', config: { url: 'ftp://127.0.0.1/', topic: 'ada' } }, 'config.url'],
    [{ type: 'pushover', config: { user_key: 'u', app_token: 'a', topic: 'x' } }, 'config.topic'],
  ])('refuse %j and name the field', async (body, path) => {
    const answer = await call('POST', '', body)
    expect([answer.status, answer.body.error.details[0].path]).toEqual([400, path])
  })

  it('are tested: the message arrives, and the result stays with the method', async () => {
    const { id } = (await call('POST', '', ntfy())).body
    expect((await call('POST', `/${id}/test`)).body).toMatchObject({ delivered: true, error: null })
    expect(receiver.received.at(-1)?.headers['authorization']).toBe('Bearer tk_1234')
    expect((await call('GET')).body.contact_methods[0].last_test).toMatchObject({ delivered: true })
    const gone = (await call('POST', '', ntfy({ url: 'http://127.0.0.1:1' }))).body
    expect((await call('POST', `/${gone.id}/test`)).body).toMatchObject({ delivered: false, error: { code: 'connect' } })
    expect((await call('GET')).body.contact_methods[0].last_error).toMatchObject({ code: 'connect', attempts: 1 })
  })

  it('end with the membership', async () => {
    await call('POST', '', ntfy())
    const path = `/v1/organizations/${organization.id}/members/${encodeId('user', ada.userId)}`
    expect((await backend.call('DELETE', path, { as: owner })).status).toBe(204)
    const left = await backend.pool.db.selectFrom('channel').select('id').where('user_id', '=', ada.userId).execute()
    expect(left).toEqual([])
  })
})

describe('quiet time', () => {
  const quiet = { time_zone: 'Europe/Berlin', from: '22:00', to: '07:00', critical_passes: true }
  const patch = (quietTime: object | null) =>
    backend.call('PATCH', `/v1/organizations/${organization.id}/membership`, { as: ada, body: { quiet_time: quietTime } })

  it('are kept with the membership until they are removed', async () => {
    expect((await patch(quiet)).body.quiet_time).toEqual(quiet)
    expect((await backend.call('GET', '/v1/auth/me', { as: ada })).body.organizations[0].quiet_time).toEqual(quiet)
    expect((await patch(null)).body.quiet_time).toBeNull()
  })

  it.each([
    [{ ...quiet, time_zone: 'Berlin' }, 'quiet_time.time_zone', 'must be a time zone, for example Europe/Berlin'],
    [{ ...quiet, to: '22:00' }, 'quiet_time.to', 'must not be equal to from'],
    [{ ...quiet, from: '24:00' }, 'quiet_time.from', expect.any(String)],
  ])('refuse %j', async (body, path, message) => {
    const answer = await patch(body)
    expect([answer.status, answer.body.error.details[0]]).toEqual([400, { path, message }])
  })
})
