import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { writeRequest, type WrittenSeries } from '../../../../test/write-request.ts'

let backend: TestBackend
let second: TestBackend
let organization: TestOrganization
let owner: Credentials
let reader: Credentials
beforeAll(async () => {
  backend = await startTestBackend()
  second = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock })
})
beforeEach(async () => {
  organization = await backend.organization()
  owner = await backend.member(organization, 'owner')
  reader = await backend.apiKey(organization, 'read')
})
afterAll(async () => {
  await second.close()
  await backend.close()
})

const make = async (body: object) => {
  const answer = await backend.call('POST', '/v1/api-keys', { as: owner, body: { name: 'k', scopes: ['ingest'], ...body } })
  expect([answer.status, answer.body.error]).toEqual([201, undefined])
  return { id: answer.body.id as string, as: { 'x-api-key': answer.body.key as string } }
}
const write = (as: Credentials, series: readonly WrittenSeries[], on = backend, headers: Record<string, string> = {}) =>
  on.call('POST', '/v1/prometheus/api/v1/write', {
    as,
    body: writeRequest(series),
    headers: { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy', ...headers },
  })
const accepted = async (...given: Parameters<typeof write>) => {
  const { status, body } = await write(...given)
  expect([status, body]).toEqual([204, undefined])
}
const read = async (selector: string, range = '1h') => {
  const search = new URLSearchParams({ query: `${selector}[${range}]`, time: String(backend.clock.now() / 1_000) }).toString()
  const { body } = await backend.call('GET', `/v1/prometheus/api/v1/query?${search}`, { as: reader })
  return body.data.result as { metric: Record<string, string>; values: [number, string][] }[]
}

describe('drop_labels of an API key', () => {
  it('removes labels from series, and attributes of OpenTelemetry before they become labels', async () => {
    const { as } = await make({ drop_labels: ['pod', 'service.instance.id', 'net.peer.port'] })
    const at = backend.clock.now() - 5_000
    await accepted(as, [{ labels: { __name__: 'a', pod: 'x-1', job: 'j' }, samples: [[at, 1]] }])
    await accepted(as, [{ labels: { __name__: 'a', pod: 'x-2', job: 'j' }, samples: [[at + 1_000, 2]] }])
    expect((await read('a')).map(({ metric, values }) => [metric, values.length])).toEqual([[{ __name__: 'a', job: 'j' }, 2]])

    const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } })
    const send = (instance: string, atMs: number) =>
      backend.call('POST', '/v1/otlp/v1/metrics', {
        as,
        headers: { 'content-type': 'application/json' },
        body: {
          resourceMetrics: [
            {
              resource: { attributes: [attribute('service.name', 's'), attribute('service.instance.id', instance)] },
              scopeMetrics: [
                {
                  metrics: [
                    {
                      name: 'queue',
                      gauge: {
                        dataPoints: [
                          { timeUnixNano: `${atMs}000000`, asInt: '1', attributes: [attribute('net.peer.port', instance)] },
                        ],
                      },
                    },
                  ],
                },
              ],
            },
          ],
        },
      })
    expect([(await send('1', at)).status, (await send('2', at + 1_000)).status]).toEqual([200, 200])
    expect((await read('queue')).map(({ metric, values }) => [metric, values.length])).toEqual([
      [{ __name__: 'queue', job: 's' }, 2],
    ])
  })
})

describe('dedup_label of an API key', () => {
  const from = (replica: string, value: number, atMs = backend.clock.now()): WrittenSeries => ({
    labels: { __name__: 'up', job: 'j', __replica__: replica },
    samples: [[atMs, value]],
  })
  const values = async () => (await read('up')).map(({ metric, values }) => [metric, ...values.map(([, value]) => value)])

  it('keeps one of two copies, on every backend, and takes the other after 30 seconds without it', async () => {
    const { as } = await make({ dedup_label: '__replica__' })
    const series = { __name__: 'up', job: 'j' }
    await accepted(as, [from('a', 1)])
    await accepted(as, [from('b', 2)], second)
    backend.clock.advance(20_000)
    await accepted(as, [from('a', 3)])
    backend.clock.advance(29_999)
    await accepted(as, [from('b', 4)])
    await accepted(as, [from('b', 5)], second)
    expect(await values()).toEqual([[series, '1', '3']])
    backend.clock.advance(1)
    await accepted(as, [from('b', 6)], second)
    await accepted(as, [from('a', 7)])
    backend.clock.advance(1_000)
    await accepted(as, [from('a', 8)], second)
    expect(await values()).toEqual([[series, '1', '3', '6']])
  })

  it('lets one of two lead that come first at the same moment', async () => {
    const { as } = await make({ dedup_label: '__replica__' })
    const at = backend.clock.now()
    await Promise.all([
      accepted(as, [from('a', 1, at)]),
      accepted(as, [from('b', 2, at - 1)], second),
      accepted(as, [from('c', 3, at - 2)]),
    ])
    expect((await read('up'))[0]?.values).toHaveLength(1)
  })

  it('takes series without the label from every sender', async () => {
    const { as } = await make({ dedup_label: '__replica__' })
    await accepted(as, [from('a', 1)])
    backend.clock.advance(1)
    await accepted(as, [from('b', 2), { labels: { __name__: 'other' }, samples: [[backend.clock.now(), 1]] }])
    expect([(await read('up'))[0]?.values.length, (await read('other')).length]).toEqual([1, 1])
  })
})

describe('job_kind of an API key', () => {
  /** In one request half of a scrape, in the next one the other half. */
  const halves = (atMs: number, seconds: number, instance = 'web-1:9100'): [WrittenSeries[], WrittenSeries[]] => {
    const one = (name: string, value: number, labels: Record<string, string> = {}): WrittenSeries => ({
      labels: { __name__: name, ...labels, job: 'node', instance },
      samples: [[atMs, value]],
    })
    return [
      [
        one('node_cpu_seconds_total', seconds * 0.75, { cpu: '0', mode: 'idle' }),
        one('node_cpu_seconds_total', seconds * 0.25, { cpu: '0', mode: 'user' }),
        one('node_memory_MemTotal_bytes', 4_000),
      ],
      [
        one('node_memory_MemAvailable_bytes', 3_000),
        one('node_load1', 1.5),
        one('node_uname_info', 1, { nodename: 'web-1', sysname: 'Linux', release: '6.1.0', machine: 'x86_64' }),
      ],
    ]
  }
  const servers = async () => (await backend.call('GET', '/v1/servers', { as: owner })).body.servers
  const metricsOf = async (id: string) =>
    (await backend.call('GET', `/v1/servers/${id}/metrics?period=1h`, { as: owner })).body.metrics

  it('makes servers of what node_exporter measures, wherever Prometheus cuts a scrape, and series too', async () => {
    const { as } = await make({ scopes: ['ingest', 'agent'], job_kind: 'node' })
    const at = backend.clock.now() - 60_000
    for (let scrape = 0; scrape < 3; scrape++)
      for (const half of halves(at + scrape * 10_000, 1_000 + scrape * 10)) {
        await accepted(as, half)
        // Sent again, because the answer was lost.
        await accepted(as, half)
      }
    const [server, ...others] = await servers()
    expect(others).toEqual([])
    expect([server.hostname, server.status]).toEqual(['web-1', 'online'])
    const { body } = await backend.call('GET', `/v1/servers/${server.id}`, { as: owner })
    expect(body).toMatchObject({ os: 'Linux', kernel: '6.1.0', arch: 'x86_64', agent_version: 'node_exporter' })
    const metrics = await metricsOf(server.id)
    expect(metrics.cpu).toMatchObject({ load_1: 1.5, current_percent: 25 })
    expect(metrics.memory).toMatchObject({ total_bytes: 4_000, used_bytes: 1_000 })
    expect((await read('node_load1{job="node"}'))[0]?.values).toHaveLength(3)
  })

  it('makes none without it, and none of our own servers', async () => {
    const plain = await make({ scopes: ['ingest', 'agent'] })
    const at = backend.clock.now() - 60_000
    const send = async (as: Credentials, more: Record<string, string> = {}) => {
      for (let scrape = 0; scrape < 2; scrape++)
        for (const half of halves(at + scrape * 10_000, 1_000))
          await accepted(
            as,
            half.map(({ labels, samples }) => ({ labels: { ...labels, ...more }, samples })),
          )
    }
    await send(plain.as)
    const node = await make({ scopes: ['ingest', 'agent'], job_kind: 'node' })
    await send(node.as, { server_id: 'srv_01h455vb4pex5vsknk084sn02q' })
    expect(await servers()).toEqual([])
    await send(node.as)
    expect(await servers()).toHaveLength(1)
  })

  it('says which hosts are no servers, and stores their series', async () => {
    const { as } = await make({ scopes: ['ingest', 'agent'], job_kind: 'node' })
    const at = backend.clock.now() - 60_000
    const [first, later] = [halves(at, 1_000).flat(), halves(at + 10_000, 1_010).flat()]
    await accepted(as, first)
    await accepted(as, later)
    const [{ id }] = await servers()
    expect((await backend.call('DELETE', `/v1/servers/${id}`, { as: owner })).status).toBe(204)
    const answer = await write(as, halves(at + 20_000, 1_020).flat())
    expect([answer.status, answer.body.error.message]).toEqual([
      400,
      expect.stringMatching(/^host web-1: The server of this machine was deleted/),
    ])
    expect((await read('node_load1'))[0]?.values).toHaveLength(3)
  })
})
