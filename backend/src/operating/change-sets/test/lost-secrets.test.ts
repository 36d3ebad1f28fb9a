import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend } from '../../../../test/harness.ts'

const OWNER = 'git:infra'
const resources = (interval: number, token: object = {}) => [
  {
    kind: 'channel',
    ref: 'chat',
    spec: { name: 'Chat', type: 'matrix', config: { url: 'https://chat.example.com', room_id: '!a:b.example', ...token } },
  },
  {
    kind: 'identity_provider',
    ref: 'google',
    spec: {
      name: 'Google',
      issuer: 'https://accounts.google.com',
      client_id: 'vedette',
      client_secret: 'a secret of the client',
      email_domains: ['example.com'],
    },
  },
  {
    kind: 'monitor',
    ref: 'shop',
    spec: { name: 'Shop', url: 'https://shop.example.com', interval, headers: { 'x-key': 'the key of the shop' } },
  },
  { kind: 'monitor', ref: 'open', spec: { name: 'Open', url: 'https://open.example.com', interval } },
]
const LOST = ['Chat', 'Google', 'Shop'].map(
  (name) => `${name}: its secrets cannot be decrypted with the secrets of this installation: enter them again`,
)

let first: TestBackend
let second: TestBackend
let as: Credentials
let viewer: Credentials
let applied: string
const ok = async (method: string, path: string, body?: object, by = as) => {
  const answer = await second.call(method, path, { as: by, ...(body && { body }) })
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  return answer.body
}
const propose = (wanted: object[], by = as) => ok('POST', '/v1/change-sets', { owner: OWNER, resources: wanted }, by)
const apply = async (id: string) => ok('POST', `/v1/change-sets/${id}/apply`)

beforeAll(async () => {
  first = await startTestBackend()
  const organization = await first.organization()
  as = await first.apiKey(organization, 'admin')
  viewer = await first.apiKey(organization, 'read')
  second = first
  applied = (await propose(resources(60, { token: 'the token of the chat' }))).id
  await apply(applied)
  const { databaseUrl, clock } = first
  second = await startTestBackend({ databaseUrl, clock, secret: 'another secret of the tests that has more than 32 bytes' })
})
afterAll(async () => {
  await second.close()
  await first.close()
})

it('a resource whose secrets no configured secret decrypts stops no others, and is named', async () => {
  const { resources: all, warnings } = await ok('GET', `/v1/configuration?owner=${OWNER}`)
  expect([all.map(({ ref }: { ref: string }) => ref), warnings]).toEqual([['chat', 'google', 'open', 'shop'], LOST])
  const yaml = await second.call('GET', `/v1/configuration?owner=${OWNER}&format=yaml`, { as })
  expect(String(yaml.body).split('\n').slice(0, 3)).toEqual(LOST.map((line) => `# ${line}`))
  const drift = await ok('GET', `/v1/drift?owner=${OWNER}`)
  expect(drift.resources).toEqual([])
  expect(drift.warnings).toEqual(
    expect.arrayContaining([...LOST, `Open: what ${OWNER} last applied cannot be decrypted: apply it again`]),
  )
  const proposed = await propose(resources(30).filter(({ ref }) => ref === 'open' || ref === 'chat'))
  expect(proposed.steps).toMatchObject([{ ref: 'open', action: 'update', refused: null }])
  expect(proposed.warnings).toEqual([LOST[0]])
  await apply(proposed.id)
})

it('who may not read the kind of such a resource does not see its name', async () => {
  const google = resources(60).filter(({ kind }) => kind === 'identity_provider')
  const { id } = await propose(google)
  expect((await ok('GET', `/v1/change-sets/${id}`)).warnings).toEqual([LOST[1]])
  expect((await ok('GET', `/v1/change-sets/${id}`, undefined, viewer)).warnings).toEqual([])
  expect((await ok('GET', `/v1/drift?owner=${OWNER}`, undefined, viewer)).warnings.join()).not.toContain('Google')
})

it('a monitor without its secrets is shown, and changed only by who sends all that it sends', async () => {
  const { resources: all } = await ok('GET', '/v1/configuration?kind=monitor')
  expect(all).toHaveLength(2)
  const shop = (await ok('GET', '/v1/monitors')).monitors.find(({ name }: { name: string }) => name === 'Shop')
  expect(await ok('GET', `/v1/monitors/${shop.id}`)).toMatchObject({ name: 'Shop', headers: {} })
  const { status, body } = await second.call('PATCH', `/v1/monitors/${shop.id}`, { as, body: { interval: 300 } })
  expect([status, body.error.message]).toEqual([
    503,
    'The secrets of Shop cannot be decrypted: send credentials, headers, body, options again, or delete it.',
  ])
})

it('files that have the secrets store them again', async () => {
  const wanted = resources(30, { token: 'the token of the chat' })
  const proposed = await propose(wanted)
  expect(proposed.steps.map(({ ref, refused }: { ref: string; refused: unknown }) => [ref, refused])).toEqual([
    ['chat', null],
    ['google', null],
    ['shop', null],
  ])
  await apply(proposed.id)
  const again = await propose(wanted)
  expect([again.steps, again.warnings]).toEqual([[], []])
  expect(await ok('GET', `/v1/drift?owner=${OWNER}`)).toEqual({ resources: [], warnings: [] })
})

it('a change set that no configured secret decrypts says so, and the list has it', async () => {
  const { status, body } = await second.call('GET', `/v1/change-sets/${applied}`, { as })
  expect([status, body.error.message]).toEqual([503, 'What the change set changed cannot be decrypted any more.'])
  expect((await ok('GET', '/v1/change-sets')).change_sets.map(({ id }: { id: string }) => id)).toContain(applied)
})
