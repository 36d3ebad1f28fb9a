import { generate } from 'otplib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encryptedColumns } from '../src/platform/encrypted-values/encrypted-values.ts'
import { LOCAL_TARGETS } from './alert-fixture.ts'
import { type Credentials, PASSWORD, startTestBackend, TEST_SECRET, type TestBackend } from './harness.ts'
import { watch } from './watched-monitor.ts'
import { type BrowserSubscription, type PushService, startPushService } from './push-service.ts'

const NEWER = 'a newer secret of the tests that has more than 32 bytes'
let environment: Record<string, string> = { ...LOCAL_TARGETS, VEDETTE_SMTP_URL: 'smtp://127.0.0.1:9?from=a@example.com&tls=off' }
/** Columns of bytes that hold no encrypted values: hashes, encoded samples and the like. */
const NOT_ENCRYPTED =
  /hash|digest|fingerprint|salt|\.(?:data|block|body|request|icon|logo|sketch|header|processes|credential|credential_id|public_key)$/
/** Of a sign-in under way, for ten minutes. */
const SHORT_LIVED = 'identity_request.encrypted'

let backend: TestBackend
let pushes: PushService
beforeAll(async () => {
  pushes = await startPushService()
  environment = { ...environment, VEDETTE_PUSH_HOSTS: new URL(pushes.subscribe().endpoint).host }
  backend = await startTestBackend({ environment })
})
afterAll(async () => {
  await backend.close()
  await pushes.close()
})

describe('a rotation of VEDETTE_SECRET_KEYS', () => {
  let user: { email: string; as: Credentials; totp: string }
  let browser: BrowserSubscription & { id: string }
  let visitor: BrowserSubscription
  let page: string
  /** The path of a channel that is deleted. */
  let deleted: string
  /** The path of the checks of a monitor that keeps responses. */
  let checks: string
  const response = 'a page of the shop '.repeat(100)
  const repeated = { 'idempotency-key': 'once' }
  const monitor = { name: 'shop', url: 'http://127.0.0.1:9/', headers: { 'X-Key': 'hidden' } }

  const ok = (status: number) => expect(status).toBeLessThan(300)
  const make = async (on: TestBackend, path: string, body: unknown = {}, headers = {}) => {
    const answer = await on.call('POST', path, { as: user.as, body, headers })
    expect(answer.status, `${path}: ${JSON.stringify(answer.body)}`).toBeLessThan(300)
    return answer
  }
  const codeOf = (secret: string) => generate({ secret, epoch: Math.floor(backend.clock.now() / 1000) })

  beforeAll(async () => {
    const organization = await backend.organization()
    const owner = await backend.member(organization, 'owner')
    const { rows } = await backend.pool.pg.query('select email from app_user where id = $1', [owner.userId])
    user = { email: rows[0].email, as: owner, totp: '' }
    user.totp = (await make(backend, '/v1/auth/totp')).body.secret
    await make(backend, '/v1/auth/totp', { code: await codeOf(user.totp) })
    browser = { ...pushes.subscribe(), id: '' }
    browser.id = (await make(backend, '/v1/push-subscriptions', { endpoint: browser.endpoint, keys: browser.keys })).body.id
    await make(backend, '/v1/monitors', monitor, repeated)
    const watched = await watch(backend, owner, { options: { max_body_bytes: 4_096 } })
    await watched.bring('down', { answer: { status_line: 'HTTP/1.1 500', body: response.slice(0, 1_024), whole: response } })
    checks = `/v1/monitors/${watched.id}/checks?include=response`
    await make(backend, '/v1/channels', { name: 'chat', type: 'gotify', config: { url: 'http://127.0.0.1:9/', token: 'hidden' } })
    const chat = { name: 'deleted', type: 'gotify', config: { url: 'http://127.0.0.1:9/', token: 'hidden' } }
    deleted = `/v1/channels/${(await make(backend, '/v1/channels', chat)).body.id}`
    ok((await backend.call('DELETE', deleted, { as: user.as })).status)
    ok((await backend.call('PUT', '/v1/ping-key', { as: user.as, body: {} })).status)
    const made = await make(backend, '/v1/status-pages', { name: 'page', slug: 'page', title: 'page', published: true })
    page = `/v1/status-pages/${made.body.id}`
    const hook = { type: 'webhook', url: 'http://127.0.0.1:9/' }
    await make(backend, `${page}/subscribers`, hook)
    backend.clock.advance(5_000)
    await backend.vedette.copies.run()
    visitor = pushes.subscribe()
    const body = new URLSearchParams({ endpoint: visitor.endpoint, ...visitor.keys }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    ok((await backend.call('POST', '/status/page/subscribe/browser', { body, headers })).status)
    await make(backend, '/v1/identity-providers', {
      name: 'idp',
      kind: 'oidc',
      issuer: 'http://127.0.0.1:9/',
      client_id: 'vedette',
      client_secret: 'hidden',
      email_domains: ['example.com'],
    })
    const receiver = { kind: 'remote_write', url: 'http://127.0.0.1:9/', headers: { 'X-Key': 'hidden' } }
    await make(backend, '/v1/schedules', { name: 'x', ical_url: 'https://127.0.0.1:1/on-call.ics' })
    await make(backend, '/v1/exports', { name: 'out', ...receiver })
    await make(backend, `/v1/organizations/${organization.id}/members/invite`, { email: 'new@example.com', role: 'viewer' })
  })

  it('leaves nothing that only the older secret opens', async () => {
    for (const column of encryptedColumns()) {
      const [table = ''] = column.split('.')
      const { rows } = await backend.pool.pg.query(`select count(*)::int as count from ${table}`)
      expect(rows[0].count, `${table} has no row: the test must store one`).toBeGreaterThan(0)
    }
    const { databaseUrl, clock } = backend
    const both = await startTestBackend({ databaseUrl, clock, environment, secret: [NEWER, TEST_SECRET] })
    await both.jobs.reencrypt()
    await both.close()
    clock.advance(60_000)
    const rotated = await startTestBackend({ databaseUrl, clock, environment, secret: NEWER })
    try {
      const login = { email: user.email, password: PASSWORD, totp_code: await codeOf(user.totp) }
      const session = await rotated.call('POST', '/v1/auth/login', { body: login })
      expect([session.status, session.body.error]).toEqual([200, undefined])
      user.as = { authorization: `Bearer ${session.body.token}` }
      const test = await make(rotated, `/v1/push-subscriptions/${browser.id}/test`)
      expect(test.body).toMatchObject({ delivered: true, error: null })
      expect(pushes.received.at(-1)).toMatchObject({ endpoint: browser.endpoint })
      await make(rotated, `${page}/posts`, { type: 'incident', title: 'x', text: 'x' })
      await rotated.jobs.sendStepPushes()
      expect(pushes.received.at(-1)).toMatchObject({ endpoint: visitor.endpoint, message: { body: 'x' } })
      ok((await rotated.call('GET', '/v1/ping-key', { as: user.as })).status)
      await make(rotated, `${deleted}/restore`)
      const kept = await rotated.call('GET', checks, { as: user.as })
      expect(kept.body.checks).toMatchObject([{ response }])
    } finally {
      await rotated.close()
    }
  })

  it('changes nothing the second time', async () => {
    const { databaseUrl, clock } = backend
    const state = async () => {
      const tables = [...new Set(encryptedColumns().map((column) => column.split('.')[0] ?? ''))]
      return Promise.all(tables.map(async (table) => (await backend.pool.pg.query(`select t::text from ${table} as t`)).rows))
    }
    const before = await state()
    const both = await startTestBackend({ databaseUrl, clock, environment, secret: [NEWER, TEST_SECRET] })
    await both.jobs.reencrypt()
    await both.close()
    expect(await state()).toEqual(before)
  })
})

it('every column that looks encrypted says how it is re-encrypted', async () => {
  const { rows } = await backend.pool.pg.query(
    `select relname || '.' || attname as name from pg_attribute join pg_class on pg_class.oid = attrelid
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and atttypid = 'bytea'::regtype`,
  )
  const names = rows.map(({ name }) => name as string)
  const declared = new Set([...encryptedColumns(), SHORT_LIVED])
  expect(names.filter((name) => !declared.has(name) && !NOT_ENCRYPTED.test(name))).toEqual([])
})
