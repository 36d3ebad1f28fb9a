import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { encodeId } from '../../../platform/ids.ts'

let backend: TestBackend
let organization: TestOrganization
let owner: Credentials & { userId: string }
beforeAll(async () => {
  backend = await startTestBackend()
  organization = await backend.organization()
  owner = await backend.member(organization, 'owner')
})
afterAll(() => backend.close())

const call = (method: string, path: string, body?: object) => backend.call(method, path, { as: owner, ...(body && { body }) })
const count = async (statement: string) => Number((await backend.pool.pg.query(statement)).rows[0].count)

describe('a restore', () => {
  const make = async (path: string, body: object): Promise<string> => {
    const answer = await call('POST', path, body)
    expect([answer.status, answer.body]).toEqual([201, expect.anything()])
    return answer.body.id
  }
  const remove = async (path: string, id: string) => expect((await call('DELETE', `${path}/${id}`)).status).toBe(204)
  const restore = async (path: string, id: string) => {
    const { status, body } = await call('POST', `${path}/${id}/restore`)
    return [status, body.error?.message]
  }

  it('is refused where its monitor was deleted, until that is restored', async () => {
    const monitor = await make('/v1/monitors', { name: 'Shop', url: 'https://shop.example.com/' })
    const target = { type: 'monitor', id: monitor }
    const rule = await make('/v1/alert-rules', {
      name: 'r',
      target,
      condition: { metric: 'status', operator: 'equals', value: 'down' },
    })
    const times = { starts_at: '2026-01-01T01:00:00.000Z', ends_at: '2026-01-01T02:00:00.000Z' }
    const window = await make('/v1/maintenance-windows', { name: 'w', target, ...times })
    await remove('/v1/alert-rules', rule)
    await remove('/v1/maintenance-windows', window)
    await remove('/v1/monitors', monitor)
    expect(await restore('/v1/alert-rules', rule)).toEqual([409, 'target: its monitor was deleted.'])
    expect(await restore('/v1/maintenance-windows', window)).toEqual([409, 'target: its monitor was deleted.'])
    await restore('/v1/monitors', monitor)
    expect(await restore('/v1/alert-rules', rule)).toEqual([200, undefined])
    expect(await restore('/v1/maintenance-windows', window)).toEqual([200, undefined])
  })

  it('is refused where another page has the slug or the domain by now', async () => {
    const page = (own: object) => make('/v1/status-pages', { name: 'p', title: 'p', published: true, ...own })
    const id = await page({ slug: 'taken', domain: 'status.example.com' })
    await backend.pool.pg.query(`update status_page set domain_verified_at = now() where domain = 'status.example.com'`)
    await remove('/v1/status-pages', id)
    const other = await page({ slug: 'taken' })
    expect(await restore('/v1/status-pages', id)).toEqual([409, 'slug: another status page has taken.'])
    expect((await call('PATCH', `/v1/status-pages/${other}`, { slug: 'other' })).status).toBe(200)
    await backend.pool.pg.query(
      `insert into status_page_address select 'domain', 'status.example.com', organization, page_id from status_page_address where address = 'other'`,
    )
    expect(await restore('/v1/status-pages', id)).toEqual([409, 'domain: another status page has status.example.com.'])
    await remove('/v1/status-pages', other)
    expect(await restore('/v1/status-pages', id)).toEqual([200, undefined])
    expect((await backend.pool.pg.query(`select address from status_page_address order by 1`)).rows).toEqual(
      expect.arrayContaining([{ address: 'status.example.com' }, { address: 'taken' }]),
    )
  })

  it('counts, and is refused over the bound; what is deleted does not count', async () => {
    const body = {
      name: 'p',
      issuer: 'https://id.example.com',
      client_id: 'c',
      client_secret: 's',
      email_domains: ['example.com'],
    }
    const ids: string[] = []
    const { total } = (await call('GET', '/v1/identity-providers')).body
    while (ids.length + total < 20) ids.push(await make('/v1/identity-providers', body))
    await remove('/v1/identity-providers', ids[0] as string)
    const last = await make('/v1/identity-providers', body)
    const bound = 'At most 20 identity providers per organization are allowed. Delete one first.'
    expect(await restore('/v1/identity-providers', ids[0] as string)).toEqual([409, bound])
    await remove('/v1/identity-providers', last)
    expect(await restore('/v1/identity-providers', ids[0] as string)).toEqual([200, undefined])
  })

  it('gives a channel back to what was deleted with it, and not to a rule that follows a policy by now', async () => {
    const condition = { metric: 'status', operator: 'equals', value: 'down' }
    const channel = await make('/v1/channels', { name: 'c', type: 'webhook', config: { url: 'https://hooks.example.com/' } })
    const rule = (name: string) =>
      make('/v1/alert-rules', { name, target: { type: 'monitor', tag: 'x' }, condition, channel_ids: [channel] })
    const [gone, changed] = [await rule('gone'), await rule('changed')]
    const policy = await make('/v1/escalation-policies', { name: 'e', steps: [{ user_ids: [encodeId('user', owner.userId)] }] })
    await remove('/v1/alert-rules', gone)
    await remove('/v1/channels', channel)
    await call('PATCH', `/v1/alert-rules/${changed}`, { escalation_policy_id: policy })
    const channelsOf = async (id: string) => (await call('GET', `/v1/alert-rules/${id}`)).body.channel_ids
    await restore('/v1/alert-rules', gone)
    expect(await channelsOf(gone)).toEqual([])
    await restore('/v1/channels', channel)
    expect([await channelsOf(gone), await channelsOf(changed)]).toEqual([[channel], []])
    // A policy that deleted rules alone named.
    await remove('/v1/alert-rules', changed)
    await remove('/v1/escalation-policies', policy)
    await restore('/v1/alert-rules', changed)
    expect((await call('GET', `/v1/alert-rules/${changed}`)).body.escalation_policy_id).toBeNull()
    await restore('/v1/escalation-policies', policy)
    expect((await call('GET', `/v1/alert-rules/${changed}`)).body.escalation_policy_id).toBe(policy)
  })

  it('takes the permission of the deletion', async () => {
    const channel = await make('/v1/channels', { name: 'c', type: 'webhook', config: { url: 'https://hooks.example.com/' } })
    await remove('/v1/channels', channel)
    const member = await backend.member(organization, 'member')
    expect((await backend.call('POST', `/v1/channels/${channel}/restore`, { as: member })).status).toBe(403)
    expect((await backend.call('GET', '/v1/channels/deleted', { as: member })).body.total).toBe(1)
    const last = (await backend.call('GET', '/v1/channels/deleted?limit=1', { as: member })).body
    expect(last.deleted[0].id).toBe(channel)
  })
})

it('the deletion of an organization removes deleted resources too', async () => {
  const organization = await backend.organization('Short')
  const owner = await backend.member(organization, 'owner')
  const body = { name: 'p', title: 'p', slug: 'short' }
  const { id } = (await backend.call('POST', '/v1/status-pages', { as: owner, body })).body
  await backend.call('DELETE', `/v1/status-pages/${id}`, { as: owner })
  const own = `select count(*) from status_page where organization = ${organization.number}`
  expect(await count(own)).toBe(1)
  const answer = await backend.call('DELETE', `/v1/organizations/${organization.id}`, { as: owner, body: { name: 'Short' } })
  expect([answer.status, await count(own)]).toEqual([204, 0])
})
