import { afterAll, beforeAll, expect, describe, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { measure, type MeasuredServer, startBeating } from '../../../../test/measured-server.ts'

let backend: TestBackend
let organization: TestOrganization
let admin: Credentials
let instance: ReturnType<typeof startBeating>
let server: MeasuredServer
beforeAll(async () => {
  backend = await startTestBackend()
  instance = startBeating(backend)
  organization = await backend.organization()
  admin = await backend.member(organization, 'admin')
  server = await measure(backend, organization)
})
afterAll(() => backend.close())

const call = async (method: string, url: string, body?: unknown) => (await backend.call(method, url, { as: admin, body })).body
const disk = (values: object, name = 'sda') => ({ kind: 'disk', name, values })
const unit = (failed: number) => ({ kind: 'unit', name: 'nginx.service', values: { failed } })
const broken = disk({ healthy: 1, reallocated_sectors: 312 })

/** A minute passes, and the server pushes these entities at its end. */
async function minute(...entities: object[]): Promise<void> {
  backend.clock.advance(55_000)
  await instance.beat()
  await server.sends({ 'cpu.percent': [1] }, { entities })
  backend.clock.advance(5_000)
  await instance.beat()
  await backend.jobs.evaluateServers()
}

describe('a rule on a finding', () => {
  const rule = (code: string, own: object = {}) =>
    call('POST', '/v1/alert-rules', {
      name: code,
      target: { type: 'server', id: server.id },
      condition: { metric: `health.${code}`, operator: 'equals', value: 1 },
      ...own,
    })
  const incidents = async (id: string, status: string) =>
    (await call('GET', `/v1/incidents?status=${status}`)).incidents.filter(
      (incident: { rule_id: string }) => incident.rule_id === id,
    )

  it('opens an incident with the text of what is found, and resolves it when nothing is', async () => {
    const { id } = await rule('disk_failing')
    await minute(broken, disk({ healthy: 0 }, 'sdb'))
    const [opened] = await incidents(id, 'open')
    expect(opened).toMatchObject({
      summary: 'web-1: Disk sda has 312 reallocated sectors (limit 50); Disk sdb reports that it is failing',
    })
    const { evidence } = await call('GET', `/v1/incidents/${opened.id}`)
    expect(evidence.findings[0]).toMatchObject({
      code: 'disk_failing',
      text: 'Disk sda has 312 reallocated sectors (limit 50)',
      value: 312,
    })
    await minute(disk({ healthy: 1, reallocated_sectors: 0 }), disk({ healthy: 1 }, 'sdb'))
    expect(await incidents(id, 'resolved')).toMatchObject([{ id: opened.id }])
  })

  it('has a preview from the changes of the health', async () => {
    const condition = { metric: 'health.unit_failed', operator: 'equals', value: 1 }
    const preview = () =>
      call('POST', '/v1/alert-rules/preview', { name: 'x', target: { type: 'server', id: server.id }, condition })
    await minute(unit(1))
    await minute(unit(0))
    await minute(unit(1))
    backend.clock.advance(600_000)
    const { incidents: found, would_open } = await preview()
    expect(would_open).toBe(2)
    expect(found.map(({ resolved_at }: { resolved_at: string | null }) => resolved_at === null)).toEqual([true, false])
    await minute(unit(0))
  })

  it('waits for its duration, and refuses another condition than equals 1', async () => {
    const { id } = await rule('unit_failed', { for_seconds: 120 })
    await minute(unit(1))
    await minute(unit(1))
    expect(await incidents(id, 'open')).toEqual([])
    await minute(unit(1))
    expect(await incidents(id, 'open')).toHaveLength(1)
    const condition = { metric: 'health.unit_failed', operator: 'greater_than', value: 0 }
    const refused = await backend.call('POST', '/v1/alert-rules', {
      as: admin,
      body: { name: 'x', target: { type: 'server' }, condition },
    })
    expect(refused.status).toBe(400)
  })
})
