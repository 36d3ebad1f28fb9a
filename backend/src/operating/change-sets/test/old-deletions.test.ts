import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Credentials, registration, startTestBackend, type TestBackend } from '../../../../test/harness.ts'

const DAY_MS = 86_400_000

let backend: TestBackend
let as: Credentials
beforeAll(async () => {
  backend = await startTestBackend()
  as = await backend.apiKey(await backend.organization(), 'admin')
})
afterAll(() => backend.close())

const call = (method: string, path: string, body?: object) => backend.call(method, path, { as, ...(body && { body }) })
const ok = async (method: string, path: string, body?: object) => {
  const answer = await call(method, path, body)
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  return answer.body
}
const propose = (resources: object[], more: object = {}) =>
  ok('POST', '/v1/change-sets', { owner: 'git:infra', resources, ...more })
const apply = (id: string) => ok('POST', `/v1/change-sets/${id}/apply`)

const RESOURCES = [
  { kind: 'channel', ref: 'hook', spec: { name: 'Hook', type: 'webhook', config: { url: 'https://hooks.example.com/x' } } },
  {
    kind: 'monitor',
    ref: 'shop',
    spec: { name: 'Shop', url: 'https://shop.example.com', headers: { 'x-key': 'the key of the shop' } },
  },
  {
    kind: 'alert_rule',
    ref: 'down',
    spec: {
      name: 'Down',
      target: { type: 'monitor', id: { ref: 'monitor:shop' } },
      condition: { metric: 'status', operator: 'equals', value: 'down' },
      channel_ids: [{ ref: 'channel:hook' }],
    },
  },
  {
    kind: 'status_page',
    ref: 'page',
    spec: {
      name: 'Page',
      slug: 'old-page',
      title: 'Page',
      visibility: 'password',
      password: 'the password of the page',
      sections: [{ name: 'Shop', monitors: [{ ref: 'monitor:shop' }] }],
    },
  },
]
const GONE =
  'was deleted more than 30 days ago: it is created again from what was recorded, with another id, without its history, and without what only it had'
const NO_PASSWORD = 'Page: its password is not brought back: nobody can open it before it has a new one'

it('what was deleted more than 30 days ago is created again, and what is lost is said before', async () => {
  const proposed = await propose(RESOURCES)
  expect(JSON.stringify(proposed)).not.toContain('the password of the page')
  const made = await apply(proposed.id)
  expect(JSON.stringify(made)).not.toContain('the password of the page')
  const before = (await ok('GET', '/v1/configuration?owner=git:infra')).resources
  const deletion = await apply((await propose([], { prune: true, confirm_deletes: 4 })).id)
  expect(deletion.undo_warnings).toEqual([])
  backend.clock.advance(31 * DAY_MS)
  await backend.jobs.keepPartitions()
  await backend.jobs.deleteExpired()
  const warnings = [`Hook: ${GONE}`, `Shop: ${GONE}`, `Down: ${GONE}`, `Page: ${GONE}`, NO_PASSWORD]
  expect((await ok('GET', `/v1/change-sets/${deletion.id}`)).undo_warnings).toEqual(warnings)
  const undone = await ok('POST', `/v1/change-sets/${deletion.id}/undo`, {})
  expect(undone.warnings).toEqual(warnings)
  expect(undone.steps.map(({ says }: { says: string }) => says)).toEqual([
    'Hook: new channel',
    'Shop: new monitor',
    'Down: new alert rule',
    'Page: new status page',
  ])
  const formerIds = new Set(made.steps.map(({ id }: { id: string }) => id))
  expect(undone.steps.filter(({ id }: { id: string }) => formerIds.has(id))).toEqual([])
  expect((await ok('GET', '/v1/configuration?owner=git:infra')).resources).toEqual(before)
  await ok('POST', `/v1/change-sets/${undone.id}/undo`, {})
  expect((await ok('GET', '/v1/configuration?owner=git:infra')).resources).toEqual([])
})

it('an undo of a change of a page with a password says before that the earlier password does not come back', async () => {
  const body = { name: 'Other', slug: 'other-page', title: 'Other', visibility: 'password', password: 'the first password' }
  const { id } = await ok('POST', '/v1/status-pages', body)
  await ok('PATCH', `/v1/status-pages/${id}`, { title: 'Changed', password: 'the second password' })
  const [set] = (await ok('GET', `/v1/change-sets?resource=${id}`)).change_sets
  const warnings = ['Other: if its password was changed, the earlier one is not brought back']
  expect((await ok('GET', `/v1/change-sets/${set.id}`)).undo_warnings).toEqual(warnings)
  const undo = await ok('POST', `/v1/change-sets/${set.id}/undo`, {})
  expect(undo.warnings).toEqual(warnings)
  expect((await ok('GET', `/v1/change-sets/${set.id}`)).undo_warnings).toEqual([])
})

it('a deleted server is not brought back, and the preview says so', async () => {
  const { body } = await backend.call('POST', '/v1/agent/register', { as, body: registration('web-9') })
  await ok('DELETE', `/v1/servers/${body.server_id}`)
  const [set] = (await ok('GET', `/v1/change-sets?resource=${body.server_id}`)).change_sets
  const [warning] = (await ok('GET', `/v1/change-sets/${set.id}`)).undo_warnings
  expect(warning).toMatch(/: a deleted server does not come back: it registers again$/)
  const refused = await call('POST', `/v1/change-sets/${set.id}/undo`, {})
  expect([refused.status, refused.body.error.message]).toEqual([
    409,
    expect.stringContaining('a deleted server does not come back: it registers again'),
  ])
})
