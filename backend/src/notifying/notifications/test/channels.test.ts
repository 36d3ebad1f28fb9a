import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Credentials,
  startTestBackend,
  TEST_SECRET,
  type TestBackend,
  type TestOrganization,
} from '../../../../test/harness.ts'
import { parseId } from '../../../platform/ids.ts'
import { createSecrets } from '../../../platform/crypto/installation-secrets.ts'
import { channelEncrypter } from '../channels/encrypter.ts'

const UNKNOWN = '01h455vb4pex5vsknk084sn02q'
const url = 'https://hooks.example.com/vedette'

let backend: TestBackend
let organization: TestOrganization
let admin: Credentials
beforeAll(async () => {
  backend = await startTestBackend()
  organization = await backend.organization()
  admin = await backend.member(organization, 'admin')
})
afterAll(() => backend.close())

const call = (method: string, path: string, body?: unknown, as = admin, headers = {}) =>
  backend.call(method, `/v1/channels${path}`, { as, body, headers })
const webhook = (own: object = {}) => ({ name: 'hook', type: 'webhook', config: { url }, ...own })
const make = async (body: object = webhook(), as = admin) => {
  const answer = await call('POST', '', body, as)
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
  return answer.body
}
const uuidOf = (id: string) => parseId('channel', id) as string
const encryptedOf = (id: string) =>
  backend.pool.db.selectFrom('channel').selectAll().where('id', '=', uuidOf(id)).executeTakeFirstOrThrow()

describe('POST /v1/channels', () => {
  it('generates the secret of a webhook, returns it only once and stores it encrypted [CHANNEL-01, CHANNEL-03, CHANNEL-06]', async () => {
    const { status, body, headers } = await call('POST', '', webhook())
    expect([status, headers['location']]).toEqual([201, `/v1/channels/${body.id}`])
    expect(body).toEqual({
      id: expect.stringMatching(/^chn_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
      name: 'hook',
      type: 'webhook',
      last_error: null,
      last_test: null,
      address_confirmed: null,
      enabled: true,
      config: { url, secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) },
      managed: null,
      created_at: new Date(backend.clock.now()).toISOString(),
    })
    expect((await call('GET', `/${body.id}`)).body).toEqual({ ...body, config: { url, secret: '•••' } })
    expect((await call('GET', '')).body.channels[0].config.secret).toBe('•••')
    const row = await encryptedOf(body.id)
    expect(row.secrets_encrypted.includes(body.config.secret)).toBe(false)
    expect(JSON.stringify(row.config)).not.toContain('whsec_')
  })

  it('neither returns nor audits a secret that is given [CHANNEL-03]', async () => {
    const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
    const body = await make(webhook({ config: { url, secret } }))
    expect(body.config).toEqual({ url, secret: '•••' })
    const slack = await make({ name: 'chat', type: 'slack', config: { url: 'https://hooks.slack.example/T1/B2/xyz' } })
    expect(slack.config).toEqual({ url: '•••' })
    const audit = JSON.stringify(await backend.pool.db.selectFrom('audit_event').select('details').execute())
    expect(audit).not.toMatch(/whsec_|xyz/)
  })

  it('shows where a webhook and ntfy send to only to callers who may change channels [CHANNEL-16]', async () => {
    const own = await backend.organization('Capabilities')
    const owner = await backend.member(own, 'owner')
    const hook = await make(webhook(), owner)
    const ntfy = { url: 'https://ntfy.example.com', topic: 'unguessable' }
    const push = await make({ name: 'push', type: 'ntfy', config: ntfy }, owner)
    const urls = async (as: Credentials) => {
      const { channels } = (await call('GET', '', undefined, as)).body
      const single = (await call('GET', `/${hook.id}`, undefined, as)).body
      return [...channels.map(({ config }: { config: object }) => config), single.config]
    }
    const shown = [ntfy, { url, secret: '•••' }, { url, secret: '•••' }]
    const masked = [
      { ...ntfy, topic: '•••' },
      { url: '•••', secret: '•••' },
      { url: '•••', secret: '•••' },
    ]
    for (const as of [owner, await backend.apiKey(own, 'admin')]) expect(await urls(as)).toEqual(shown)
    for (const as of [await backend.member(own, 'viewer'), await backend.apiKey(own, 'read')])
      expect(await urls(as)).toEqual(masked)
    const { body } = await call('PATCH', `/${push.id}`, { config: { topic: '•••' } }, owner)
    expect(body.config).toEqual(ntfy)
  })

  it('does not repeat the secret: the same key again is a 409 that names the channel [IDEM-10]', async () => {
    const headers = { 'idempotency-key': 'one channel' }
    const first = await call('POST', '', webhook(), admin, headers)
    const second = await call('POST', '', webhook(), admin, headers)
    expect([second.status, second.body.error.details]).toEqual([409, [{ path: 'id', message: first.body.id }]])
  })

  it.each([
    ['name', { name: '' }],
    ['type', { type: 'fax' }],
    ['config', { config: undefined }],
    ['config.url', { config: {} }],
    ['config.url', { config: { url: 'nonsense' } }],
    ['config.token', { config: { url, token: 'a' } }],
    ['config.secret', { config: { url, secret: '•••' } }],
    ['config.colour', { config: { url, colour: 'red' } }],
    ['config.bot_token', { type: 'telegram', config: { chat_id: '1' } }],
    ['created_at', { created_at: null }],
  ])('is a 400 naming %s for %j [CHANNEL-04, WIRE-14]', async (path, own) => {
    const { status, body } = await call('POST', '', webhook(own))
    expect([status, body.error.details?.[0].path]).toEqual([400, path])
  })

  it('adds only the first channel of an organization to the rules that have none', async () => {
    const own = await backend.organization('First')
    const as = await backend.member(own, 'owner')
    const rules = async () =>
      (await backend.call('GET', '/v1/alert-rules?limit=100', { as })).body.alert_rules.map(
        ({ channel_ids }: { channel_ids: string[] }) => channel_ids.join(),
      )
    const before: string[] = await rules()
    expect(new Set(before)).toEqual(new Set(['']))
    const { id } = await make(webhook(), as)
    const withChannel = before.map(() => id)
    expect(await rules()).toEqual(withChannel)
    const condition = { metric: 'status', operator: 'equals', value: 'down' }
    const quiet = { name: 'quiet', target: { type: 'monitor' }, condition }
    expect((await backend.call('POST', '/v1/alert-rules', { as, body: quiet })).status).toBe(201)
    await make(webhook(), as)
    expect(await rules()).toEqual(['', ...withChannel])
  })
})

describe('PATCH /v1/channels/:id', () => {
  it('changes the fields that are given; a mask and an omitted field keep the secret [CHANNEL-02, CHANNEL-03]', async () => {
    const url = 'https://ntfy.example.com'
    const { id } = await make({
      name: 'push',
      type: 'ntfy',
      config: { url, topic: 'a', token: 'hidden' },
    })
    const before = (await encryptedOf(id)).secrets_encrypted
    const encrypter = channelEncrypter(createSecrets([TEST_SECRET]))
    const opened = async () => encrypter.decrypt((await encryptedOf(id)).secrets_encrypted, uuidOf(id))?.toString()
    expect(encrypter.decrypt(before, uuidOf(id))?.toString()).toBe('{"token":"hidden"}')
    const patch = async (body: object) => (await call('PATCH', `/${id}`, body)).body
    expect(await patch({ name: 'other', enabled: false })).toMatchObject({ name: 'other', enabled: false })
    expect((await patch({ config: { topic: 'b', token: '•••' } })).config).toEqual({ url, topic: 'b', token: '•••' })
    expect(await opened()).toBe('{"token":"hidden"}')
    expect((await patch({ config: { token: 'new' } })).config).toEqual({ url, topic: 'b', token: '•••' })
    expect(await opened()).toBe('{"token":"new"}')
    expect((await patch({ config: { token: null } })).config).toEqual({ url, topic: 'b' })
    expect(await opened()).toBe('{}')
    expect((await call('PATCH', `/${id}`, { config: { url: null } })).body.error.details[0].path).toBe('config.url')
  })

  it.each([
    ['ntfy', { topic: 'a' }],
    ['gotify', {}],
  ])('of a %s to another origin does not take a stored secret along, and names it [CHANNEL-13]', async (type, own) => {
    const { id } = await make({ name: 'push', type, config: { url: 'https://push.example.com', token: 'hidden', ...own } })
    for (const config of [{}, { token: '•••' }]) {
      const { status, body } = await call('PATCH', `/${id}`, { config: { url: 'https://other.example.com', ...config } })
      expect([status, body.error.details[0].path]).toEqual([400, 'config.token'])
    }
    expect((await call('GET', `/${id}`)).body.config.url).toBe('https://push.example.com')
    const sent = await call('PATCH', `/${id}`, { config: { url: 'https://other.example.com', token: 'other' } })
    expect([sent.status, sent.body.config.url]).toEqual([200, 'https://other.example.com'])
  })

  it('generates a new webhook secret for null, and returns it only once [CHANNEL-06]', async () => {
    const made = await make()
    const { body } = await call('PATCH', `/${made.id}`, { config: { secret: null } })
    expect(body.config.secret).toMatch(/^whsec_/)
    expect(body.config.secret).not.toBe(made.config.secret)
    expect((await call('PATCH', `/${made.id}`, { name: 'x' })).body.config.secret).toBe('•••')
  })
})

describe('DELETE /v1/channels/:id', () => {
  it('deletes it, and removes it from the rules that use it [CHANNEL-02, WIRE-13]', async () => {
    const [kept, gone] = [await make(), await make()]
    const condition = { metric: 'status', operator: 'equals', value: 'down' }
    const body = { name: 'rule', target: { type: 'monitor' }, condition, channel_ids: [gone.id, kept.id] }
    const rule = await backend.call('POST', '/v1/alert-rules', { as: admin, body })
    expect(rule.body.channel_ids).toEqual([gone.id, kept.id])
    expect((await call('DELETE', `/${gone.id}`)).status).toBe(204)
    expect([(await call('DELETE', `/${gone.id}`)).status, (await call('GET', `/${gone.id}`)).status]).toEqual([404, 404])
    const after = await backend.call('GET', `/v1/alert-rules/${rule.body.id}`, { as: admin })
    expect(after.body.channel_ids).toEqual([kept.id])
  })

  it('is a 404 for what is unknown, malformed or of another organization', async () => {
    const { id } = await make()
    const outsider = await backend.member(await backend.organization('Strange'), 'owner')
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? { name: 'mine' } : undefined
      for (const other of ['nonsense', `chn_${UNKNOWN}`]) expect((await call(method, `/${other}`, body)).status).toBe(404)
      expect((await call(method, `/${id}`, body, outsider)).status).toBe(404)
    }
    const condition = { metric: 'status', operator: 'equals', value: 'down' }
    const rule = { name: 'rule', target: { type: 'monitor' }, condition, channel_ids: [id] }
    const answer = await backend.call('POST', '/v1/alert-rules', { as: outsider, body: rule })
    expect([answer.status, answer.body.error.details[0].path]).toEqual([400, 'channel_ids.0'])
  })
})
