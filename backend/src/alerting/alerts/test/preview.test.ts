import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { measure } from '../../../../test/measured-server.ts'
import { watch } from '../../../../test/watched-monitor.ts'

let backend: TestBackend
let organization: TestOrganization
let admin: Credentials
beforeAll(async () => {
  backend = await startTestBackend()
  organization = await backend.organization()
  admin = await backend.member(organization, 'admin')
})
afterAll(() => backend.close())

const preview = async (type: string, condition: object, own: object = {}) => {
  const body = { name: 'tried', target: { type }, condition, ...own }
  return (await backend.call('POST', '/v1/alert-rules/preview', { as: admin, body })).body
}
const minutes = (count: number) => backend.clock.advance(count * 60_000)

it('a preview lists the incidents that a rule on monitors would have opened, and stores nothing', async () => {
  const { id, bring, goes } = await watch(backend, admin, { interval: 3_600 })
  await bring('up', { response_ms: 100 })
  await goes('down')
  await goes('up')
  await bring('up', { response_ms: 2_000 })
  minutes(20)
  const down = { metric: 'status', operator: 'equals', value: 'down' }
  const found = await preview('monitor', down)
  expect(found).toMatchObject({ step_seconds: null, targets: 1, has_more_targets: false, would_open: 1 })
  expect(found.incidents).toEqual([
    { target: { type: 'monitor', id, name: 'Shop' }, opened_at: expect.any(String), resolved_at: expect.any(String) },
  ])
  expect((await preview('monitor', down, { for_seconds: 7_200 })).would_open).toBe(0)
  const slow = await preview('monitor', { metric: 'response_ms', operator: 'greater_than', value: 1_000 })
  expect([slow.step_seconds, slow.would_open]).toEqual([300, 1])
  expect((await backend.call('GET', '/v1/alert-rules', { as: admin })).body.total).toBe(24)
})

it('a preview lists the incidents that a rule on servers would have opened', async () => {
  const { id, sends } = await measure(backend, organization)
  for (const percent of [10, 95, 20]) {
    await sends({ 'cpu.percent': [percent], 'memory.used_bytes': [1_000] })
    minutes(6)
  }
  minutes(30)
  const target = { type: 'server', id, name: 'web-1' }
  const busy = await preview('server', { metric: 'cpu.percent', operator: 'greater_than', value: 90 })
  expect(busy.incidents).toEqual([{ target, opened_at: expect.any(String), resolved_at: expect.any(String) }])
  const offline = await preview('server', { metric: 'status', operator: 'equals', value: 'offline' })
  expect(offline.incidents.at(0)).toEqual({ target, opened_at: expect.any(String), resolved_at: null })
})

it('a preview lists the incidents that a rule on the state of hosts would have opened', async () => {
  const { id, sends } = await measure(backend, organization)
  for (const failed of [0, 2, 2, 0]) {
    await sends({ 'host.failed_units': [failed] })
    minutes(5)
  }
  minutes(30)
  const condition = { metric: 'host.failed_units', operator: 'greater_than', value: 0 }
  for (const for_seconds of [0, 600]) {
    const { incidents } = await preview('server', condition, { target: { type: 'server', id }, for_seconds })
    expect(incidents).toEqual([
      { target: { type: 'server', id, name: 'web-1' }, opened_at: expect.any(String), resolved_at: expect.any(String) },
    ])
  }
  const longer = await preview('server', condition, { target: { type: 'server', id }, for_seconds: 900 })
  expect(longer.would_open).toBe(0)
})

it('a preview of an invalid rule is refused with the name of the field', async () => {
  const { error } = await preview('server', { metric: 'nothing', operator: 'greater_than', value: 1 })
  expect(error.details.map(({ path }: { path: string }) => path)).toEqual(['condition.metric'])
})
