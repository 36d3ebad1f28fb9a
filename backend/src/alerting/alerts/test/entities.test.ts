import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { removeRules } from '../../../../test/remove-rules.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { keepTables } from '../../../platform/db/index.ts'
import { compactEntities, ENTITY_CHUNKS } from '../../../hosts/entities/index.ts'
import { measure, type MeasuredServer, startBeating } from '../../../../test/measured-server.ts'
import { incidentsOf } from '../../../../test/watched-monitor.ts'

let backend: TestBackend
let organization: TestOrganization
let admin: Credentials
let instance: ReturnType<typeof startBeating>
let server: MeasuredServer
beforeAll(async () => {
  backend = await startTestBackend()
  instance = startBeating(backend)
  await keepTables(backend.pool.db, silentLog, [{ ...ENTITY_CHUNKS, retentionMs: Number.POSITIVE_INFINITY }], backend.clock.now())
})
afterAll(() => backend.close())
beforeEach(async () => {
  organization = await backend.organization()
  admin = await backend.member(organization, 'admin')
  await removeRules(backend, organization)
  server = await measure(backend, organization)
})

const call = async (method: string, url: string, body?: unknown) => (await backend.call(method, url, { as: admin, body })).body
const rule = (condition: object, own: object = {}) =>
  call('POST', '/v1/alert-rules', { name: 'rule', target: { type: 'server' }, condition, ...own })
const above = (field: string, value: number, own: object = {}) => ({
  metric: `entity.container.${field}`,
  operator: 'greater_than',
  value,
  ...own,
})
const container = (name: string, values: object, attributes?: object) => ({
  kind: 'container',
  name,
  values,
  ...(attributes && { attributes }),
})

/** A minute passes, and the server pushes these entities at its end. */
async function minute(...entities: object[]): Promise<void> {
  backend.clock.advance(55_000)
  await instance.beat()
  await server.sends({ 'cpu.percent': [1] }, { entities })
  backend.clock.advance(5_000)
  await instance.beat()
  await backend.jobs.evaluateServers()
}

const incidents = () => incidentsOf(backend, server.uuid)
const statuses = async () => (await incidents()).map(({ status }) => status)

describe('a rule on a field of entities', () => {
  it('opens one incident of a server, which names the entities beyond it, and resolves it when all are back', async () => {
    await rule(above('memory_percent', 90))
    await minute(
      container('a', { memory_percent: 95 }),
      container('b', { memory_percent: 10 }),
      container('c', { memory_percent: 99 }),
    )
    const [opened, ...others] = await incidents()
    expect(others).toEqual([])
    expect(opened).toMatchObject({ status: 'open', summary: 'web-1: memory of container c 99 %, a 95 % (above 90 %)' })
    await minute(container('a', { memory_percent: 95 }), container('c', { memory_percent: 1 }))
    expect(await statuses()).toEqual(['open'])
    await minute(container('a', { memory_percent: 90 }), container('c', { memory_percent: 1 }))
    expect(await statuses()).toEqual(['resolved'])
  })

  it('is about those that its name selects: by name, image or project', async () => {
    await rule(above('cpu_percent', 50, { name: 'shop/*' }))
    await rule(above('cpu_percent', 50, { name: 'nginx:*' }))
    await rule(above('cpu_percent', 50, { name: 'shop%' }))
    await minute(container('other', { cpu_percent: 99 }), container('shop/db', { cpu_percent: 1 }))
    expect(await statuses()).toEqual([])
    await minute(container('shop/db', { cpu_percent: 60 }), container('front', { cpu_percent: 70 }, { image: 'nginx:1.27' }))
    expect((await incidents()).map(({ summary }) => summary).sort()).toEqual([
      'web-1: cpu of container front 70 % (above 50 %)',
      'web-1: cpu of container shop/db 60 % (above 50 %)',
    ])
  })

  it('with a duration opens once one entity was beyond it all the time', async () => {
    await rule(above('cpu_percent', 80), { for_seconds: 180 })
    await minute(container('a', { cpu_percent: 90 }), container('b', { cpu_percent: 10 }))
    await minute(container('a', { cpu_percent: 90 }), container('b', { cpu_percent: 90 }))
    await minute(container('a', { cpu_percent: 10 }), container('b', { cpu_percent: 90 }))
    await minute(container('a', { cpu_percent: 90 }), container('b', { cpu_percent: 90 }))
    expect(await statuses()).toEqual([])
    await minute(container('a', { cpu_percent: 90 }), container('b', { cpu_percent: 91 }))
    expect((await incidents())[0]?.summary).toBe('web-1: cpu of container b 91 % (above 80 % for 3 min)')
  })

  it('that runs is broken by one that is named and gone, not by a host without entities', async () => {
    await rule({ metric: 'entity.container.running', operator: 'equals', value: 0, name: 'web' })
    await minute(container('web', { running: 1 }), container('db', { running: 1 }))
    await minute(container('db', { running: 1 }))
    expect((await incidents())[0]).toMatchObject({ status: 'open', summary: 'web-1: running of container web no (equal to no)' })
    await minute(container('web', { running: 1 }))
    expect(await statuses()).toEqual(['resolved'])
    backend.clock.advance(55_000)
    await server.sends({ 'cpu.percent': [1] })
    await backend.jobs.evaluateServers()
    expect(await statuses()).toEqual(['resolved'])
  })

  it('is evaluated at once when a push says that something happened, which is announced', async () => {
    await rule(above('deaths', 0))
    await minute(container('web', { deaths: 0 }))
    const client = await backend.pool.pg.connect()
    const heard: string[] = []
    client.on('notification', ({ payload = '' }) => void heard.push(payload))
    await client.query('listen vedette_changes')
    const at = new Date(backend.clock.now()).toISOString()
    const entity_events = [{ at, kind: 'container', name: 'web', type: 'died', exit_code: 3, lines: ['no such table'] }]
    await server.sends({ 'cpu.percent': [1] }, { entities: [container('web', { deaths: 1 })], entity_events })
    await expect.poll(() => heard).toContain(`metric_push ${server.uuid}`)
    client.release(true)
    backend.clock.advance(70_000)
    await instance.beat()
    await backend.jobs.evaluateServers()
    expect((await incidents()).map(({ summary }) => summary)).toEqual(['web-1: deaths of container web 1 (above 0)'])
  })

  it('that is not one is refused by name', async () => {
    const refused = async (condition: object) => (await rule(condition)).error.details
    expect(await refused(above('height', 1))).toEqual([{ path: 'condition.metric', message: 'is not a metric of a server' }])
    expect(await refused({ metric: 'cpu.percent', operator: 'greater_than', value: 1, name: 'x' })).toEqual([
      { path: 'condition.name', message: 'is allowed for a field of entities only, as entity.container.memory_percent' },
    ])
    const made = await rule(above('cpu_percent', 1, { name: 'a*' }))
    expect(made.condition).toEqual({ metric: 'entity.container.cpu_percent', operator: 'greater_than', value: 1, name: 'a*' })
  })

  it('is previewed over what was stored, compacted or not', async () => {
    const hours = 3
    for (let passed = 0; passed < hours * 12; passed++) {
      backend.clock.advance(5 * 60_000)
      const cpu = passed >= 12 && passed < 18 ? 95 : 5
      await server.sends(
        { 'cpu.percent': [1] },
        { entities: [container('a', { cpu_percent: cpu }), container('b', { cpu_percent: 50 })] },
      )
    }
    await compactEntities(backend.pool.db, backend.clock)
    const preview = async (condition: object, own: object = {}) =>
      await call('POST', '/v1/alert-rules/preview', {
        name: 'rule',
        target: { type: 'server', id: server.id },
        condition,
        ...own,
      })
    const opened = await preview(above('cpu_percent', 90))
    expect(opened.would_open).toBe(1)
    const [{ opened_at: from, resolved_at: to }] = opened.incidents
    expect(Date.parse(to) - Date.parse(from)).toBe(30 * 60_000)
    expect((await preview(above('cpu_percent', 90), { for_seconds: 1_200 })).would_open).toBe(1)
    expect((await preview(above('cpu_percent', 90), { for_seconds: 3_600 })).would_open).toBe(0)
    expect((await preview(above('cpu_percent', 90, { name: 'b' }))).would_open).toBe(0)
  })
})
