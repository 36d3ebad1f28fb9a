import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'

let backend: TestBackend
let organization: TestOrganization
let as: Credentials
beforeAll(async () => {
  backend = await startTestBackend()
})
afterAll(() => backend.close())
beforeEach(async () => {
  organization = await backend.organization()
  as = await backend.member(organization, 'owner')
})

const call = async (method: string, url: string, body?: unknown, by = as) => {
  const answer = await backend.call(method, url, { as: by, ...(body !== undefined && { body }) })
  return answer
}
const ok = async (method: string, url: string, body?: unknown, by = as) => {
  const { status, body: answer } = await call(method, url, body, by)
  expect(status, JSON.stringify(answer)).toBeLessThan(300)
  return answer
}
const propose = (resources: object[], more: object = {}, by = as) =>
  ok('POST', '/v1/change-sets', { owner: 'git:infra', resources, ...more }, by)
const apply = (id: string, by = as) => ok('POST', `/v1/change-sets/${id}/apply`, undefined, by)
const undo = (id: string, body: object = {}) => ok('POST', `/v1/change-sets/${id}/undo`, body)

const checkout = (spec: object = {}) => ({
  kind: 'monitor',
  ref: 'shop/checkout',
  spec: { name: 'Checkout', url: 'https://shop.example.com', ...spec },
})
const TAGGED = { target: { type: 'monitor', tag: 'shop' }, escalation_policy_id: null }
const ONE_OF_EACH = [
  { kind: 'channel', ref: 'hook', spec: { name: 'Hook', type: 'webhook', config: { url: 'https://hooks.example.com/x' } } },
  { kind: 'schedule', ref: 'oncall/shop', spec: { name: 'Shop' } },
  {
    kind: 'escalation_policy',
    ref: 'shop',
    spec: { name: 'Shop', steps: [{ channel_ids: [{ ref: 'channel:hook' }], schedule_ids: [{ ref: 'schedule:oncall/shop' }] }] },
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
  checkout({ depends_on: [{ type: 'monitor', id: { ref: 'monitor:gateway' } }] }),
  { kind: 'monitor', ref: 'gateway', spec: { name: 'Gateway', type: 'tcp', url: 'tcp://gateway.example.com:443' } },
  {
    kind: 'alert_rule',
    ref: 'down',
    spec: {
      name: 'Checkout down',
      target: { type: 'monitor', id: { ref: 'monitor:shop/checkout' } },
      condition: { metric: 'status', operator: 'equals', value: 'down' },
      escalation_policy_id: { ref: 'escalation_policy:shop' },
    },
  },
  { kind: 'slo', ref: 'shop', spec: { name: 'Shop', target: { id: { ref: 'monitor:shop/checkout' } }, objective: 99.9 } },
  {
    kind: 'maintenance_window',
    ref: 'night',
    spec: {
      name: 'Night',
      target: { type: 'monitor', id: { ref: 'monitor:shop/checkout' } },
      starts_at: '2026-12-01T01:00:00Z',
      ends_at: '2026-12-01T02:00:00Z',
    },
  },
  {
    kind: 'status_page',
    ref: 'public',
    spec: {
      name: 'Public',
      slug: 'public-page',
      title: 'Status',
      sections: [
        { name: 'Shop', monitors: [{ ref: 'monitor:shop/checkout' }], names: { 'monitor:shop/checkout': 'Checkout for all' } },
      ],
    },
  },
]

describe('a change set', () => {
  it('creates one of each kind in the order of their references, and is empty the second time', async () => {
    const proposed = await propose(ONE_OF_EACH)
    expect(proposed.steps.filter(({ refused }: { refused: string }) => refused)).toEqual([])
    expect(proposed).toMatchObject({ state: 'proposed', summary: { create: 10, update: 0, delete: 0, unchanged: 0, refused: 0 } })
    const applied = await apply(proposed.id)
    expect(applied).toMatchObject({ state: 'applied', applied_by: { type: 'user' } })
    const again = await propose(ONE_OF_EACH)
    expect(again.steps).toEqual([])
    expect(again.summary).toMatchObject({ unchanged: 10 })
    const { resources } = await ok('GET', '/v1/configuration?owner=git:infra')
    expect(resources).toHaveLength(10)
    const whole = await propose(resources)
    expect([whole.steps, whole.summary.unchanged]).toEqual([[], 10])
  })

  it('changes what differs, says it in words, and is taken back', async () => {
    const first = await apply((await propose([checkout()])).id)
    const id = first.steps[0].id
    const before = await ok('GET', `/v1/monitors/${id}`)
    const proposed = await propose([checkout({ interval: 30, tags: ['shop'] })])
    expect(proposed.steps).toMatchObject([
      {
        action: 'update',
        id,
        says: 'Checkout: interval 60 s → 30 s, tags changed',
        differences: [{ path: '/interval', from: 60, to: 30 }, {}],
      },
    ])
    await apply(proposed.id)
    expect(await ok('GET', `/v1/monitors/${id}`)).toMatchObject({ interval: 30, tags: ['shop'] })
    const undone = await undo(proposed.id)
    expect(undone).toMatchObject({ state: 'applied', undoes: proposed.id, steps: [{ action: 'update', id }] })
    const after = await ok('GET', `/v1/monitors/${id}`)
    expect({ ...after, updated_at: '' }).toEqual({ ...before, updated_at: '' })
    expect(await ok('GET', `/v1/change-sets/${proposed.id}`)).toMatchObject({ state: 'undone', undone_by: undone.id })
    expect((await call('POST', `/v1/change-sets/${proposed.id}/undo`, {})).status).toBe(409)
  })

  it('leaves the channels of what files manage as they say, also where the first channel is created', async () => {
    const quiet = [
      { kind: 'slo', ref: 'quiet', spec: { name: 'Quiet', target: { tag: 'shop' }, objective: 99, channel_ids: [] } },
      { ...(ONE_OF_EACH[6] as object), ref: 'quiet', spec: { ...(ONE_OF_EACH[6] as { spec: object }).spec, ...TAGGED } },
    ]
    await apply((await propose(quiet)).id)
    await apply((await propose([...quiet, ONE_OF_EACH[0] as object])).id)
    expect((await propose([...quiet, ONE_OF_EACH[0] as object])).steps).toEqual([])
  })

  it('takes over what has the same name and is managed nowhere', async () => {
    const made = await ok('POST', '/v1/monitors', { name: 'Checkout', url: 'https://shop.example.com' })
    const proposed = await propose([checkout()])
    expect(proposed.steps).toMatchObject([{ action: 'adopt', id: made.id, says: 'Checkout: taken over by git:infra' }])
    await apply(proposed.id)
    expect((await ok('GET', `/v1/monitors/${made.id}`)).managed).toEqual({
      owner: 'git:infra',
      ref: 'shop/checkout',
      file: null,
      line: null,
    })
    expect((await ok('GET', '/v1/monitors')).total).toBe(1)
  })

  it('changes nothing where a resource has changed since, and says who changed it', async () => {
    const { steps } = await apply((await propose([checkout()])).id)
    const proposed = await propose([
      checkout({ interval: 30 }),
      { ...checkout(), ref: 'other', spec: { name: 'Other', url: 'https://other.example.com' } },
    ])
    await ok('PATCH', `/v1/monitors/${steps[0].id}`, { timeout: 5 })
    const { status, body } = await call('POST', `/v1/change-sets/${proposed.id}/apply`)
    expect([status, body.error.code]).toEqual([409, 'conflict'])
    expect(body.error.details).toEqual([
      { path: steps[0].id, message: expect.stringMatching(/^Checkout was changed by .+ at 2026-/) },
    ])
    expect((await ok('GET', '/v1/monitors')).total).toBe(1)
  })

  it('deletes what its owner has no more only with prune, and only with the number of deletions', async () => {
    await apply((await propose([checkout(), ONE_OF_EACH[5] as object])).id)
    await ok('POST', '/v1/monitors', { name: 'By hand', url: 'https://hand.example.com' })
    expect((await propose([checkout()])).steps).toEqual([])
    const refused = await call('POST', '/v1/change-sets', { owner: 'git:infra', prune: true, resources: [checkout()] })
    expect([refused.status, refused.body.error.details]).toEqual([
      400,
      [{ path: 'confirm_deletes', message: 'must be 1: so many of the 2 resources of git:infra would be deleted' }],
    ])
    const proposed = await propose([checkout()], { prune: true, confirm_deletes: 1 })
    expect(proposed.steps).toMatchObject([
      { action: 'delete', kind: 'monitor', ref: 'gateway', says: 'Gateway: monitor deleted' },
    ])
    await apply(proposed.id)
    expect((await ok('GET', '/v1/monitors')).total).toBe(2)
    await undo(proposed.id)
    expect((await ok('GET', '/v1/monitors')).total).toBe(3)
  })

  it('names what cannot be applied, and applies none of it then', async () => {
    const proposed = await propose([
      checkout({ interval: 1 }),
      {
        kind: 'alert_rule',
        ref: 'x',
        spec: {
          name: 'X',
          target: { type: 'monitor' },
          condition: { metric: 'status', operator: 'equals', value: 'down' },
          channel_ids: [{ ref: 'channel:none' }],
        },
      },
      { kind: 'server_settings', ref: 'web-9', spec: { tags: ['web'] } },
    ])
    expect(proposed.summary.refused).toBe(3)
    const reasons = proposed.steps.map(({ refused }: { refused: string }) => refused)
    expect(reasons).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^spec.interval: /),
        'spec.channel_ids.0: nothing has the ref channel:none',
        'no server has the name web-9',
      ]),
    )
    expect((await call('POST', `/v1/change-sets/${proposed.id}/apply`)).status).toBe(409)
    expect((await ok('GET', '/v1/monitors')).total).toBe(0)
  })

  it('keeps stored secrets, and shows none', async () => {
    const secret = 'planted-secret-value'
    const spec = { headers: { Authorization: secret }, credentials: {} }
    const { steps } = await apply((await propose([checkout(spec)])).id)
    const viewer = await backend.member(organization, 'viewer')
    for (const url of [
      '/v1/change-sets',
      `/v1/change-sets/${(await ok('GET', '/v1/change-sets')).change_sets[0].id}`,
      '/v1/configuration',
    ])
      expect(JSON.stringify(await ok('GET', url, undefined, viewer))).not.toContain(secret)
    const kept = await propose([checkout({ headers: { Authorization: '•••' }, interval: 30 })])
    await apply(kept.id)
    expect(await ok('GET', `/v1/monitors/${steps[0].id}`)).toMatchObject({ interval: 30, headers: { Authorization: secret } })
  })

  it('is proposed by who reads, and applied by who may take each step', async () => {
    const viewer = await backend.member(organization, 'viewer')
    const proposed = await propose([checkout()], {}, viewer)
    const refused = await call('POST', `/v1/change-sets/${proposed.id}/apply`, undefined, viewer)
    expect([refused.status, refused.body.error.message]).toEqual([
      403,
      'These credentials may not do this: create monitor Checkout.',
    ])
    const outsider = await backend.member(await backend.organization(), 'owner')
    expect((await call('GET', `/v1/change-sets/${proposed.id}`, undefined, outsider)).status).toBe(404)
    await apply(proposed.id)
  })
})

describe('a secret that nobody has given again', () => {
  const stored = 'stored-secret-value'
  const monitor = (spec: object) => ({ kind: 'monitor', ref: 'm', spec: { name: 'M', ...spec } })
  const channel = (config: object) => ({
    kind: 'channel',
    ref: 'c',
    spec: { name: 'C', type: 'matrix', config: { ...config, room_id: '!a:b.example' } },
  })

  it.each([
    ['left out', {}, {}],
    ['a mask', { token: '•••' }, { credentials: { bearer_token: '•••' } }],
    ['a variable', { token: { from: 'env:X' } }, { credentials: { bearer_token: { from: 'env:X' } } }],
  ])('%s: is not sent to another origin', async (_, config, credentials) => {
    const made = [
      channel({ url: 'https://one.example.com', token: stored }),
      monitor({ url: 'https://one.example.com', credentials: { bearer_token: stored } }),
    ]
    await apply((await propose(made)).id)
    for (const moved of [
      channel({ url: 'https://other.example.com', ...config }),
      monitor({ url: 'https://other.example.com', ...credentials }),
    ]) {
      const proposed = await propose([moved])
      const { status, body } = await call('POST', `/v1/change-sets/${proposed.id}/apply`)
      expect([status, body.error.message]).toEqual([400, expect.stringContaining('must be sent again')])
    }
    // In its place it stays as it is.
    const renamed = await propose([
      {
        ...channel({ url: 'https://one.example.com', ...config }),
        spec: { ...channel({ url: 'https://one.example.com', ...config }).spec, name: 'Renamed' },
      },
    ])
    await apply(renamed.id)
    const given = await propose([
      channel({ url: 'https://other.example.com', token: stored }),
      monitor({ url: 'https://other.example.com', credentials: { bearer_token: stored } }),
    ])
    expect((await apply(given.id)).summary.update).toBe(2)
  })
})

it('who may not read identity providers sees none of them, and compares with none', async () => {
  const provider = ONE_OF_EACH[3] as { kind: string }
  const { id } = await apply((await propose([provider, checkout()])).id)
  const viewer = await backend.member(organization, 'viewer')
  const seen = async (url: string) => JSON.stringify(await ok('GET', url, undefined, viewer))
  for (const url of [`/v1/change-sets/${id}`, '/v1/change-sets', '/v1/configuration', '/v1/drift?owner=git:infra'])
    expect(await seen(url), url).not.toContain('Google')
  expect(JSON.stringify(await ok('GET', `/v1/change-sets/${id}`))).toContain('Google')
  const body = { owner: 'git:infra', resources: [provider] }
  expect((await call('POST', '/v1/change-sets', body, viewer)).status).toBe(403)
  const pruning = { owner: 'git:infra', prune: true, confirm_deletes: 1, resources: [] }
  expect((await ok('POST', '/v1/change-sets', pruning, viewer)).steps).toMatchObject([{ kind: 'monitor', action: 'delete' }])
})

describe('a change by hand', () => {
  it('is a change set of one step, which can be taken back', async () => {
    const made = await ok('POST', '/v1/monitors', { name: 'Shop', url: 'https://shop.example.com' })
    await ok('PATCH', `/v1/monitors/${made.id}`, { name: 'Shop front', interval: 120 })
    const { change_sets: sets } = await ok('GET', `/v1/change-sets?resource=${made.id}`)
    expect(sets).toMatchObject([
      { owner: null, state: 'applied', says: ['Shop: interval 60 s → 120 s, name Shop → Shop front'] },
      { says: ['Shop: new monitor'] },
    ])
    await undo(sets[0].id)
    expect(await ok('GET', `/v1/monitors/${made.id}`)).toMatchObject({ name: 'Shop', interval: 60 })
    await ok('DELETE', `/v1/monitors/${made.id}`)
    const [deletion] = (await ok('GET', '/v1/change-sets')).change_sets
    expect(deletion.says).toEqual(['Shop: monitor deleted'])
    await undo(deletion.id)
    expect(await ok('GET', `/v1/monitors/${made.id}`)).toMatchObject({ name: 'Shop', interval: 60 })
  })

  it('of many monitors, and of the default rules, is one change set', async () => {
    const spec = (name: string) => ({ name, url: 'https://shop.example.com' })
    const made = await ok('POST', '/v1/monitors/bulk', { create: [spec('A'), spec('B'), spec('C')] })
    const [a, b, c] = made.results.map(({ id }: { id: string }) => id)
    await ok('POST', '/v1/monitors/bulk', {
      update: [
        { id: a, interval: 300 },
        { id: b, interval: 60 },
      ],
      delete: [c],
    })
    const [changed] = (await ok('GET', '/v1/change-sets')).change_sets
    expect(changed.says).toEqual(['A: interval 60 s → 300 s', 'C: monitor deleted'])
    await undo(changed.id)
    expect(await ok('GET', `/v1/monitors/${a}`)).toMatchObject({ interval: 60 })
    expect(await ok('GET', `/v1/monitors/${c}`)).toMatchObject({ name: 'C' })
    const [rule] = (await ok('GET', '/v1/alert-rules')).alert_rules
    await ok('DELETE', `/v1/alert-rules/${rule.id}`)
    await ok('POST', '/v1/alert-rules/defaults')
    expect((await ok('GET', '/v1/change-sets')).change_sets[0]).toMatchObject({
      owner: null,
      says: [`${rule.name}: new alert rule`],
    })
  })

  it('is a conflict where something was changed since, unless that is named', async () => {
    const made = await ok('POST', '/v1/monitors', { name: 'Shop', url: 'https://shop.example.com' })
    await ok('PATCH', `/v1/monitors/${made.id}`, { interval: 120 })
    await ok('PATCH', `/v1/monitors/${made.id}`, { interval: 300 })
    const { change_sets: sets } = await ok('GET', `/v1/change-sets?resource=${made.id}`)
    expect((await call('POST', `/v1/change-sets/${sets[1].id}/undo`, {})).status).toBe(409)
    await undo(sets[1].id, { force: [made.id] })
    expect(await ok('GET', `/v1/monitors/${made.id}`)).toMatchObject({ interval: 60 })
  })

  it('of what is managed is drift', async () => {
    const { steps } = await apply((await propose([checkout()])).id)
    expect(await ok('GET', '/v1/drift?owner=git:infra')).toEqual({ resources: [], warnings: [] })
    await ok('PATCH', `/v1/monitors/${steps[0].id}`, { interval: 120 })
    expect((await ok('GET', '/v1/drift?owner=git:infra')).resources).toMatchObject([
      { ref: 'shop/checkout', changed_by: { type: 'user' }, differences: [{ path: '/interval', from: 60, to: 120 }] },
    ])
  })
})

it('an organization has 20 proposals: one more ends the oldest of its owner, and that of another owner is a conflict', async () => {
  const first = await propose([checkout()])
  for (let count = 1; count < 20; count += 1) await propose([checkout({ interval: 60 + count })])
  const other = { owner: 'git:other', resources: [checkout()] }
  expect((await call('POST', '/v1/change-sets', other)).status).toBe(409)
  await propose([checkout({ interval: 30 })])
  expect((await ok('GET', `/v1/change-sets/${first.id}`)).state).toBe('expired')
  expect((await call('POST', `/v1/change-sets/${first.id}/apply`)).status).toBe(409)
  expect((await call('POST', '/v1/change-sets', { ...other, resources: [] })).status).toBe(201)
})
