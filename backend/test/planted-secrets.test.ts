import { createECDH, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CHANNEL_TYPES, type ChannelField } from '@vedette/shared'
import { secretFields } from '@vedette/shared/secret-fields'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { exportInstallation } from '../src/operating/archive/export.ts'
import { readFrames } from '../src/operating/archive/frames.ts'
import { actionEncrypter, actionUrl } from '../src/notifying/notifications/index.ts'
import { createSecrets } from '../src/platform/crypto/installation-secrets.ts'
import { encodeId, newId } from '../src/platform/ids.ts'
import { createAlertFixture, LOCAL_TARGETS } from './alert-fixture.ts'
import { type Description, publishedRoutes } from './fuzz/published-routes.ts'
import { createMinimalBody } from './fuzz/minimal-body.ts'
import { type Credentials, PASSWORD, startTestBackend, TEST_SECRET, type TestBackend, type TestOrganization } from './harness.ts'
import { createPathResources, pathWith } from './path-resources.ts'
import { queuedToken } from './queued-mail.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { startTestSmtp, type TestSmtp } from './smtp.ts'

/** Each secret is unlike any other text, so that a search finds it wherever it stands. */
const unlike = () => randomBytes(18).toString('hex')
const SMTP_PASSWORD = unlike()
const METRICS_TOKEN = unlike()
const SINK_PASSWORD = unlike()
const HEADERS = 18

let backend: TestBackend
let receiver: Receiver
let smtp: TestSmtp
let organization: TestOrganization
let owner: Credentials & { userId: string }
let viewer: Credentials & { userId: string }
const lines: string[] = []
/** By what each is; what its owner may read, by the path where it is. */
const planted = new Map<string, string>()
const readable = new Map<string, RegExp>()

const write = (facts: object, message: string) => {
  const whole = (_name: string, value: unknown) =>
    value instanceof Error ? Object.assign({ text: `${value.message} ${value.stack}`, cause: value.cause }, value) : value
  lines.push(`${message} ${JSON.stringify(facts, whole)}`)
}
const plant = (what: string, value = unlike(), readableAt?: RegExp): string => {
  planted.set(what, value)
  if (readableAt) readable.set(what, readableAt)
  return value
}
const send = async (method: string, path: string, body?: unknown, as: Credentials = owner) => {
  const answer = await backend.call(method, path, { as, body })
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

beforeAll(async () => {
  receiver = await startReceiver()
  smtp = await startTestSmtp({ onAuth: (_credentials, _session, done) => done(null, { user: 'user' }) })
  backend = await startTestBackend({
    environment: {
      ...LOCAL_TARGETS,
      VEDETTE_SMTP_URL: `smtp://user:${SMTP_PASSWORD}@127.0.0.1:${smtp.port}?from=a@example.com`,
      VEDETTE_METRICS_TOKEN: METRICS_TOKEN,
      VEDETTE_SECURITY_LOG_URL: `http://user:${SINK_PASSWORD}@127.0.0.1:1/`,
    },
    log: { debug: write, info: write, warn: write, error: write },
  })
  organization = await backend.organization()
  owner = await backend.member(organization, 'owner')
  viewer = await backend.member(organization, 'viewer')
  plant('secret of the installation', TEST_SECRET)
  plant('password of the mail server', SMTP_PASSWORD)
  plant('token of the metrics', METRICS_TOKEN)
  plant('password of the security log', SINK_PASSWORD)
  await plantCredentials()
  await plantChannels()
  await plantMonitors()
})
afterAll(async () => {
  await backend.close()
  await receiver.close()
  await smtp.close()
})

async function plantCredentials(): Promise<void> {
  plant('session of the owner', owner.authorization?.slice(7))
  plant('session of the viewer', viewer.authorization?.slice(7))
  const { secret, recovery_codes: codes } = await send('POST', '/v1/auth/totp', {}, viewer)
  plant('secret of a second factor', secret)
  for (const [index, code] of (codes as string[]).entries()) plant(`recovery code ${index}`, code)
  for (const scope of ['read', 'write', 'admin', 'agent'] as const)
    plant(`key of scope ${scope}`, (await backend.apiKey(organization, scope))['x-api-key'])
  for (const index of [0, 1]) {
    const { authorization } = (await backend.server(organization)).as
    plant(`token of server ${index}`, authorization?.slice(7))
  }
  plant('token of a probe', (await backend.probe())['x-api-key'])
  plant('password of both', PASSWORD)
  const body = { email: 'guest@example.com', role: 'viewer' }
  const { id } = await send('POST', `/v1/organizations/${organization.id}/members/invite`, body)
  plant('token of an invitation', await queuedToken(backend, id))
  const ids = { organizationId: newId(), userId: newId(), channelId: newId(), incidentId: newId() }
  const link = new URL(actionUrl(actionEncrypter(createSecrets([TEST_SECRET])), 'http://127.0.0.1', ids, backend.clock.now()))
  plant('token of an action link', link.searchParams.get('token') ?? '')
  expect((await backend.call('GET', link.pathname + link.search)).status).toBe(404)
  const followed = plant('address of a followed calendar')
  const schedule = await send('POST', '/v1/schedules', { name: 'x', ical_url: `https://127.0.0.1:1/${followed}.ics` })
  const calendar = await send('POST', `/v1/schedules/${schedule.id}/calendar`)
  plant('token of a calendar', new URL(calendar.calendar_url).pathname.split('/').at(-1))
  expect((await backend.call('GET', new URL(calendar.calendar_url).pathname)).status).toBe(200)
  const enrollment = { uses: 1 }
  const page = await send('POST', '/v1/status-pages', { name: 'x', slug: 'planted', title: 'x', published: true })
  const subscriber = { type: 'webhook', url: 'https://127.0.0.1:1/' }
  plant('secret of a subscriber', (await send('POST', `/v1/status-pages/${page.id}/subscribers`, subscriber)).secret)
  plant('token of an alert source', (await send('POST', '/v1/alert-sources', { name: 'x', type: 'generic' })).token)
  plant('token of an enrollment', (await send('POST', '/v1/enrollment-tokens', enrollment)).token)
  plant('token of a verification', await mailedToken('verify-email', () => send('POST', '/v1/auth/email/verification')))
  const { email } = await send('GET', '/v1/auth/me')
  plant('token of a reset', await mailedToken('password-reset', () => send('POST', '/v1/auth/password-reset', { email })))
  const { headers } = await backend.call('POST', '/v1/auth/login', { body: { email, password: PASSWORD, remember: true } })
  const cookie = /^vedette_refresh=([^;]+)/.exec(String(headers['set-cookie']))?.[1] ?? ''
  plant('cookie of a session', cookie)
  const endpoint = `https://127.0.0.1:1/${plant('endpoint of a browser')}`
  const keys = {
    p256dh: createECDH('prime256v1').generateKeys('base64url'),
    auth: plant('secret of a browser', randomBytes(16).toString('base64url')),
  }
  const { id: browser } = await send('POST', '/v1/push-subscriptions', { endpoint, keys })
  expect(await send('POST', `/v1/push-subscriptions/${browser}/test`)).toMatchObject({ delivered: false })
  const refresh = { cookie: `vedette_refresh=${cookie}`, 'x-requested-with': 'vedette' }
  expect((await backend.call('POST', '/v1/auth/refresh', { headers: refresh })).status).toBe(200)
  const provider = { name: 'x', issuer: 'https://127.0.0.1:1', client_id: 'x', email_domains: ['example.com'] }
  const created = { ...provider, client_secret: plant('client secret of an identity provider') }
  const { id: madeProvider } = await send('POST', '/v1/identity-providers', created)
  const replaced = { client_secret: plant('replaced client secret of an identity provider') }
  await send('PATCH', `/v1/identity-providers/${madeProvider}`, replaced)
  const chat = { code: plant('code of a chat') }
  expect((await backend.call('POST', '/v1/chat-accounts', { as: owner, body: chat })).status).toBe(400)
  const setUp = { code: plant('code of the set-up'), email: 'b@example.com', password: PASSWORD, organization: 'B' }
  expect((await backend.call('POST', '/v1/auth/setup', { body: setUp })).status).toBeGreaterThanOrEqual(400)
  const url = `https://user:${plant('password in a refused URL')}@example.com/`
  expect((await backend.call('POST', '/v1/monitors', { as: owner, body: { name: 'refused', url } })).status).toBe(400)
}

/** The token in the link to this page, in the mail that the request sends. */
async function mailedToken(page: string, request: () => Promise<unknown>): Promise<string> {
  const find = () => smtp.mails.map(({ text }) => new RegExp(`/${page}#token=([\\w-]+)`).exec(text)?.[1]).find(Boolean)
  await request()
  await backend.jobs.sendMails()
  await backend.jobs.sendResets()
  return find() ?? ''
}

/** Every secret field of every channel type that the contract has, in channels that all fail, and repeat what they got. */
async function plantChannels(): Promise<void> {
  const alerts = await createAlertFixture(backend, organization, owner)
  receiver.answer((response, { path, headers, body }) => {
    response.writeHead(403).end(`${path} ${headers.authorization ?? ''} ${String(headers['x-gotify-key'])} ${body}`)
  })
  const OPEN: Record<string, string> = {
    to: 'ada@example.com',
    region: 'us',
    message_thread_id: '7',
    room_id: '!a:example.com',
    public_key: 'a'.repeat(64),
    account_sid: `AC${'0'.repeat(32)}`,
    topic_arn: 'arn:aws:sns:eu-central-1:123456789012:a',
    method: 'POST',
    content_type: 'application/json',
    body_template: '{{ title | json }}',
  }
  for (const [type, { fields }] of Object.entries(CHANNEL_TYPES)) {
    // These would leave this machine.
    const isRemote = ['telegram', 'pagerduty', 'pushover', 'twilio_sms', 'twilio_voice', 'sns', 'opsgenie'].includes(type)
    const config: Record<string, string> = {}
    for (const [name, field] of Object.entries(fields as Record<string, ChannelField>)) {
      if (name === 'events') continue
      const what = `${name} of a ${type}`
      if (name === 'url' && (field.isSecret || field.isCapability)) {
        const readableAt = field.isSecret ? undefined : /^\/v1\/channels/
        config[name] = `${receiver.url}/${plant(what, undefined, readableAt)}`
      } else if (name === 'secret') config[name] = `whsec_${plant(what, randomBytes(32).toString('base64'))}`
      else if (field.isSecret) config[name] = plant(what)
      else if (field.isCapability) config[name] = plant(what, undefined, /^\/v1\/channels/)
      else config[name] = name === 'url' ? receiver.url : (OPEN[name] ?? 'a')
    }
    if (isRemote) await send('POST', '/v1/channels', { name: type, type, config })
    else {
      const { id } = await alerts.channel(type, config)
      if (type !== 'email') await send('POST', `/v1/channels/${id}/test`)
    }
  }
  await alerts.open()
  await alerts.deliver()
}

async function plantMonitors(): Promise<void> {
  const at = /^\/v1\/monitors\//
  const headers = Array.from({ length: HEADERS }, (_, index) => [`X-${index}`, plant(`header ${index}`, undefined, at)])
  for (const [index, method] of (['POST', 'PUT', 'PATCH'] as const).entries()) {
    const body = `password=${plant(`body of a monitor ${index}`, undefined, at)}`
    const own = { name: method, url: 'https://example.com/', method, body, headers: Object.fromEntries(headers) }
    const { id } = await send('POST', '/v1/monitors', own)
    await send('PATCH', `/v1/monitors/${id}`, { name: `${method} again`, body: '•••' })
    await send('POST', `/v1/monitors/${id}/pause`)
  }
  const credentials = { token: plant('token of a heartbeat', undefined, at) }
  const options = { schedule: { period_seconds: 300, grace_seconds: 60 } }
  await send('POST', '/v1/monitors', { name: 'job', type: 'heartbeat', url: 'heartbeat://', options, credentials })
  await backend.call('POST', `/ping/${credentials.token}/fail`, { body: `to /ping/${credentials.token}` })
  await send('PUT', '/v1/ping-key', { ping_key: plant('ping key', undefined, /^\/v1\/ping-key/) })
}

/** What is found of the secrets in a text; `path` is where the owner may read some. */
const found = (text: string, path = '', isOwner = false): string[] =>
  [...planted].flatMap(([what, value]) => (text.includes(value) && !(isOwner && readable.get(what)?.test(path)) ? [what] : []))

/** Stored in plain text: who changes the channel sees them. */
const IN_PLAIN_TEXT = /^(url of a webhook|topic of a ntfy)$/

/** All paths of GETs with ids of what is there. */
async function readablePaths(as: Credentials): Promise<string[]> {
  const description = backend.vedette.app.swagger() as unknown as Description
  const routes = publishedRoutes(description).filter(({ method }) => method === 'GET')
  const things = createPathResources(
    backend,
    publishedRoutes(description),
    createMinimalBody(description, () => backend.clock.now()),
  )
  const lists = await Promise.all(
    ['channels', 'monitors'].map(async (noun) => [noun, (await send('GET', `/v1/${noun}?limit=100`))[noun]] as const),
  )
  const own = lists.flatMap(([noun, all]) => (all as { id: string }[]).map(({ id }) => `/v1/${noun}/${id}`))
  const paths = await Promise.all(
    routes
      .filter(({ path }) => path !== '/v1/events')
      .map(async ({ path }) => pathWith(path, path.includes('{') ? await things.chain(path, organization, as) : {})),
  )
  return [...new Set([...paths, ...own])]
}

/** What stands for a secret field of the contract; those of channels are planted by their names. */
const PLANTED_AS: Record<string, string> = {
  'AlertSource.token': 'token of an alert source',
  'AcceptInvitationBody.token': 'token of an invitation',
  'ConnectChatAccountBody.code': 'code of a chat',
  'CreateIdentityProviderBody.client_secret': 'client secret of an identity provider',
  'CreatedSubscriber.secret': 'secret of a subscriber',
  'NewApiKey.key': 'key of scope read',
  'NewEnrollmentToken.token': 'token of an enrollment',
  'NewInvitation.accept_url': 'token of an invitation',
  'ReadInvitationBody.token': 'token of an invitation',
  'PasswordResetConfirmBody.token': 'token of a reset',
  'PatchIdentityProviderBody.client_secret': 'replaced client secret of an identity provider',
  'PushSubscriptionBody.endpoint': 'endpoint of a browser',
  'PushSubscriptionBody.keys.auth': 'secret of a browser',
  'RegeneratedToken.token': 'token of server 0',
  'Registration.token': 'token of server 1',
  'Session.token': 'session of the owner',
  'SetupBody.code': 'code of the set-up',
  'TotpBody.code': 'recovery code 0',
  'TotpSetup.otpauth_url': 'secret of a second factor',
  'TotpSetup.recovery_codes': 'recovery code 0',
  'TotpSetup.secret': 'secret of a second factor',
  'VerifyEmailBody.token': 'token of a verification',
}
const PLANTED_BY_NAME: Record<string, string> = {
  credentials: 'token of a heartbeat',
  ping_key: 'ping key',
  ping_url: 'token of a heartbeat',
  calendar_url: 'token of a calendar',
  ical_url: 'address of a followed calendar',
  body: 'body of a monitor 0',
  headers: 'header 0',
  password: 'password of both',
  current_password: 'password of both',
  new_password: 'password of both',
  totp_code: 'recovery code 0',
}

it('plants at least 60 secrets, one for every secret field of the contract', () => {
  const isPlanted = (field: string) => {
    const [schema, name] = [field.split('.')[0] as string, field.split('.').at(-1) as string]
    if (schema.startsWith('ChannelConfig')) return [...planted.keys()].some((what) => what.startsWith(`${name} of a `))
    return planted.has(PLANTED_AS[field] ?? PLANTED_BY_NAME[name] ?? '')
  }
  expect(secretFields().length).toBeGreaterThan(50)
  expect(secretFields().filter((field) => !isPlanted(field))).toEqual([])
  expect(planted.size).toBeGreaterThanOrEqual(60)
  expect(new Set(planted.values()).size).toBe(planted.size)
})

it.each(['owner', 'viewer'] as const)(
  'no answer to a GET of the %s has a secret, except what its owner may read',
  async (role) => {
    const as = role === 'owner' ? owner : viewer
    const leaks: Record<string, string[]> = {}
    let answered = 0
    for (const path of await readablePaths(as)) {
      const { userId: _userId, ...headers } = as
      const { statusCode, body } = await backend.vedette.app.inject({ method: 'GET', url: path, headers })
      if (statusCode === 200) answered += 1
      const secrets = found(body, path, role === 'owner')
      if (secrets.length > 0) leaks[path] = secrets
    }
    expect(leaks).toEqual({})
    expect(answered).toBeGreaterThan(40)
  },
)

it('no error repeats a secret of its request', async () => {
  for (const [index, value] of [...planted.values()].entries()) {
    const config = { url: value, secret: value, token: value, bot_token: value, topic: 7 }
    const requests = {
      '/v1/channels': { name: '', type: 'webhook', config },
      '/v1/monitors': { name: '', url: value, method: 'GET', body: value, headers: { 'X-A': value, 'not a name': value } },
      '/v1/auth/login': { email: 'ada@example.com', password: value, code: value, totp: value },
      '/v1/auth/password': { current_password: value, new_password: value, code: value },
    }
    for (const [path, body] of Object.entries(requests)) {
      const answer = await backend.call('POST', path, { as: owner, body, ip: `192.0.2.${index % 250}` })
      expect([path, index, answer.status >= 400, JSON.stringify(answer.body).includes(value)]).toEqual([path, index, true, false])
    }
  }
})

it('neither events, sent mails nor the messages of channels have one', async () => {
  const first = await backend.pool.db.selectFrom('live_event').select('id').orderBy('id').limit(1).executeTakeFirstOrThrow()
  const { events } = await send('GET', `/v1/events?after=${encodeId('event', first.id)}`)
  await backend.jobs.sendMails()
  const mails = smtp.mails.map(({ raw, text }) => `${raw}\n${text}`)
  const messages = receiver.received.map(({ body }) => body)
  expect([events.length > 2, mails.length, messages.length > 10]).toEqual([true, 6, true])
  // By design: the links that mails are sent for, and the topic that a message to ntfy names.
  const isMeant = (what: string) => /^(token of (an invitation|a verification|a reset)|topic of a ntfy)$/.test(what)
  expect({
    events: found(JSON.stringify(events)),
    mails: found(mails.join('\n')).filter((what) => !isMeant(what)),
    messages: found(messages.join('\n')).filter((what) => !isMeant(what)),
  }).toEqual({ events: [], mails: [], messages: [] })
})

it.each(['all organizations', 'one organization'])(
  'an export of %s has none, except what is stored in plain text',
  async (which) => {
    const { rows } = await backend.pool.pg.query<{ number: number; id: string; name: string }>(
      'select number, id, name from organization',
    )
    const only = which === 'one organization' ? rows.find(({ number }) => number === organization.number) : undefined
    const folder = mkdtempSync(join(tmpdir(), 'vedette-export-'))
    const file = join(folder, 'all.vedette')
    await exportInstallation(
      { pool: backend.pool, clock: backend.clock, version: '0.1.0', reportProgress: () => undefined },
      file,
      only,
    )
    const parts: Buffer[] = []
    for await (const frame of readFrames(file)) if (frame.kind === 'rows') parts.push(frame.tuples())
    rmSync(folder, { recursive: true })
    const text = Buffer.concat(parts).toString('latin1')
    expect(text).toContain('ada@example.com')
    expect(found(text).filter((what) => !IN_PLAIN_TEXT.test(what))).toEqual([])
  },
)

it('neither metrics, the description, logs nor the database have one', async () => {
  const authorization = `Bearer ${METRICS_TOKEN}`
  const { body: metrics } = await backend.vedette.app.inject({ method: 'GET', url: '/metrics', headers: { authorization } })
  const { body: description } = await backend.vedette.app.inject({ method: 'GET', url: '/openapi.json' })
  await backend.vedette.drain()
  expect(lines.length).toBeGreaterThan(0)
  expect({ metrics: found(metrics), description: found(description), logs: found(lines.join('\n')) }).toEqual({
    metrics: [],
    description: [],
    logs: [],
  })
  const { rows } = await backend.pool.pg.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`,
  )
  const leaks: Record<string, string[]> = {}
  for (const { name } of rows) {
    const { rows: texts } = await backend.pool.pg.query<{ line: string }>(`select t::text as line from "${name}" as t`)
    const secrets = found(texts.map(({ line }) => line).join('\n')).filter((what) => !IN_PLAIN_TEXT.test(what))
    if (secrets.length > 0) leaks[name] = secrets
  }
  expect(leaks).toEqual({})
})
