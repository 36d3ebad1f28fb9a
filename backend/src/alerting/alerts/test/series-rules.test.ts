import type { AlertRule, Incident, IncidentItem } from '@vedette/shared'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAlertFixture, LOCAL_TARGETS } from '../../../../test/alert-fixture.ts'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { measure } from '../../../../test/measured-server.ts'
import { startReceiver } from '../../../../test/receiver.ts'
import { removeRules } from '../../../../test/remove-rules.ts'
import { createJobs } from '../../../jobs.ts'
import { createSeriesEvaluation } from '../series/evaluation.ts'
import { BUSY, bodyOf, createSeriesRule } from './series-rule.ts'

let backend: TestBackend
let organization: TestOrganization
let admin: Credentials
beforeAll(async () => {
  backend = await startTestBackend({ environment: LOCAL_TARGETS })
})
afterAll(() => backend.close())
// Each with an organization of its own, whose rules are those that the test makes.
beforeEach(async () => {
  organization = await backend.organization()
  admin = await backend.apiKey(organization, 'admin')
  await removeRules(backend, organization)
})

const call = async (method: string, url: string, body?: unknown) => (await backend.call(method, url, { as: admin, body })).body
const rule = (expression: string, own: object = {}) => createSeriesRule(backend, admin, expression, own)
const ruleNow = ({ id }: AlertRule): Promise<AlertRule> => call('GET', `/v1/alert-rules/${id}`)
const host = () => measure(backend, organization)
const incidents = async (): Promise<IncidentItem[]> => (await call('GET', '/v1/incidents?sort=opened_at')).incidents
const open = async () => (await incidents()).filter(({ status }) => status === 'open').map(({ summary }) => summary)
/** A minute passes, and the rules are evaluated. */
async function minute(jobs = backend.jobs): Promise<void> {
  backend.clock.advance(60_000)
  await jobs.evaluateSeries()
}

describe('a rule on an expression', () => {
  it('opens one incident for each series, joined to its host, which is resolved when the series leaves the answer', async () => {
    const [one, other] = [await host(), await host()]
    await rule(BUSY)
    for (const { sends } of [one, other]) await sends({ 'cpu.percent': [95.5] })
    await minute()
    const opened = await incidents()
    expect(opened.map(({ target, status }) => [target.type, target.id, status])).toEqual(
      expect.arrayContaining([
        ['server', one.id, 'open'],
        ['server', other.id, 'open'],
      ]),
    )
    expect(opened).toHaveLength(2)
    const labels = { __name__: 'vedette_cpu_percent', instance: 'web-1', server_id: one.id }
    const found = opened.find(({ target }) => target.id === one.id) as IncidentItem
    expect(found.summary).toBe(`vedette_cpu_percent{instance="web-1", server_id="${one.id}"} = 95.5`)
    const { evidence } = (await call('GET', `/v1/incidents/${found.id}`)) as Incident
    expect(evidence).toMatchObject({ expression: BUSY, labels, value: 95.5, host: { name: 'web-1' } })
    await one.sends({ 'cpu.percent': [10] })
    await other.sends({ 'cpu.percent': [99] })
    await minute()
    const statusOf = async ({ id }: { id: string }) => (await incidents()).find(({ target }) => target.id === id)?.status
    expect([await statusOf(one), await statusOf(other)]).toEqual(['resolved', 'open'])
  })

  it('keeps open incidents over a restart, and does not open them twice', async () => {
    const { sends } = await host()
    await rule(BUSY)
    await sends({ 'cpu.percent': [95] })
    await minute()
    const restarted = createJobs(backend.jobDeps)
    await minute(restarted)
    await minute(backend.jobs)
    expect(await incidents()).toHaveLength(1)
    await sends({ 'cpu.percent': [10] })
    await minute(restarted)
    restarted.end()
    expect(await open()).toEqual([])
  })

  it('evaluated by two processes at once opens and resolves each incident once', async () => {
    const hosts = [await host(), await host(), await host()]
    await rule(BUSY)
    const other = createJobs(backend.jobDeps)
    const together = async (percent: number) => {
      for (const { sends } of hosts) await sends({ 'cpu.percent': [percent] })
      backend.clock.advance(60_000)
      await Promise.all([backend.jobs.evaluateSeries(), other.evaluateSeries()])
    }
    await together(95)
    await together(96)
    expect(await open()).toHaveLength(3)
    await together(10)
    other.end()
    expect((await incidents()).map(({ status }) => status)).toEqual(['resolved', 'resolved', 'resolved'])
    const { rows } = await backend.pool.pg.query(
      `select type, count(*)::int as count from incident_event where organization = $1 group by 1 order by 1`,
      [organization.number],
    )
    expect(rows).toEqual([
      { type: 'opened', count: 3 },
      { type: 'resolved', count: 3 },
    ])
  })

  it('notifies nobody while the host that a series names is in maintenance, until that ends', async () => {
    const [inWork, free] = [await host(), await host()]
    await rule(BUSY)
    const at = backend.clock.now()
    const window = {
      name: 'updates',
      target: { type: 'server', id: inWork.id },
      starts_at: new Date(at).toISOString(),
      ends_at: new Date(at + 600_000).toISOString(),
    }
    expect((await call('POST', '/v1/maintenance-windows', window)).error).toBeUndefined()
    for (const { sends } of [inWork, free]) await sends({ 'cpu.percent': [95] })
    await minute()
    const silenced = async () => new Map((await incidents()).map((one) => [one.target.id, one.silenced]))
    expect(await silenced()).toEqual(
      new Map([
        [inWork.id, true],
        [free.id, false],
      ]),
    )
    backend.clock.advance(600_000)
    for (const { sends } of [inWork, free]) await sends({ 'cpu.percent': [95] })
    await minute()
    await backend.jobs.reviewSuppressions()
    expect((await silenced()).get(inWork.id)).toBe(false)
  })

  it('counts the duration over a restart', async () => {
    const { sends } = await host()
    await rule(BUSY, { for_seconds: 120 })
    const restarted = createJobs(backend.jobDeps)
    for (const [jobs, count] of [
      [backend.jobs, 0],
      [restarted, 0],
      [restarted, 1],
    ] as const) {
      await sends({ 'cpu.percent': [95] })
      await minute(jobs)
      expect(await open()).toHaveLength(count)
    }
    restarted.end()
  })

  it('has several incidents for several series of one host, and what happens to the host ends none', async () => {
    const { id, sends } = await host()
    const filesystem = (mount: string) => ({ mount, fs_type: 'ext4', used_bytes: 95, total_bytes: 100, percent: 95 })
    await rule('vedette_filesystem_used_percent > 90')
    await rule('count by (instance) (vedette_filesystem_used_percent) > 1', { name: 'Many' })
    await sends({ 'cpu.percent': [95] }, { filesystems: [filesystem('/'), filesystem('/var')] })
    await minute()
    const opened = await incidents()
    expect(opened.map(({ target }) => target.id)).toEqual([id, id, id])
    expect(opened.map(({ story_id: story }) => story)).toEqual([null, null, null])
    await call('PATCH', `/v1/servers/${id}`, { tags: ['new'] })
    await backend.jobs.evaluateServers()
    expect(await open()).toHaveLength(3)
    await backend.call('DELETE', `/v1/servers/${id}`, { as: await backend.member(organization, 'owner') })
    expect(await open()).toEqual([])
  })

  it('has an incident about the series where its labels name nothing of ours', async () => {
    const { sends } = await host()
    await rule('sum by (job) (label_replace(vedette_cpu_percent, "job", "api", "", "")) > 90')
    await sends({ 'cpu.percent': [95] })
    await minute()
    const [found] = await incidents()
    expect(found).toMatchObject({ target: { type: 'series', name: '{job="api"}' }, summary: '{job="api"} = 95' })
    const { total } = await call('GET', `/v1/incidents?target=${found?.target.id}`)
    expect(total).toBe(1)
    await call('POST', `/v1/incidents/${found?.id}/resolve`, {})
    await minute()
    expect(await incidents()).toHaveLength(1)
  })

  it('is evaluated as often as it says', async () => {
    const { sends } = await host()
    const condition = { metric: 'promql', expression: BUSY, every_seconds: 300 }
    await rule(BUSY, { condition })
    await minute()
    await sends({ 'cpu.percent': [95] })
    await minute()
    expect(await open()).toEqual([])
    backend.clock.advance(180_000)
    await sends({ 'cpu.percent': [95] })
    await minute()
    expect(await open()).toHaveLength(1)
  })

  it.each<[string, string, object | undefined]>([
    ['changed', 'PATCH', { condition: { metric: 'promql', expression: 'vedette_cpu_percent > 91' } }],
    ['disabled', 'PATCH', { enabled: false }],
    ['deleted', 'DELETE', undefined],
  ])('resolves its incidents when it is %s', async (how, method, body) => {
    const { sends } = await host()
    const { id } = await rule(BUSY)
    await sends({ 'cpu.percent': [95] })
    await minute()
    expect(await open()).toHaveLength(1)
    await call(method, `/v1/alert-rules/${id}`, body)
    expect(await open()).toEqual([])
    await minute()
    expect(await open()).toHaveLength(how === 'changed' ? 1 : 0)
  })

  it('knows the series of its own organization alone', async () => {
    const unrelated = await backend.organization('Unrelated')
    const { sends } = await measure(backend, unrelated)
    await sends({ 'cpu.percent': [95] })
    const own = await host()
    await rule('{__name__=~"vedette_cpu_percent"} > 90')
    await rule(`vedette_cpu_percent{server_id=~".*"} > 90`, { name: 'other' })
    await own.sends({ 'cpu.percent': [95] })
    await minute()
    expect((await incidents()).map(({ target }) => target.id)).toEqual([own.id, own.id])
    const as = await backend.member(unrelated, 'admin')
    expect((await backend.call('GET', '/v1/incidents', { as })).body.total).toBe(0)
    const preview = await backend.call('POST', '/v1/alert-rules/preview', {
      as,
      body: bodyOf(`vedette_cpu_percent{server_id="${own.id}"}`),
    })
    expect(preview.body).toMatchObject({ targets: 0, would_open: 0 })
  })

  it('does nothing while it cannot be evaluated, and says why', async () => {
    const { sends } = await host()
    await sends({ 'cpu.percent': [95] })
    const clashing = '{__name__=~"vedette_cpu_percent|vedette_memory_percent"} > 90'
    const made = await rule(clashing)
    await minute()
    expect([await open(), (await ruleNow(made)).last_error]).toEqual([[expect.any(String)], null])
    await sends({ 'cpu.percent': [95], 'memory.percent': [95] })
    await minute()
    expect(await open()).toHaveLength(1)
    expect((await ruleNow(made)).last_error).toMatch(/differ by name only/)
    expect((await call('GET', '/v1/alert-rules')).alert_rules[0].last_error).toMatch(/differ by name only/)
    await sends({ 'cpu.percent': [10], 'memory.percent': [10] })
    await minute()
    expect([await open(), (await ruleNow(made)).last_error]).toEqual([[], null])
  })

  it('with more than 100 series opens nothing, and with an expression that fails', async () => {
    const series = Array.from({ length: 101 }, (_, n) => `absent(x{n="${n}"})`)
    const many = await rule(series.join(' or '))
    const failing = await rule(`(${series.slice(0, 2).join(' or ')}) * on () absent(y)`, { name: 'Ambiguous' })
    await minute()
    expect(await incidents()).toEqual([])
    expect((await ruleNow(many)).last_error).toMatch(/^the expression gives more than 100 series/)
    expect((await ruleNow(failing)).last_error).toMatch(/many/)
    await call('PATCH', `/v1/alert-rules/${many.id}`, { condition: { metric: 'promql', expression: 'vector(1)' } })
    expect((await ruleNow(many)).last_error).toBeNull()
  })

  it('notifies with the series and its value', async () => {
    const { sends } = await host()
    const fixture = await createAlertFixture(backend, organization, admin, bodyOf(BUSY))
    const receiver = await startReceiver()
    await fixture.channel('webhook', { url: receiver.url })
    await sends({ 'cpu.percent': [95] })
    await minute()
    await fixture.deliver()
    await receiver.close()
    const { incident } = JSON.parse(receiver.received[0]?.body ?? '').data
    expect(incident.summary).toMatch(/^vedette_cpu_percent\{instance="web-1", server_id="srv_\w+"\} = 95$/)
  })
})

it('ten rules on one host that change nothing cost their reads alone', async () => {
  const { sends } = await host()
  for (let count = 0; count < 10; count += 1) await rule(`vedette_cpu_percent > ${count}`, { name: `rule ${count}` })
  await sends({ 'cpu.percent': [95] })
  const texts: string[] = []
  const db = backend.pool.db.withPlugin({
    transformQuery: ({ node }) => {
      texts.push(node.kind)
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const ending = new AbortController()
  let queries = 0
  const { evaluate } = createSeriesEvaluation({
    ...backend.jobDeps,
    db,
    ending: ending.signal,
    querySeries: async (number) => {
      queries += number === organization.number ? 1 : 0
      return [{ labels: { a: 'b' }, points: [{ atMs: 0, value: 1 }] }]
    },
  })
  await evaluate()
  expect(await incidents()).toHaveLength(10)
  texts.length = 0
  backend.clock.advance(60_000)
  await evaluate()
  // The rules, and their open incidents.
  expect([queries, texts.length]).toEqual([20, 2])
})
