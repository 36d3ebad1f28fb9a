import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findTool, isMissing } from '../../../../../scripts/test-tools.ts'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { ENTITIES, push, SAMPLE, STATE } from './world.ts'

let backend: TestBackend
let organization: TestOrganization
let reader: Credentials
let host: { id: string; as: { 'x-api-key': string } }
let startMs = 0
beforeAll(async () => {
  backend = await startTestBackend()
  organization = await backend.organization()
  reader = await backend.apiKey(organization, 'read')
  host = (await backend.server(organization)) as typeof host
  startMs = Math.ceil(backend.clock.now() / 300_000) * 300_000
  await pushMinutes(host.as, 10)
})
afterAll(() => backend.close())

/** A push a minute; the load of a sample is its number. */
async function pushMinutes(as: { 'x-api-key': string }, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    backend.clock.advance(startMs + (minute + 1) * 60_000 - backend.clock.now())
    const samples = Array.from({ length: 6 }, (_, index) => ({
      ...SAMPLE,
      at: new Date(startMs + minute * 60_000 + index * 10_000).toISOString(),
      cpu: { ...SAMPLE.cpu, load_1: minute * 6 + index },
    }))
    await push(backend, as, { samples, state: { ...STATE, entities: ENTITIES } })
  }
}

const get = (path: string, parameters: Record<string, string | number>, as: Credentials = reader) => {
  const search = new URLSearchParams(parameters as Record<string, string>).toString()
  return backend.call('GET', `/v1/prometheus/api/v1/${path}?${search}`, { as })
}
const query = async (expr: string, atMs = backend.clock.now()) => {
  const { status, body } = await get('query', { query: expr, time: atMs / 1_000 })
  expect([status, body.error]).toEqual([200, undefined])
  return body.data
}
const seconds = (ms: number) => ms / 1_000

describe('the query API of Prometheus', () => {
  it('answers the newest sample of a host with the labels of the scrape', async () => {
    const name = (await backend.call('GET', `/v1/servers/${host.id}`, { as: reader })).body.hostname
    expect(await query('node_load1')).toEqual({
      resultType: 'vector',
      result: [
        {
          metric: { __name__: 'node_load1', instance: name, server_id: host.id },
          value: [seconds(backend.clock.now()), '59'],
        },
      ],
    })
  })

  it('answers each step with the sample before it, and does not interpolate', async () => {
    const { body } = await get('query_range', {
      query: 'node_load1',
      start: seconds(startMs),
      end: seconds(startMs + 30_000),
      step: 5,
    })
    expect(body.data.result[0].values.map(([, value]: [number, string]) => value)).toEqual(['0', '0', '1', '1', '2', '2', '3'])
  })

  it('answers long steps over more than a day with means of five minutes, and says so', async () => {
    const range = { start: seconds(startMs - 2 * 86_400_000), end: seconds(startMs + 600_000), step: 300 }
    const valuesOf = ({ data }: { data: { result: { values: [number, string][] }[] } }) =>
      data.result[0]?.values.map(([, value]) => value)
    const { body } = await get('query_range', { query: 'node_load1', ...range })
    expect([valuesOf(body), body.warnings]).toEqual([['14.5', '44.5'], [expect.stringContaining('means')]])
    const { body: maxima } = await get('query_range', { query: 'node_load1:max', ...range })
    expect(valuesOf(maxima)).toEqual(['29', '59'])
    const { body: single } = await get('query_range', { query: 'max_over_time(node_load1[5m])', ...range })
    expect([valuesOf(single), single.warnings]).toEqual([['0', '30', '59'], undefined])
  })

  it('reads no more of a long range than there can be', async () => {
    const { status, body } = await get('query_range', { query: 'node_load1', start: 0, end: 4_102_444_800, step: 31_536_000 })
    expect([status, body.data.result]).toEqual([200, []])
  })

  it('is silent about a host that is offline, three push intervals after its last sample', async () => {
    const lastMs = startMs + 9 * 60_000 + 50_000
    expect((await query('node_load1', lastMs + 179_999)).result).toHaveLength(1)
    expect((await query('node_load1', lastMs + 180_000)).result).toHaveLength(0)
  })

  it.each([
    ['sum by (state) (vedette_tcp_connections{state="listen"})', '9'],
    ['node_memory_MemAvailable_bytes', '6442450944'],
    ['node_memory_MemTotal_bytes - node_memory_MemAvailable_bytes', '2147483648'],
    ['count(vedette_host_info{tags=~".*"})', '1'],
    ['vedette_filesystem_used_percent{mountpoint="/"}', '41.5'],
    ['vedette_interface_receive_bytes_per_second', '1200.5'],
    ['avg_over_time(node_load1[1m])', '56.5'],
    ['max_over_time(vedette_cpu_percent[5m])', '12.5'],
    ['vedette_cpu_percent:max', '12.5'],
    ['count(vedette_container_running)', '1'],
    ['count({__name__=~"vedette_cpu_percent.*"})', '1'],
    ['count({__name__=~"vedette_container_.+"}) > bool 0', '1'],
  ])('answers %s', async (expr, value) => {
    const { result } = await query(expr, startMs + 10 * 60_000 - 1)
    expect(result.map(({ value: [, text] }: { value: [number, string] }) => text)).toEqual([value])
  })

  it('answers as many series as the limit says, and warns', async () => {
    const { body } = await get('query', { query: 'vedette_tcp_connections', limit: 2, time: seconds(backend.clock.now()) })
    expect([body.data.result.length, body.warnings]).toEqual([2, ['results truncated due to limit']])
    const { body: list } = await get('label/state/values', { limit: 3 })
    expect([list.data.length, list.warnings]).toEqual([3, ['results truncated due to limit']])
  })

  it('takes forms, as Grafana sends them', async () => {
    const body = new URLSearchParams({ query: 'count(node_load1)', time: String(seconds(backend.clock.now())) }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await backend.call('POST', '/v1/prometheus/api/v1/query', { as: reader, body, headers })
    expect([answer.status, answer.body.data.result[0].value[1]]).toEqual([200, '1'])
  })

  it('answers every request of the data source of Grafana 12, as its source sends them', async () => {
    const [start, end] = [String(seconds(startMs)), String(seconds(backend.clock.now()))]
    const range = { start, end }
    const expr = 'sum by (server_id) (node_load1)'
    const listed = { limit: '40000', ...range }
    const posts: [path: string, fields: Record<string, string>, most: unknown][] = [
      ['query_range', { query: expr, ...range, step: '15', timeout: '60s' }, { resultType: 'matrix' }],
      ['query', { query: expr, time: end, timeout: '60s' }, { resultType: 'vector' }],
      ['query_exemplars', { query: expr, ...range }, []],
      ['labels', listed, expect.arrayContaining(['__name__', 'server_id'])],
      ['labels', { ...listed, 'match[]': '{__name__="node_load1"}' }, ['__name__', 'instance', 'server_id']],
      ['series', { ...listed, 'match[]': '{__name__="node_load1"}' }, [{ server_id: host.id }]],
      ['series', { ...listed, 'match[]': '{__name__!=""}' }, expect.any(Array)],
    ]
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    for (const [path, fields, data] of posts) {
      const body = new URLSearchParams(fields).toString()
      const sent = { as: reader, body, headers: { ...headers, accept: '*/*' } }
      const answers = [await backend.call('POST', `/v1/prometheus/api/v1/${path}`, sent), await get(path, fields)]
      for (const answer of answers)
        expect([path, answer.status, answer.body]).toMatchObject([path, 200, { status: 'success', data }])
    }
    const gets: [path: string, fields: Record<string, string>, data: unknown][] = [
      ['label/__name__/values', listed, expect.arrayContaining(['node_load1'])],
      ['label/server_id/values', { ...listed, 'match[]': '{__name__="node_load1"}' }, [host.id]],
      // A name of UTF-8 as Grafana escapes it.
      ['label/U__service_2e_name/values', listed, []],
      ['metadata', { limit: '40000' }, { node_load1: [{ type: 'gauge' }] }],
      ['rules', {}, { groups: expect.any(Array) }],
      ['status/buildinfo', {}, { version: expect.any(String) }],
    ]
    for (const [path, fields, data] of gets) {
      const answer = await get(path, fields)
      expect([path, answer.status, answer.body]).toMatchObject([path, 200, { status: 'success', data }])
    }
  })

  it('lists series, labels, values and metadata', async () => {
    const { body: series } = await get('series', { 'match[]': 'node_load1' })
    expect(series.data).toEqual([{ __name__: 'node_load1', instance: expect.any(String), server_id: host.id }])
    const { body: labels } = await get('labels', { 'match[]': 'vedette_filesystem_used_percent' })
    expect(labels.data).toEqual(['__name__', 'instance', 'mountpoint', 'server_id'])
    const { body: values } = await get('label/mountpoint/values', {})
    expect(values.data).toEqual(['/', '/srv/"a\\b"'])
    const { body: names } = await get('label/__name__/values', {})
    expect(names.data).toEqual(expect.arrayContaining(['node_load1', 'vedette_host_info', 'vedette_container_running']))
    const { body: metadata } = await get('metadata', { metric: 'node_load1' })
    expect(metadata.data).toEqual({ node_load1: [{ type: 'gauge', help: 'Load, mean of 1 minute.', unit: '' }] })
  })

  it.each([
    ['query', { query: 'sum(' }, 400, 'bad_data', 'parse error'],
    ['query', {}, 400, 'bad_data', 'invalid parameter "query"'],
    [
      'query',
      { query: '1', time: 'noon' },
      400,
      'bad_data',
      'invalid parameter "time": cannot parse "noon" to a valid timestamp',
    ],
    ['query', { query: '1', timeout: 'soon' }, 400, 'bad_data', 'invalid parameter "timeout"'],
    ['query_range', { query: '1', start: 1, end: 0, step: 1 }, 400, 'bad_data', 'end timestamp must not be before start time'],
    ['query_range', { query: '1', start: 0, end: 1, step: 0 }, 400, 'bad_data', 'zero or negative query resolution step'],
    [
      'query_range',
      { query: '1', start: 0, end: 11_001, step: 1 },
      400,
      'bad_data',
      'exceeded maximum resolution of 11,000 points',
    ],
    ['series', {}, 400, 'bad_data', 'no match[] parameter provided'],
    ['label/instance', {}, 400, 'bad_data', 'the path is label/<name>/values'],
    ['labels', { 'match[]': 'sum(up)' }, 400, 'bad_data', 'is no selector of series'],
    ['query', { query: 'node_load1 + on (server_id) group_left () {__name__=~"node_.+"}' }, 422, 'execution', ''],
  ])('refuses %s %o', async (path, parameters, status, errorType, error) => {
    const answer = await get(path, parameters)
    expect([answer.status, answer.body]).toEqual([status, { status: 'error', errorType, error: expect.stringContaining(error) }])
  })

  it('shows an organization its own series alone', async () => {
    const other = await backend.apiKey(await backend.organization('Other'), 'read')
    const { body } = await get('query', { query: 'node_load1', time: seconds(backend.clock.now()) }, other)
    expect(body.data.result).toEqual([])
    expect((await get('label/instance/values', {}, other)).body.data).toEqual([])
    const agent = await backend.apiKey(organization, 'agent')
    expect((await get('query', { query: '1' }, agent)).status).toBe(403)
  })

  it.skipIf(isMissing('promtool'))('answers promtool', async () => {
    // Debian's promtool can send no header: what stands between adds it.
    const target = await backend.listen()
    const between = createServer((received, answered) => {
      const { method, url: path, headers } = received
      const to = request({ port: target, method, path, headers: { ...headers, ...reader } }, (found) => {
        answered.writeHead(found.statusCode ?? 500, found.headers)
        found.pipe(answered)
      })
      received.pipe(to)
    }).listen(0, '127.0.0.1')
    await once(between, 'listening')
    const url = `http://127.0.0.1:${(between.address() as AddressInfo).port}/v1/prometheus`
    const run = async (command: string, ...more: string[]) =>
      (await promisify(execFile)(findTool('promtool') as string, ['query', command, ...more])).stdout.trim()
    const [from, to] = [String(seconds(startMs)), String(seconds(backend.clock.now()))]
    try {
      const instant = await run('instant', `--time=${to}`, url, 'node_load1')
      expect(instant).toMatch(/^node_load1\{instance=".+", server_id="srv_.+"\} => 59 @/)
      const range = await run('range', `--start=${from}`, `--end=${to}`, '--step=60s', url, 'count(node_load1)')
      expect(range.match(/^1 @/gm)).toHaveLength(11)
      expect(await run('labels', url, 'mountpoint')).toContain('/')
      expect(await run('series', '--match=node_load1', url)).toContain('__name__="node_load1"')
    } finally {
      between.close()
    }
  })

  it('has a limit of its own', async () => {
    const { headers } = await get('status/buildinfo', {})
    expect(headers['x-ratelimit-limit']).toBe('300')
  })
})
