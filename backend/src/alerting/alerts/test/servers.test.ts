import { announcements, NO_ANNOUNCEMENTS } from '../../../../test/changes.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { removeRules } from '../../../../test/remove-rules.ts'
import { ALL_SLICES } from '../../../platform/db/index.ts'
import { parseId } from '../../../platform/ids.ts'
import { createServerEvaluator } from '../evaluation/servers.ts'
import { measure, startBeating } from '../../../../test/measured-server.ts'
import { incidentsOf } from '../../../../test/watched-monitor.ts'

let backend: TestBackend
let organization: TestOrganization
let admin: Credentials
let instance: ReturnType<typeof startBeating>
beforeAll(async () => {
  backend = await startTestBackend()
  instance = startBeating(backend)
})
afterAll(() => backend.close())
// Each with an organization of its own, whose rules are those that the test makes.
beforeEach(async () => {
  organization = await backend.organization()
  admin = await backend.member(organization, 'admin')
  await removeRules(backend, organization)
})

const call = async (method: string, url: string, body?: unknown) => (await backend.call(method, url, { as: admin, body })).body
const ruleOf = (condition: object, own: object = {}) =>
  call('POST', '/v1/alert-rules', { name: 'rule', target: { type: 'server' }, condition, ...own })
const offline = { metric: 'status', operator: 'equals', value: 'offline' }
const above = (metric: string, value: number, own: object = {}) => ({ metric, operator: 'greater_than', value, ...own })
const server = () => measure(backend, organization)
const statusesOf = async (uuid: string) => (await incidentsOf(backend, uuid)).map(({ status }) => status)
const evaluate = () => backend.jobs.evaluateServers()

/** Time passes: instances send heartbeats, and servers are evaluated. */
async function pass(seconds: number, stepSeconds = 5): Promise<void> {
  for (let passed = 0; passed < seconds; passed += stepSeconds) {
    backend.clock.advance(Math.min(stepSeconds, seconds - passed) * 1000)
    await instance.beat()
    await evaluate()
  }
}

describe('a server that stops pushing', () => {
  it('opens an incident after the grace period, which is resolved when it is back', async () => {
    const { uuid, sends } = await server()
    await ruleOf(offline)
    await instance.beat()
    await pass(100)
    await sends({ 'cpu.percent': [1] })
    const lastAt = backend.clock.now()
    await pass(175)
    expect(await statusesOf(uuid)).toEqual([])
    await pass(10, 1)
    const [incident, ...others] = await incidentsOf(backend, uuid)
    expect(others).toEqual([])
    expect(incident).toMatchObject({
      target_type: 'server',
      target_name: 'web-1',
      status: 'open',
      at: new Date(lastAt + 180_000),
      summary: `web-1 is offline (last seen ${new Date(lastAt).toISOString().slice(11, 16)} UTC)`,
    })
    await pass(120)
    await sends({ 'cpu.percent': [1] })
    await pass(30)
    expect(await statusesOf(uuid)).toEqual(['resolved'])
  })

  it('opens an incident ten minutes after its registration if it never pushed', async () => {
    const { uuid } = await server()
    const registeredAt = backend.clock.now()
    await ruleOf(offline)
    await instance.beat()
    await pass(595)
    expect(await statusesOf(uuid)).toEqual([])
    await pass(10, 1)
    const registered = new Date(registeredAt).toISOString().slice(11, 16)
    expect(await incidentsOf(backend, uuid)).toMatchObject([
      { summary: `web-1 has not sent a sample (registered ${registered} UTC)` },
    ])
  })

  it('opens an incident for_seconds later [ALERT-06]', async () => {
    const { uuid, sends } = await server()
    await ruleOf(offline, { for_seconds: 600 })
    await sends({ 'cpu.percent': [1] })
    await pass(775)
    expect(await statusesOf(uuid)).toEqual([])
    await pass(10, 1)
    expect(await statusesOf(uuid)).toEqual(['open'])
  })

  it('opens an incident at once for a rule that is created later', async () => {
    const { uuid } = await server()
    await pass(1_000, 20)
    await ruleOf(offline)
    await pass(1, 1)
    expect(await statusesOf(uuid)).toEqual(['open'])
  })

  it('opens no incident before the grace period after a start of the backend or an outage of the database', async () => {
    const { uuid, sends } = await server()
    await ruleOf(offline)
    await sends({ 'cpu.percent': [1] })
    await pass(60)
    // No instance ran for an hour.
    backend.clock.advance(3_600_000)
    await evaluate()
    expect(await statusesOf(uuid)).toEqual([])
    await pass(175)
    expect(await statusesOf(uuid)).toEqual([])
    await pass(10, 1)
    expect(await statusesOf(uuid)).toEqual(['open'])
  })

  it('opens no incident where it pushes to another instance [ALERT-12]', async () => {
    const { uuid, sends } = await server()
    await ruleOf(offline)
    const other = createServerEvaluator({
      db: backend.pool.db,
      clock: backend.clock,
      changes: NO_ANNOUNCEMENTS,
      pushIntervalSeconds: 60,
      slices: () => ALL_SLICES,
    })
    for (let minute = 0; minute < 8; minute += 1) {
      await sends({ 'cpu.percent': [1] })
      await pass(60)
      await other.evaluate()
    }
    expect(await statusesOf(uuid)).toEqual([])
    await pass(170)
    await Promise.all([other.evaluate(), evaluate()])
    await pass(10, 1)
    await Promise.all([other.evaluate(), evaluate()])
    expect(await statusesOf(uuid)).toEqual(['open'])
  })
})

describe('where pushes and rules are announced', () => {
  it('a server that is offline is evaluated when it pushes again, and hardly ever before', async () => {
    const { id, uuid, sends } = await server()
    await ruleOf(offline)
    const { changes, announce } = announcements()
    const evaluator = createServerEvaluator({
      db: backend.pool.db,
      clock: backend.clock,
      changes,
      pushIntervalSeconds: 60,
      slices: () => ALL_SLICES,
    })
    const passing = async (seconds: number) => {
      let evaluations = 0
      for (let second = 0; second < seconds; second += 1) {
        backend.clock.advance(1_000)
        if (second % 10 === 0) await instance.beat()
        if (!evaluator.isDue()) continue
        evaluations += 1
        await evaluator.evaluate()
      }
      return evaluations
    }
    await sends({ 'cpu.percent': [1] })
    await passing(600)
    expect(await statusesOf(uuid)).toEqual(['open'])
    // Rules and servers are read once a minute all the same.
    for (let beat = 0; beat < 720; beat += 1) {
      backend.clock.advance(15_000)
      await instance.beat()
    }
    await evaluator.evaluate()
    expect(await passing(600)).toBeLessThan(15)
    await sends({ 'cpu.percent': [1] })
    announce('metric_push', parseId('server', id))
    expect(evaluator.isDue()).toBe(true)
    await evaluator.evaluate()
    expect(await statusesOf(uuid)).toEqual(['resolved'])
  })
})

describe('the events of a server', () => {
  it('report once that it is offline, and that it is back, to webhooks that list them [EVENT-08]', async () => {
    const [{ id, uuid, sends }, silent] = [await server(), await server()]
    const config = { url: 'https://hooks.example.com/', events: ['server.offline', 'server.online'] }
    await call('POST', '/v1/channels', { name: 'hook', type: 'webhook', config })
    const { last_event_id: begin } = await call('GET', '/v1/events')
    const other = createServerEvaluator({
      db: backend.pool.db,
      clock: backend.clock,
      changes: NO_ANNOUNCEMENTS,
      pushIntervalSeconds: 60,
      slices: () => ALL_SLICES,
    })
    await instance.beat()
    await sends({ 'cpu.percent': [1] })
    const lastAt = new Date(backend.clock.now()).toISOString()
    await pass(300)
    await Promise.all([other.evaluate(), evaluate()])
    await sends({ 'cpu.percent': [1] })
    await pass(60)
    await Promise.all([other.evaluate(), evaluate()])
    const rows = await backend.pool.db
      .selectFrom('live_event')
      .select(['type', 'data'])
      .where('organization', '=', organization.number)
      .where('type', 'like', 'server.%')
      .orderBy('at')
      .execute()
    const expected = { id, name: 'web-1' }
    expect(rows).toEqual([
      { type: 'server.offline', data: { server: { ...expected, status: 'offline', last_seen_at: lastAt } } },
      { type: 'server.online', data: { server: { ...expected, status: 'online', last_seen_at: expect.any(String) } } },
    ])
    expect(begin).toBeNull()
    const { rows: deliveries } = await backend.pool.pg.query('select from notification_delivery where organization = $1', [
      organization.number,
    ])
    expect(deliveries).toHaveLength(2)
    // One that was never heard of has not fallen silent.
    expect([uuid === silent.uuid, await statusesOf(silent.uuid)]).toEqual([false, []])
  })
})

describe('samples', () => {
  it('open with one sample above the threshold, and resolve once a whole push is below it [ALERT-05, ALERT-09]', async () => {
    const { uuid, sends } = await server()
    const rule = await ruleOf(above('cpu.percent', 90), { clear_value: 80 })
    const statuses: string[][] = []
    for (const percents of [
      [50, 90],
      [50, 95, 60],
      [50, 85],
      [70, 80],
    ]) {
      await sends({ 'cpu.percent': percents })
      await pass(60)
      statuses.push(await statusesOf(uuid))
    }
    expect(statuses).toEqual([[], ['open'], ['open'], ['resolved']])
    const [incident] = await incidentsOf(backend, uuid)
    expect(incident).toMatchObject({
      rule_id: parseId('alertRule', rule.id),
      summary: 'web-1: CPU 95 % (threshold 90 %)',
    })
    expect(incident?.evidence).toMatchObject({ metric: 'cpu.percent', value: 95 })
  })

  it('are evaluated within seconds of their receipt', async () => {
    const { uuid, sends } = await server()
    await ruleOf(above('memory.percent', 90))
    for (const percent of [50, 50, 99]) {
      await pass(60)
      await sends({ 'memory.percent': [percent] })
    }
    await pass(5, 1)
    expect(await statusesOf(uuid)).toEqual(['open'])
  })

  it('open by their mean once live samples cover the duration [ALERT-05, ALERT-06]', async () => {
    const { uuid, sends } = await server()
    await ruleOf(above('memory.percent', 95), { for_seconds: 300 })
    const opened: number[] = []
    for (const percent of [50, 99, 99, 99, 99, 99, 99, 60, 60]) {
      await sends({ 'memory.percent': Array.from({ length: 6 }, () => percent) })
      await pass(60)
      const statuses = await statusesOf(uuid)
      opened.push(statuses.filter((status) => status === 'open').length)
    }
    // Five minutes of 99 are needed: the first minute of 50 still weighs before.
    expect(opened).toEqual([0, 0, 0, 0, 0, 1, 1, 0, 0])
    const [incident] = await incidentsOf(backend, uuid)
    expect(incident?.summary).toMatch(/^web-1: memory 9\d\S* % mean over 5 min \(threshold 95 %\)$/)
  })

  it('of filesystems open by the fullest, or by the named one [ALERT-05]', async () => {
    const { uuid, sends } = await server()
    const any = await ruleOf(above('filesystem.percent', 90))
    const named = await ruleOf(above('filesystem.percent', 80, { mount: '/var' }))
    const filesystem = (mount: string, percent: number) => ({ mount, fs_type: 'ext4', used_bytes: 1, total_bytes: 2, percent })
    await sends({ 'cpu.percent': [1] }, { filesystems: [filesystem('/', 95), filesystem('/var', 70)] })
    await pass(60)
    const first = await incidentsOf(backend, uuid)
    expect(first.map(({ rule_id, summary }) => [rule_id, summary])).toEqual([
      [parseId('alertRule', any.id), 'web-1: / is 95 % full (threshold 90 %)'],
    ])
    await sends({ 'cpu.percent': [1] }, { filesystems: [filesystem('/', 50), filesystem('/var', 85), filesystem('/new', 10)] })
    await pass(60)
    const second = await incidentsOf(backend, uuid)
    expect(second.map(({ rule_id, status }) => [rule_id, status])).toEqual([
      [parseId('alertRule', any.id), 'resolved'],
      [parseId('alertRule', named.id), 'open'],
    ])
  })

  it('that arrive late open nothing, neither one by one nor by their mean [ALERT-11]', async () => {
    const { uuid, sends } = await server()
    await ruleOf(above('cpu.percent', 90))
    await ruleOf(above('cpu.percent', 90), { for_seconds: 600 })
    await sends({ 'cpu.percent': [10] })
    await pass(1_200, 20)
    await sends({ 'cpu.percent': Array.from({ length: 60 }, () => 99) }, { agoMs: 301_000 })
    await pass(10)
    await sends({ 'cpu.percent': [50] })
    await pass(60)
    expect(await statusesOf(uuid)).toEqual([])
    // Nor do they count with live ones that are over.
    await call('PATCH', `/v1/alert-rules/${(await call('GET', '/v1/alert-rules')).alert_rules[1].id}`, { enabled: false })
    await sends({ 'cpu.percent': [99] })
    await pass(60)
    expect(await statusesOf(uuid)).toEqual([])
  })

  it('open for a rule that is created after them, and not once it applies to other targets [ALERT-02]', async () => {
    const { id, uuid, sends } = await server()
    await sends({ 'cpu.percent': [99] })
    await pass(10)
    const rule = await ruleOf(above('cpu.percent', 90), { target: { type: 'server', id } })
    await pass(1, 1)
    expect(await statusesOf(uuid)).toEqual(['open'])
    await call('PATCH', `/v1/alert-rules/${rule.id}`, { target: { type: 'server', tag: 'others' } })
    await pass(60)
    expect(await statusesOf(uuid)).toEqual(['resolved'])
  })

  it('are evaluated on by a process that is restarted [ALERT-12]', async () => {
    const { uuid, sends } = await server()
    await ruleOf(above('cpu.percent', 90))
    await sends({ 'cpu.percent': [99] })
    await pass(60)
    const started = createServerEvaluator({
      db: backend.pool.db,
      clock: backend.clock,
      changes: NO_ANNOUNCEMENTS,
      pushIntervalSeconds: 60,
      slices: () => ALL_SLICES,
    })
    await started.evaluate()
    expect(await statusesOf(uuid)).toEqual(['open'])
    await sends({ 'cpu.percent': [10] })
    backend.clock.advance(6_000)
    await started.evaluate()
    expect(await statusesOf(uuid)).toEqual(['resolved'])
  })
})

describe('the state of a host', () => {
  const units = (...names: string[]) => ({ host: { failed_units: names } })
  const failed = (...values: number[]) => ({ 'cpu.percent': values.map(() => 1), 'host.failed_units': values })

  it('opens an incident that names what is wrong, and resolves it [ALERT-05]', async () => {
    const { uuid, sends } = await server()
    await ruleOf(above('host.failed_units', 0))
    await sends(failed(0), units())
    await backend.vedette.flush()
    await pass(60)
    await sends(failed(0, 2), units('nginx.service', 'foo.service'))
    // The state of this server was stored a minute ago: what is wrong with it is stored at once.
    await backend.vedette.flush(100)
    await pass(60)
    const [incident] = await incidentsOf(backend, uuid)
    expect(incident).toMatchObject({ status: 'open', summary: 'web-1: 2 failed units: nginx.service, foo.service' })
    expect(incident?.evidence).toMatchObject({ metric: 'host.failed_units', value: 2 })
    await sends(failed(0), units())
    await pass(60)
    const { incidents } = await call('GET', '/v1/incidents')
    const { timeline } = await call('GET', `/v1/incidents/${incidents[0].id}`)
    expect(timeline.at(-1)).toMatchObject({ type: 'resolved', message: 'web-1: no failed units' })
  })

  it('opens an incident with the count alone where the names are unknown', async () => {
    const { uuid, sends } = await server()
    await ruleOf(above('host.missing_processes', 0))
    await sends({ 'host.missing_processes': [2] })
    await pass(60)
    expect((await incidentsOf(backend, uuid)).map(({ summary }) => summary)).toEqual(['web-1: 2 processes are missing'])
  })

  it('must hold for for_seconds without interruption, and resolves at once [ALERT-05, ALERT-06]', async () => {
    const { uuid, sends } = await server()
    await ruleOf(above('host.failed_units', 0), { for_seconds: 300 })
    const statuses: string[][] = []
    for (const count of [3, 3, 0, 3, 3, 3, 3, 3, 3, 0]) {
      await sends(failed(...Array.from({ length: 6 }, () => count)))
      await pass(60)
      statuses.push(await statusesOf(uuid))
    }
    // The interruption is over five minutes ago only in the sixth minute after it.
    expect(statuses.slice(-3)).toEqual([[], ['open'], ['resolved']])
    expect(statuses.slice(0, -3).flat()).toEqual([])
    expect((await incidentsOf(backend, uuid))[0]?.summary).toBe('web-1: 3 failed units')
  })

  it('opens and resolves nothing while it is unknown, as of an agent that does not send it', async () => {
    const { uuid, sends } = await server()
    await ruleOf(above('host.reboot_required', 0))
    await sends({ 'cpu.percent': [1] })
    await pass(60)
    expect(await statusesOf(uuid)).toEqual([])
    await sends({ 'host.reboot_required': [1] })
    await pass(60)
    await sends({ 'cpu.percent': [1] })
    await pass(60)
    expect(await incidentsOf(backend, uuid)).toMatchObject([{ status: 'open', summary: 'web-1 needs a restart' }])
  })
})

describe('a server that is stored with the number of an older one', () => {
  it('is evaluated two minutes later, also where another one was deleted', async () => {
    const { pg } = backend.pool
    await ruleOf(offline)
    const [first, doomed] = [await server(), await server()]
    // A thousand registrations later.
    await pg.query(`select setval(pg_get_serial_sequence('server', 'number'), 5000)`)
    await server()
    await pass(10)
    await backend.call('DELETE', `/v1/servers/${doomed.id}`, { as: admin })
    const { rows } = await pg.query<{ id: string }>(
      `with stored as (
        insert into server (organization, id, number, machine_id, token_hash, token_created_at, former_boot_ids, hostname, os, kernel,
          arch, agent_version, tags, facts, registered_at)
        overriding system value
        select organization, gen_random_uuid(), 1000, 'imported', '', registered_at, '{}', 'imported', os, kernel, arch, agent_version,
          tags, facts, registered_at - interval '1 day'
        from server where id = $1 returning organization, id, registered_at
      ), newest as (
        insert into server_newest (organization, id, created_at, last_push_ms)
        select organization, id, registered_at, 1 from stored
      )
      select id from stored`,
      [first.uuid],
    )
    await pass(140)
    expect(await statusesOf(rows[0]?.id ?? '')).toEqual(['open'])
  })
})
