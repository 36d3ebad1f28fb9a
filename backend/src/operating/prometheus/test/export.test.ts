import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isMissing } from '../../../../../scripts/test-tools.ts'
import {
  type Credentials,
  registration,
  startTestBackend,
  type TestBackend,
  type TestOrganization,
} from '../../../../test/harness.ts'
import { createMonitor, ENTITIES, linesOf, push, SAMPLE, startRegion, STATE } from './world.ts'

const MINUTE = 60_000
const HOSTILE = 'web"1\\\n{a="b"} 1 # EOF'

let backend: TestBackend
beforeAll(async () => {
  backend = await startTestBackend()
})
afterAll(() => backend.close())

const scrape = async (path: string, as: Credentials, headers: Record<string, string> = {}) => {
  const { status, body, headers: answered } = await backend.call('GET', `/v1/prometheus/${path}`, { as, headers })
  return { status, text: String(body), headers: answered, body }
}
const OPENMETRICS = { accept: 'application/openmetrics-text; version=1.0.0' }

async function newHost(organization: TestOrganization, more: object = {}): Promise<{ id: string; as: Credentials }> {
  const as = await backend.apiKey(organization, 'agent')
  const machineId = `${Math.trunc(backend.clock.now())}-${(made += 1)}`
  const { body } = await backend.call('POST', '/v1/agent/register', { as, body: registration(machineId, more) })
  return { id: body.server_id, as: { 'x-api-key': body.token } }
}
let made = 0

describe('GET /v1/prometheus/hosts', () => {
  let organization: TestOrganization
  let reader: Credentials
  let host: { id: string; as: Credentials }
  beforeAll(async () => {
    organization = await backend.organization()
    reader = await backend.apiKey(organization, 'read')
    host = await newHost(organization, { hostname: 'web-1', tags: ['web', 'eu'], boot_time: '2026-01-01T00:00:00.000Z' })
    await push(backend, host.as, { state: { ...STATE, entities: ENTITIES } })
  })
  const labels = (more = '') => `{instance="web-1",server_id="${host.id}"${more}}`

  it('has the newest sample, by the names of node_exporter where the meaning is the same', async () => {
    const { status, text, headers } = await scrape('hosts', reader)
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
      'no-store',
    ])
    expect(headers['vary']).toContain('Accept')
    const lines = linesOf(text)
    for (const line of [
      `node_load1${labels()} 0.11`,
      `node_load15${labels()} 0.81`,
      `node_memory_MemTotal_bytes${labels()} 8589934592`,
      `node_memory_MemAvailable_bytes${labels()} 6442450944`,
      `node_memory_SwapFree_bytes${labels()} 3072`,
      `node_boot_time_seconds${labels()} 1767225600`,
      `node_filesystem_size_bytes${labels(',mountpoint="/"')} 42949672960`,
      `vedette_filesystem_used_percent${labels(',mountpoint="/srv/\\"a\\\\b\\""')} 50`,
      `vedette_interface_receive_bytes_per_second${labels(',device="eth0"')} 1200.5`,
      `vedette_cpu_percent${labels()} 12.5`,
      `vedette_tcp_connections${labels(',state="time_wait"')} 7`,
      `vedette_host_failed_units${labels()} 1`,
      `vedette_host_reboot_required${labels()} 0`,
      `vedette_disk_write_bytes_per_second${labels()} 122880`,
      `vedette_host_sampled_timestamp_seconds${labels()} ${backend.clock.now() / 1_000}`,
    ])
      expect(lines).toContain(line)
    expect(lines.filter((line) => line.startsWith('vedette_host_info'))).toEqual([
      expect.stringMatching(
        /,os="Debian GNU\/Linux 12",kernel="6.1.0",arch="x64",agent_version="[^"]+",tags=",(web,eu|eu,web),"} 1$/,
      ),
    ])
    // No sample has an instant: it would switch the staleness of Prometheus off.
    for (const line of lines) expect(line).toMatch(/^[a-zA-Z0-9_]+\{.*\} [-+.e0-9]+$/)
  })

  it('has entities, those of containers by the names of cAdvisor where the meaning is the same', async () => {
    const lines = linesOf((await scrape('hosts', reader)).text)
    const container = labels(
      ',name="shop/web",image="shop:1.4",container_label_com_docker_compose_project="shop",container_label_com_docker_compose_service="web"',
    )
    for (const line of [
      `container_memory_working_set_bytes${container} 134217728`,
      `container_spec_memory_limit_bytes${container} 268435456`,
      `vedette_container_cpu_percent${container} 3.25`,
      `vedette_container_network_receive_bytes_per_second${container} 10`,
      `vedette_unit_running${labels(',name="nginx.service"')} 1`,
      `vedette_process_running${labels(',name="postgres"')} 8`,
      `vedette_sensor_temperature_celsius${labels(',name="coretemp Package",chip="coretemp",label="Package id 0"')} 41.5`,
      `vedette_sensor_critical_celsius${labels(',name="coretemp Package",chip="coretemp",label="Package id 0"')} 100`,
      `vedette_sensor_fan_rpm${labels(',name="fan1"')} 900`,
      `vedette_disk_power_on_seconds${labels(',name="sda",model="WD",serial="S1"')} 7200`,
      `vedette_updates_oldest_seconds${labels(',name="apt"')} 172800`,
      `queue_length${labels(',queue="mail"')} 1.5`,
    ])
      expect(lines).toContain(line)
    // The limit of a fan is none of a temperature.
    expect(lines.filter((line) => line.startsWith('vedette_sensor_critical_celsius'))).toHaveLength(1)
    expect(lines.filter((line) => line.includes('="shop/web"') && line.includes('exit_code'))).toEqual([])
  })

  it('changes with the next push, and leaves out what that does not have', async () => {
    const other = await backend.organization('Moving')
    const as = await backend.apiKey(other, 'read')
    const moving = await newHost(other, { hostname: 'moving' })
    const read = async () => linesOf((await scrape('hosts', as)).text).map((line) => line.replace(/\{.*\}/, ''))
    await push(backend, moving.as, { state: { entities: [ENTITIES[0]] } })
    expect(await read()).toEqual(expect.arrayContaining(['vedette_cpu_percent 12.5', 'vedette_container_running 1']))
    expect(await read()).toEqual(expect.arrayContaining(['vedette_cpu_percent 12.5', 'vedette_container_running 1']))
    backend.clock.advance(MINUTE)
    const at = new Date(backend.clock.now()).toISOString()
    await push(backend, moving.as, { samples: [{ at, cpu: { percent: 1, cores: null } }], state: { entities: [] } })
    const after = await read()
    expect(after).toContain('vedette_cpu_percent 1')
    expect(after.filter((line) => /node_load1|vedette_cpu_cores/.test(line))).toEqual([])
    // The sample of a second before, of the same push, has the gauge; its rate is not that of the present.
    backend.clock.advance(MINUTE)
    const [before, last] = [1_000, 0].map((age) => new Date(backend.clock.now() - age).toISOString())
    const mixed = [
      { at: before, cpu: { cores: 8 }, network: { rx_bytes_per_sec: 5 } },
      { at: last, cpu: { percent: 2 } },
    ]
    await push(backend, moving.as, { samples: mixed })
    const figures = await read()
    expect(figures).toEqual(expect.arrayContaining(['vedette_cpu_percent 2', 'vedette_cpu_cores 8']))
    expect(figures.filter((line) => line.startsWith('vedette_network'))).toEqual([])
    // Readings of entities that stopped are those of the present for as long as the host would be.
    backend.clock.advance(MINUTE + 1)
    await push(backend, moving.as)
    expect((await read()).filter((line) => line.includes('container'))).toEqual([])
  })

  it('has a host under its present name, with its present tags', async () => {
    const other = await backend.organization('Renamed')
    const as = await backend.apiKey(other, 'admin')
    const renamed = await newHost(other, { hostname: 'old' })
    await push(backend, renamed.as)
    await scrape('hosts', as)
    const body = { display_name: HOSTILE.replace('\n', ''), tags: ['a'] }
    expect((await backend.call('PATCH', `/v1/servers/${renamed.id}`, { as, body })).status).toBe(200)
    const lines = linesOf((await scrape('hosts', as)).text)
    expect(lines.filter((line) => line.includes('instance="old"'))).toEqual([])
    expect(lines.filter((line) => line.startsWith('node_load1{'))).toEqual([
      `node_load1{instance="web\\"1\\\\{a=\\"b\\"} 1 # EOF",server_id="${renamed.id}"} 0.11`,
    ])
  })

  it('leaves out hosts that are offline, that never pushed, and that still send old samples', async () => {
    const other = await backend.organization('Absent')
    const as = await backend.apiKey(other, 'read')
    const [offline, late] = [await newHost(other, { hostname: 'offline' }), await newHost(other, { hostname: 'late' })]
    await newHost(other, { hostname: 'never' })
    await push(backend, offline.as, { state: { entities: ENTITIES } })
    expect((await scrape('hosts', as)).text).toContain('instance="offline"')
    backend.clock.advance(4 * MINUTE)
    await push(backend, late.as, { ageMs: 60 * MINUTE, state: { entities: ENTITIES } })
    expect(linesOf((await scrape('hosts', as)).text)).toEqual([expect.stringMatching(/^vedette_host_info\{instance="late"/)])
    await push(backend, late.as)
    expect((await scrape('hosts', as)).text).toContain('node_load1{instance="late"')
  })

  it('has no host of another organization; `tag` selects, also several', async () => {
    const other = await backend.organization('Tagged')
    const as = await backend.apiKey(other, 'read')
    for (const [hostname, tags] of [
      ['a', ['x']],
      ['b', ['x', 'y']],
    ] as const)
      await push(backend, (await newHost(other, { hostname, tags })).as)
    const names = async (query = '') =>
      linesOf((await scrape(`hosts${query}`, as)).text)
        .filter((line) => line.startsWith('node_load1{'))
        .map((line) => /instance="([^"]+)"/.exec(line)?.[1])
    expect(await names()).toEqual(['a', 'b'])
    expect(await names('?tag=x')).toEqual(['a', 'b'])
    expect(await names('?tag=x&tag=y')).toEqual(['b'])
    expect(await names('?tag=z')).toEqual([])
    const { status, body } = await scrape('hosts?tags=x', as)
    expect([status, body.error.details]).toEqual([400, [{ path: 'tags', message: 'is unknown' }]])
  })

  it('is OpenMetrics for a reader that prefers it', async () => {
    await push(backend, host.as, { state: { ...STATE, entities: ENTITIES } })
    const { text, headers } = await scrape('hosts', reader, OPENMETRICS)
    expect(headers['content-type']).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8')
    expect(text.endsWith('# EOF\n')).toBe(true)
    expect(text).toContain('# TYPE vedette_host info\n')
    expect(text).toContain('# UNIT node_memory_MemTotal_bytes bytes\n')
    expect(linesOf(text)).toEqual(linesOf((await scrape('hosts', reader)).text))
    const empty = await backend.apiKey(await backend.organization('Empty'), 'read')
    expect((await scrape('hosts', empty, OPENMETRICS)).text).toBe('# EOF\n')
  })

  it('has each series once, and each family in one place', async () => {
    await push(backend, host.as, { state: { ...STATE, entities: ENTITIES } })
    const { text } = await scrape('hosts', reader)
    const series = linesOf(text).map((line) => line.slice(0, line.lastIndexOf(' ')))
    expect(new Set(series).size).toBe(series.length)
    const families = linesOf(text).map((line) => line.slice(0, line.indexOf('{')))
    const runs = families.filter((name, index) => families[index - 1] !== name)
    expect(new Set(runs).size).toBe(runs.length)
    expect(text.split('\n').filter((line) => line.startsWith('# TYPE')).length).toBe(runs.length)
  })

  it('has own metrics with hostile names as labels at most, and none that takes a name of ours', async () => {
    const other = await backend.organization('Hostile')
    const as = await backend.apiKey(other, 'read')
    const hostile = await newHost(other, { hostname: 'h' })
    const metric = (name: string, help = '') => ({ kind: 'metric', name, attributes: { help }, values: { value: 1 } })
    await push(backend, hostile.as, {
      state: {
        entities: [
          metric('node_load1{instance="web-1"}'),
          metric('up'),
          metric('x 1\nup 0'),
          metric('fine{server_id="other"}', 'two\nlines \\'),
          { kind: 'container', name: 'a"} 1\nup{x="', values: { running: 1 } },
        ],
      },
    })
    const { text } = await scrape('hosts', as)
    expect(text).toContain('# HELP fine two\\nlines \\\\\n# TYPE fine untyped\n')
    const lines = linesOf(text)
    expect(lines.filter((line) => line.startsWith('fine'))).toEqual([
      `fine{instance="h",server_id="${hostile.id}",exported_server_id="other"} 1`,
    ])
    expect(lines.filter((line) => /^(up|x)\b/.test(line))).toEqual([])
    expect(lines.filter((line) => line.startsWith('node_load1{'))).toHaveLength(1)
    expect(lines).toContain(`vedette_container_running{instance="h",server_id="${hostile.id}",name="a\\"} 1\\nup{x=\\""} 1`)
  })
})

describe('GET /v1/prometheus/monitors', () => {
  let reader: Credentials
  let admin: Credentials
  let organization: TestOrganization
  let submit: Awaited<ReturnType<typeof startRegion>>
  const region = 'prom-1'
  beforeAll(async () => {
    organization = await backend.organization('Monitors')
    reader = await backend.apiKey(organization, 'read')
    admin = await backend.apiKey(organization, 'admin')
    submit = await startRegion(backend, region)
  })

  it('has the newest check of each region by the names of blackbox_exporter', async () => {
    const url = 'https://shop.example.com/'
    const id = await createMonitor(backend, admin, {
      name: HOSTILE.replace('\n', ''),
      url,
      regions: [region],
      tags: ['shop'],
      confirmations: 1,
    })
    const downUrl = 'https://down.example.com/'
    const down = await createMonitor(backend, admin, { name: 'down', url: downUrl, regions: [region], confirmations: 1 })
    const pingUrl = 'tcp://db.example.com:5432'
    const ping = await createMonitor(backend, admin, { name: 'tcp', type: 'tcp', url: pingUrl, regions: [region] })
    backend.clock.advance(MINUTE)
    const certificate = { expires_at: '2027-01-01T00:00:00.000Z', issuer: 'CA', subject_names: ['shop.example.com'] }
    const failed = { outcome: 'down', status_code: null, response_ms: null, dns_ms: 1, connect_ms: null, tls_ms: null }
    await submit([
      { url, certificate },
      {
        url: downUrl,
        ...failed,
        first_byte_ms: null,
        transfer_ms: null,
        error: { code: 'connect', message: 'refused' },
        address: null,
      },
      {
        url: pingUrl,
        status_code: null,
        tls_ms: null,
        first_byte_ms: null,
        transfer_ms: null,
        address: '2001:db8::1',
        http_version: null,
      },
    ])
    const { text } = await scrape('monitors', reader)
    const lines = linesOf(text)
    const monitor = `instance="web\\"1\\\\{a=\\"b\\"} 1 # EOF",monitor_id="${id}",type="http"`
    const own = (more = '') => `{${monitor},region="${region}"${more}}`
    for (const line of [
      `vedette_monitor_info{${monitor},url="https://shop.example.com/",tags=",shop,"} 1`,
      `vedette_monitor_status{${monitor},status="up"} 1`,
      `probe_success${own()} 1`,
      `vedette_check_degraded${own()} 0`,
      `probe_duration_seconds${own()} 0.0842`,
      `probe_dns_lookup_time_seconds${own()} 0.0013`,
      `probe_http_duration_seconds${own(',phase="resolve"')} 0.0013`,
      `probe_http_duration_seconds${own(',phase="processing"')} 0.0201`,
      `probe_http_status_code${own()} 200`,
      `probe_ssl_earliest_cert_expiry${own()} 1798761600`,
      `probe_ip_protocol${own()} 4`,
      `vedette_check_timestamp_seconds${own()} ${backend.clock.now() / 1_000}`,
    ])
      expect(lines).toContain(line)
    const of = (monitorId: string) =>
      lines.filter((line) => line.includes(monitorId)).map((line) => line.replace(/\{.*?(,phase="\w+")?\}/, '$1'))
    // What was not measured is absent.
    expect(of(down).filter((line) => line.startsWith('probe_'))).toEqual([
      'probe_success 0',
      'probe_dns_lookup_time_seconds 0.001',
      'probe_http_duration_seconds,phase="resolve" 0.001',
    ])
    expect(of(ping)).toEqual(
      expect.arrayContaining(['probe_success 1', 'probe_ip_protocol 6', 'vedette_check_phase_seconds,phase="connect" 0.0204']),
    )
    expect(of(ping).filter((line) => line.includes('probe_http'))).toEqual([])
    const tagged = linesOf((await scrape('monitors?tag=shop', reader)).text)
    expect(tagged.filter((line) => !line.includes(id))).toEqual([])
    expect(tagged.length).toBeGreaterThan(10)
  })

  it('leaves out paused and deleted monitors, and checks that are too old to be of the present', async () => {
    const other = await backend.organization('Quiet')
    const as = await backend.apiKey(other, 'admin')
    const urls = ['paused', 'deleted', 'stale'].map((name) => `https://${name}.example.com/`)
    const own = await startRegion(backend, 'prom-2')
    const ids: string[] = []
    for (const url of urls) ids.push(await createMonitor(backend, as, { name: url, url, regions: ['prom-2'], interval: 60 }))
    backend.clock.advance(MINUTE)
    await own(urls.map((url) => ({ url })))
    expect(linesOf((await scrape('monitors', as)).text).filter((line) => line.startsWith('probe_success'))).toHaveLength(3)
    await backend.call('POST', `/v1/monitors/${ids[0]}/pause`, { as })
    await backend.call('DELETE', `/v1/monitors/${ids[1]}`, { as })
    backend.clock.advance(4 * MINUTE)
    expect((await scrape('monitors', as)).text).toContain('probe_success')
    backend.clock.advance(1)
    const lines = linesOf((await scrape('monitors', as)).text)
    expect(lines.map((line) => line.slice(0, line.indexOf('{')))).toEqual(['vedette_monitor_info', 'vedette_monitor_status'])
    expect(lines.every((line) => line.includes(ids[2] as string))).toBe(true)
  })

  it('has no outcome of an inconclusive check, and degraded is a pass', async () => {
    const other = await backend.organization('Outcomes')
    const as = await backend.apiKey(other, 'admin')
    const own = await startRegion(backend, 'prom-3')
    const [slow, unknown] = ['https://slow.example.com/', 'https://unknown.example.com/']
    for (const url of [slow, unknown]) await createMonitor(backend, as, { name: url, url, regions: ['prom-3'] })
    backend.clock.advance(MINUTE)
    await own([
      { url: slow, outcome: 'degraded', error: { code: 'assertion', message: 'slow' } },
      { url: unknown, outcome: 'inconclusive', error: { code: 'internal', message: 'no network' } },
    ])
    const figures = linesOf((await scrape('monitors', as)).text)
      .filter((line) => /^(probe_success|vedette_check_degraded)/.test(line))
      .map((line) => line.replace(/\{instance="([^"]+)".*\}/, ' $1'))
    expect(figures).toEqual([`probe_success ${slow} 1`, `vedette_check_degraded ${slow} 1`])
  })
})

describe('a scraper', () => {
  const bearer = (key: Credentials) => ({ authorization: `Bearer ${key['x-api-key']}` })

  it('sends an API key as X-API-Key or as Bearer, here alone; both at once are refused', async () => {
    const organization = await backend.organization('Keys')
    const key = await backend.apiKey(organization, 'read')
    for (const path of ['hosts', 'monitors'])
      expect([(await scrape(path, key)).status, (await scrape(path, bearer(key))).status]).toEqual([200, 200])
    expect((await scrape('hosts', { ...key, ...bearer(key) })).status).toBe(401)
    expect((await scrape('hosts', bearer(await backend.apiKey(organization, 'agent')))).status).toBe(403)
    expect((await scrape('hosts', { authorization: 'Bearer vdt_key_unknown' })).status).toBe(401)
    const server = await backend.server(organization)
    expect((await scrape('hosts', { authorization: `Bearer ${server.as['x-api-key']}` })).status).toBe(401)
    expect((await scrape('hosts', server.as)).status).toBe(403)
    expect((await backend.call('GET', '/v1/servers', { as: bearer(key) })).status).toBe(401)
    expect((await scrape('hosts', await backend.member(organization, 'viewer'))).status).toBe(200)
  })

  it('has a limit of its own, which two Prometheus that scrape both routes every 10 s do not reach', async () => {
    const limited = await startTestBackend({
      databaseUrl: backend.databaseUrl,
      clock: backend.clock,
      environment: { VEDETTE_RATE_LIMITS: 'read=1' },
    })
    try {
      const as = await limited.apiKey(await limited.organization('Limited'), 'read')
      const get = (path: string) => limited.call('GET', path, { as })
      expect((await get('/v1/servers')).status).toBe(200)
      expect((await get('/v1/servers')).status).toBe(429)
      const statuses: number[] = []
      for (let request = 0; request < 60; request += 1)
        statuses.push((await get(`/v1/prometheus/${request % 2 ? 'hosts' : 'monitors'}`)).status)
      expect(new Set(statuses)).toEqual(new Set([200]))
      const refused = await get('/v1/prometheus/hosts')
      expect([refused.status, refused.headers['x-ratelimit-limit']]).toEqual([429, '60'])
    } finally {
      await limited.close()
    }
  })
})

it.skipIf(isMissing('promtool'))('promtool accepts both, but for the names that node_exporter has too', async () => {
  const organization = await backend.organization('Linted')
  const as = await backend.apiKey(organization, 'admin')
  await push(backend, (await newHost(organization, { hostname: 'a' })).as, { state: { ...STATE, entities: ENTITIES } })
  const submit = await startRegion(backend, 'prom-4')
  const url = 'https://lint.example.com/'
  await createMonitor(backend, as, { name: 'lint', url, regions: ['prom-4'] })
  backend.clock.advance(MINUTE)
  await submit([{ url, certificate: { expires_at: '2027-01-01T00:00:00.000Z', issuer: 'CA', subject_names: [] } }])
  const lint = (input: string) => {
    const { stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' })
    return `${stdout}${stderr}`.split('\n').filter((line) => line !== '')
  }
  const hosts = (await scrape('hosts', as)).text
  expect(linesOf(hosts).length).toBeGreaterThan(60)
  expect(lint(hosts)).toEqual(
    ['MemAvailable', 'MemTotal', 'SwapFree', 'SwapTotal'].map(
      (name) => `node_memory_${name}_bytes metric names should be written in 'snake_case' not 'camelCase'`,
    ),
  )
  expect(lint((await scrape('monitors', as)).text)).toEqual([])
  expect(lint(hosts.replace('# HELP node_load1 Load, mean of 1 minute.\n', ''))).toContain('node_load1 no help text')
})

/** Fields that hosts have are those of a sample. */
it('has a figure for every field of a sample', async () => {
  const organization = await backend.organization('Whole')
  const as = await backend.apiKey(organization, 'read')
  await push(backend, (await newHost(organization, { hostname: 'whole' })).as)
  const lines = linesOf((await scrape('hosts', as)).text)
  const fields = Object.values(SAMPLE).reduce((sum, group) => sum + Object.keys(group).length, 0)
  // And its info, its instant, and two that are differences.
  expect(lines).toHaveLength(fields + 4)
})
