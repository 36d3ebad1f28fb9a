import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registration, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'

describe('a server', () => {
  let backend: TestBackend
  let organization: TestOrganization
  beforeAll(async () => {
    const intervals = { VEDETTE_SAMPLE_INTERVAL_SECONDS: '7', VEDETTE_PUSH_INTERVAL_SECONDS: '35' }
    backend = await startTestBackend({ environment: intervals })
    organization = await backend.organization()
  })
  afterAll(() => backend.close())

  const register = async (body: unknown) =>
    backend.call('POST', '/v1/agent/register', { as: await backend.apiKey(organization, 'agent'), body })
  const viewer = () => backend.member(organization, 'viewer')

  it.each(['hostname', 'os', 'kernel', 'arch', 'agent_version', 'machine_id'])(
    'does not register without %s [REG-01]',
    async (name) => {
      const { status, body } = await register({ ...registration('incomplete'), [name]: undefined })
      expect([status, body.error.details[0]]).toEqual([400, { path: name, message: 'is required' }])
    },
  )

  it('receives the configured intervals when it registers and with every push [START-29]', async () => {
    const intervals = { sample_interval_seconds: 7, push_interval_seconds: 35 }
    const { body } = await register(registration('intervals'))
    expect(body).toMatchObject(intervals)
    const at = new Date(backend.clock.now()).toISOString()
    const batch = { batch_id: crypto.randomUUID(), sent_at: at, agent_version: '1', samples: [{ at, cpu: { percent: 1 } }] }
    const push = await backend.call('POST', '/v1/agent/metrics', { as: { 'x-api-key': body.token }, body: batch })
    expect(push.body).toMatchObject(intervals)
  })

  it('has in its details all fields of the list item and those of the contract [SERVER-03, SERVER-05]', async () => {
    const facts = {
      cpu_model: 'A CPU',
      cpu_cores: 8,
      memory_bytes: 16_000_000_000,
      boot_time: '2026-11-01T00:00:00.000Z',
      ip_addresses: ['192.0.2.9'],
      tags: ['db'],
    }
    const { body } = await register(registration('detailed', facts))
    const as = await viewer()
    const details = (await backend.call('GET', `/v1/servers/${body.server_id}`, { as })).body
    const { servers } = (await backend.call('GET', '/v1/servers?limit=100', { as })).body
    const item = servers.find(({ id }: { id: string }) => id === body.server_id)
    expect(details).toMatchObject({
      ...item,
      ...facts,
      arch: 'x64',
      machine_id: 'detailed',
      sample_interval_seconds: 7,
      metrics: null,
    })
  })

  it('is stored with only the SHA-256 of its token, which only the creating responses show [SERVER-13]', async () => {
    const { body: made } = await register(registration('secret'))
    const admin = await backend.member(organization, 'admin')
    const { body: fresh } = await backend.call('POST', `/v1/servers/${made.server_id}/regenerate-token`, { as: admin })
    const { rows } = await backend.pool.pg.query(
      "select table_name as name from information_schema.tables where table_schema = 'public'",
    )
    for (const { name } of rows) {
      const stored = JSON.stringify((await backend.pool.pg.query(`select * from "${name}"`)).rows)
      for (const { token } of [made, fresh]) expect(stored.includes(token.slice('vdt_srv_'.length)), name).toBe(false)
    }
    for (const url of ['/v1/servers', `/v1/servers/${made.server_id}`, '/v1/audit-events']) {
      const { body } = await backend.call('GET', url, { as: admin })
      expect(JSON.stringify(body)).not.toContain('vdt_srv_')
    }
  })

  it('has one place among servers that were registered at one instant, in every order of the list [LIST-08]', async () => {
    const fleet = await backend.organization('Fleet')
    for (let count = 0; count < 9; count += 1) await backend.server(fleet)
    const as = await backend.member(fleet, 'viewer')
    const page = async (query: string): Promise<string[]> =>
      (await backend.call('GET', `/v1/servers?${query}`, { as })).body.servers.map(({ id }: { id: string }) => id)
    const newestFirst = (await page('limit=100')).toSorted().toReversed()
    const orders = ['created_at', 'name', 'last_seen_at', 'cpu', 'memory', 'disk'].flatMap((sort) => [sort, `-${sort}`])
    for (const sort of ['', ...orders]) {
      const pages = []
      for (const number of [1, 2, 3, 4, 5]) pages.push(...(await page(`limit=2&page=${number}${sort && `&sort=${sort}`}`)))
      expect([sort, pages]).toEqual([sort, newestFirst])
    }
  })
})
