import { randomBytes } from 'node:crypto'
import { CHECK_TYPES, ROLES, SCOPES } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LOCAL_TARGETS } from '../../../../test/alert-fixture.ts'
import {
  type Credentials,
  startTestBackend,
  TEST_SECRET,
  type TestBackend,
  type TestOrganization,
} from '../../../../test/harness.ts'
import { decryptRequest } from '../../checks/index.ts'
import { createSecrets } from '../../../platform/crypto/installation-secrets.ts'
import { encodeId, parseId } from '../../../platform/ids.ts'
import { monitorEncrypter } from '../index.ts'

const MASK = '•••'

interface Example {
  type: string
  url: string
  options?: Record<string, unknown>
  /** Names of credentials. */
  credentials: string[]
}

const LOGIN = ['username', 'password']
/** One at least for every kind with credentials. */
const EXAMPLES: readonly Example[] = [
  { type: 'http', url: 'http://127.0.0.1:1/', credentials: ['bearer_token', 'client_certificate', 'client_key'] },
  {
    type: 'http',
    url: 'http://127.0.0.1:1/',
    options: { oauth2_token_url: 'http://127.0.0.1:1/token', oauth2_client_id: 'a' },
    credentials: ['oauth2_client_secret'],
  },
  { type: 'grpc', url: 'grpc://127.0.0.1:1', credentials: ['bearer_token'] },
  { type: 'websocket', url: 'ws://127.0.0.1:1/', credentials: ['bearer_token'] },
  { type: 'smtp', url: 'smtp://127.0.0.1:1', options: { tls: 'starttls' }, credentials: LOGIN },
  { type: 'imap', url: 'imap://127.0.0.1:1', options: { tls: 'starttls' }, credentials: LOGIN },
  { type: 'postgres', url: 'postgres://127.0.0.1:1/db', credentials: LOGIN },
  { type: 'mysql', url: 'mysql://127.0.0.1:1/db', credentials: LOGIN },
  { type: 'ftp', url: 'ftp://127.0.0.1:1', credentials: LOGIN },
  { type: 'mongodb', url: 'mongodb://127.0.0.1:1/db', credentials: LOGIN },
  { type: 'mqtt', url: 'mqtt://127.0.0.1:1/topic', credentials: LOGIN },
  { type: 'radius', url: 'radius://127.0.0.1:1', credentials: ['shared_secret', ...LOGIN] },
  { type: 'redis', url: 'redis://127.0.0.1:1/0', credentials: LOGIN },
  { type: 'rtsp', url: 'rtsp://127.0.0.1:1/a', credentials: LOGIN },
  { type: 'ldap', url: 'ldap://127.0.0.1:1/dc=a', credentials: LOGIN },
  { type: 'snmp', url: 'snmp://127.0.0.1:1', credentials: ['community'] },
  {
    type: 'snmp',
    url: 'snmp://127.0.0.1:1',
    options: { version: '3', security_name: 'a' },
    credentials: ['auth_password', 'priv_password'],
  },
  {
    type: 'steps',
    url: 'http://127.0.0.1:1/',
    options: { steps: [{ name: 'a', url: '/', headers: { Authorization: 'Bearer {{token}}' } }] },
    credentials: [...LOGIN, 'token'],
  },
  {
    type: 'heartbeat',
    url: 'heartbeat://',
    options: { schedule: { period_seconds: 300, grace_seconds: 60 } },
    credentials: ['token'],
  },
]

let backend: TestBackend
let organization: TestOrganization
let admin: Credentials
const planted = new Set<string>()

const PEM: Record<string, string> = { client_certificate: 'CERTIFICATE', client_key: 'PRIVATE KEY' }
function plant(name: string): string {
  const value = randomBytes(18).toString('hex')
  planted.add(value)
  return PEM[name] === undefined ? value : `-----BEGIN ${PEM[name]}-----\n${value}\n-----END ${PEM[name]}-----\n`
}
const credentialsOf = ({ credentials }: Example) => Object.fromEntries(credentials.map((name) => [name, plant(name)]))
const masksOf = ({ credentials }: Example) => Object.fromEntries(credentials.map((name) => [name, MASK]))
const bodyOf = (example: Example, name = example.type) => {
  const { type, url, options = {} } = example
  return { type, name, url, options, credentials: credentialsOf(example) }
}
const exampleOf = (type: string) => EXAMPLES.find((example) => example.type === type) as Example

const call = (method: string, path: string, body?: unknown, as = admin) =>
  backend.call(method, `/v1/monitors${path}`, { as, body })

async function create(...examples: Example[]): Promise<string[]> {
  const { status, body } = await call('POST', '/bulk', { create: examples.map((example) => bodyOf(example)) })
  expect([status, body.error]).toEqual([200, undefined])
  return body.results.map(({ id }: { id: string }) => id)
}

/** What checks send. */
async function storedIn(id: string): Promise<Record<string, string>> {
  const uuid = parseId('monitor', id) as string
  const { request_encrypted: encrypted } = await backend.pool.db
    .selectFrom('monitor')
    .select('request_encrypted')
    .where('id', '=', uuid)
    .executeTakeFirstOrThrow()
  return decryptRequest(monitorEncrypter(createSecrets([TEST_SECRET])), uuid, encrypted)?.credentials ?? {}
}

beforeAll(async () => {
  backend = await startTestBackend({ environment: LOCAL_TARGETS })
  organization = await backend.organization()
  admin = await backend.member(organization, 'admin')
})
afterAll(() => backend.close())

/** Requests of one caller about monitors with planted credentials. */
function requestsFor(ids: readonly string[]): [method: string, path: string, body?: unknown][] {
  const [first = ''] = ids
  const [postgres] = [exampleOf('postgres')]
  return [
    ['GET', '?limit=100'],
    ...ids.flatMap((id): [string, string][] =>
      ['', '/stats?period=24h', '/checks', '/transitions', '/pings'].map((path) => ['GET', `/${id}${path}`]),
    ),
    ['POST', '', bodyOf(postgres, 'created')],
    ['POST', '/test', bodyOf(postgres)],
    ['POST', '/test', { ...bodyOf(postgres), url: 'postgres://127.0.0.1' }],
    ['POST', '', { ...bodyOf(postgres), url: 'http://127.0.0.1' }],
    ['PATCH', `/${first}`, { name: 'renamed' }],
    ['PATCH', `/${first}`, { url: 'http://127.0.0.1:2/' }],
    ['POST', `/${first}/pause`],
    ['POST', `/${first}/resume`],
    ['POST', '/bulk', { create: EXAMPLES.map((example) => bodyOf(example, 'created')) }],
    ['POST', '/bulk', { update: ids.map((id, index) => ({ id, name: 'x', credentials: masksOf(EXAMPLES[index] as Example) })) }],
    ['POST', '/bulk', { update: ids.map((id, index) => ({ id, credentials: credentialsOf(EXAMPLES[index] as Example) })) }],
    ['POST', '/bulk', { pause: ids }],
    ['POST', '/bulk', { resume: ids }],
    ['DELETE', `/${first}`],
    ['GET', '/deleted?limit=100'],
    ['POST', `/${first}/restore`],
    ['POST', '/bulk', { delete: ids }],
    ['POST', '/bulk', { restore: ids }],
  ]
}

describe('credentials of a monitor', () => {
  it('have an example for every kind that has them', () => {
    const types = Object.entries(CHECK_TYPES).flatMap(([type, { credentials }]) =>
      Object.keys(credentials).length > 0 ? [type] : [],
    )
    expect([...new Set(EXAMPLES.map(({ type }) => type))].sort()).toEqual(types.sort())
  })

  it.each([...ROLES.map((role) => ({ role })), ...SCOPES.map((scope) => ({ scope }))])(
    'are in no answer to %j, whatever the operation and the kind [MON-52]',
    { timeout: 60_000 },
    async ({ role, scope }: { role?: (typeof ROLES)[number]; scope?: (typeof SCOPES)[number] }) => {
      const ids = await create(...EXAMPLES)
      const as = role ? await backend.member(organization, role) : await backend.apiKey(organization, ...(scope ? [scope] : []))
      const leaks: string[] = []
      const statuses = new Set<number>()
      for (const [method, path, body] of requestsFor(ids)) {
        const answer = await call(method, path, body, as)
        statuses.add(answer.status)
        // By design it has the token of the heartbeat, for callers who may change it.
        const text = JSON.stringify(answer.body ?? '', (key, value: unknown) => (key === 'ping_url' ? '' : value))
        if ([...planted].some((secret) => text.includes(secret))) leaks.push(`${method} ${path}: ${answer.status}`)
      }
      expect(leaks).toEqual([])
      expect([...statuses]).toContain(scope === 'agent' || scope === 'ingest' ? 403 : 200)
    },
  )

  it('are in no event and no audit event', async () => {
    const first = await backend.pool.db.selectFrom('live_event').select('id').orderBy('id').limit(1).executeTakeFirst()
    const after = first ? `?after=${encodeId('event', first.id)}` : ''
    for (const path of [`/v1/events${after}`, '/v1/audit-events?limit=100']) {
      const { status, body } = await backend.call('GET', path, { as: admin })
      expect([path, status]).toEqual([path, 200])
      expect([...planted].filter((secret) => JSON.stringify(body).includes(secret))).toEqual([])
    }
  })

  it('stay when they are masked or absent, and are replaced when they are sent', async () => {
    const [id = ''] = await create(exampleOf('postgres'))
    const before = await storedIn(id)
    const masks = masksOf(exampleOf('postgres'))
    for (const body of [{ name: 'renamed' }, { credentials: masks }, { url: 'postgres://127.0.0.1:1/other' }]) {
      expect((await call('PATCH', `/${id}`, body)).body.credentials).toEqual(masks)
      expect(await storedIn(id)).toEqual(before)
    }
    await call('PATCH', `/${id}`, { credentials: { username: MASK, password: 'replaced' } })
    expect(await storedIn(id)).toEqual({ ...before, password: 'replaced' })
  })

  it.each([
    ['postgres', { url: 'postgres://127.0.0.1:2/db' }],
    ['http', { url: 'https://127.0.0.1:1/' }],
    ['steps', { options: { steps: [{ name: 'a', url: 'http://127.0.0.1:2/{{token}}' }] } }],
  ])('of type %s must be sent again when a change of %j sends them to another origin [MON-53]', async (type, change) => {
    const example = exampleOf(type)
    const [id = ''] = await create(example)
    const before = await storedIn(id)
    const paths = example.credentials.map((name) => `credentials.${name}`)
    for (const body of [change, { ...change, credentials: masksOf(example) }]) {
      const [single, bulk] = [await call('PATCH', `/${id}`, body), await call('POST', '/bulk', { update: [{ id, ...body }] })]
      expect([single.status, bulk.status]).toEqual([400, 400])
      const message = 'must be sent again: the stored value is for the origin that it was sent to before'
      expect(single.body.error.details).toEqual(paths.map((path) => ({ path, message })))
      expect(bulk.body.error.details).toEqual(paths.map((path) => ({ path: `update.0.${path}`, message })))
    }
    expect(await storedIn(id)).toEqual(before)
    const credentials = credentialsOf(example)
    expect((await call('PATCH', `/${id}`, { ...change, credentials })).status).toBe(200)
    expect(await storedIn(id)).toEqual(credentials)
  })

  it('do not survive a change of the type', async () => {
    const [id = ''] = await create(exampleOf('postgres'))
    const other = { type: 'mysql', url: 'mysql://127.0.0.1:1/db' }
    const { status, body } = await call('PATCH', `/${id}`, { ...other, credentials: masksOf(exampleOf('postgres')) })
    expect([status, body.error.details[0].path]).toEqual([400, 'credentials.username'])
    expect((await call('PATCH', `/${id}`, { type: 'tcp', url: 'tcp://127.0.0.1:1' })).body.credentials).toEqual({})
    expect(await storedIn(id)).toEqual({})
  })
})

describe('headers and body', () => {
  const REQUEST = { type: 'http', name: 'a', url: 'http://127.0.0.1:1/', method: 'POST' }
  const SECRETS = { headers: { 'X-A': 'header' }, body: 'text' }
  const MASKED = { headers: { 'X-A': MASK }, body: MASK }

  it('are masked for a key that may change monitors and not read them, in every answer', async () => {
    const as = await backend.apiKey(organization, 'write')
    const { id } = (await call('POST', '', { ...REQUEST, ...SECRETS })).body
    const answers = [
      await call('PATCH', `/${id}`, { name: 'b' }, as),
      await call('POST', `/${id}/pause`, undefined, as),
      await call('POST', `/${id}/resume`, undefined, as),
    ]
    expect(answers.map(({ body: { headers, body } }) => ({ headers, body }))).toEqual([MASKED, MASKED, MASKED])
    const { body: answer } = await call('POST', '/bulk', { update: [{ id, name: 'c' }] }, as)
    expect(answer.results[0].monitor).toMatchObject(MASKED)
  })

  it('must be sent again by a caller who does not see them, and stay for one who does', async () => {
    const as = await backend.apiKey(organization, 'write')
    const { id } = (await call('POST', '', { ...REQUEST, ...SECRETS })).body
    const moved = { url: 'http://127.0.0.1:2/' }
    for (const body of [moved, { ...moved, ...MASKED }]) {
      const { status, body: answer } = await call('PATCH', `/${id}`, body, as)
      expect([status, answer.error.details.map(({ path }: { path: string }) => path)]).toEqual([400, ['headers.X-A', 'body']])
    }
    expect((await call('PATCH', `/${id}`, { ...moved, ...SECRETS }, as)).status).toBe(200)
    expect((await call('PATCH', `/${id}`, { url: REQUEST.url })).body).toMatchObject(SECRETS)
  })
})
