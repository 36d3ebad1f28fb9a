import { zstdCompressSync } from 'node:zlib'
import { OTLPMetricExporter as JsonExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPMetricExporter as ProtobufExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { AggregationTemporality, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend } from '../../../../test/harness.ts'

let backend: TestBackend
let reader: Credentials
let writer: { 'x-api-key': string }
let address: string
beforeAll(async () => {
  backend = await startTestBackend({ startMs: Date.now() })
  const organization = await backend.organization()
  reader = await backend.apiKey(organization, 'read')
  writer = await backend.apiKey(organization, 'ingest')
  address = `http://127.0.0.1:${await backend.listen()}`
})
afterAll(() => backend.close())

const query = async (query: string) => {
  const search = new URLSearchParams({ query, time: String(Date.now() / 1_000) }).toString()
  const { status, body } = await backend.call('GET', `/v1/prometheus/api/v1/query?${search}`, { as: reader })
  expect([status, body.error]).toEqual([200, undefined])
  return body.data.result as { metric: Record<string, string>; value: [number, string] }[]
}
const exporters = { protobuf: ProtobufExporter, json: JsonExporter }

/** Sends some metrics with the SDK of OpenTelemetry, and says what became of it. */
async function send(service: string, encoding: 'protobuf' | 'json', temporality: AggregationTemporality): Promise<unknown> {
  const exporter = new exporters[encoding]({
    url: `${address}/otlp/v1/metrics`,
    headers: writer,
    temporalityPreference: temporality as never,
    compression: 'gzip' as never,
  })
  const provider = new MeterProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.instance.id': `${service}-1`, 'host.name': 'web-1' }),
    readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 600_000 })],
  })
  const meter = provider.getMeter('shop', '1.2.3')
  meter.createCounter('orders', { unit: '{order}' }).add(3, { 'payment.kind': 'card' })
  meter.createHistogram('checkout.duration', { unit: 's', advice: { explicitBucketBoundaries: [0.1, 1] } }).record(0.5)
  meter.createObservableGauge('queue.size', { description: 'Waiting orders' }).addCallback((result) => result.observe(7))
  return provider.shutdown()
}

describe('OTLP', () => {
  it.each(['protobuf', 'json'] as const)('of an SDK in %s becomes series as a Prometheus names them', async (encoding) => {
    const service = `shop-${encoding}`
    await send(service, encoding, AggregationTemporality.CUMULATIVE)
    const labels = { job: service, instance: `${service}-1`, otel_scope_name: 'shop', otel_scope_version: '1.2.3' }
    const all = await query(`{job="${service}"}`)
    const found = new Map(
      all.map(({ metric: { __name__: name, ...rest }, value }) => [`${name} ${rest['le'] ?? ''}`, [rest, value[1]]]),
    )
    expect(found.get('orders_total ')).toEqual([{ ...labels, payment_kind: 'card' }, '3'])
    expect(found.get('queue_size ')).toEqual([labels, '7'])
    expect(found.get('checkout_duration_seconds_bucket 0.1')).toEqual([{ ...labels, le: '0.1' }, '0'])
    expect(found.get('checkout_duration_seconds_bucket +Inf')).toEqual([{ ...labels, le: '+Inf' }, '1'])
    expect(found.get('checkout_duration_seconds_sum ')).toEqual([labels, '0.5'])
    expect(found.get('target_info ')).toEqual([{ job: service, instance: `${service}-1`, host_name: 'web-1' }, '1'])
    const { body } = await backend.call('GET', '/v1/prometheus/api/v1/metadata?metric=queue_size', { as: reader })
    expect(body.data.queue_size).toEqual([{ type: 'gauge', help: 'Waiting orders', unit: '' }])
  })

  const post = (body: Buffer | string, headers: Record<string, string> = {}, as: Credentials = writer) =>
    backend.call('POST', '/v1/otlp/v1/metrics', { as, body, headers: { 'content-type': 'application/json', ...headers } })
  const gauge = (atMs: number, value = 1) => ({
    resourceMetrics: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'hand' } }] },
        scopeMetrics: [
          { metrics: [{ name: 'by.hand', gauge: { dataPoints: [{ timeUnixNano: `${atMs}000000`, asDouble: value }] } }] },
        ],
      },
    ],
  })

  it('says how many points are not taken, and stores the others', async () => {
    const answer = await post(JSON.stringify(gauge(Date.now() + 3_600_000)))
    expect([answer.status, answer.body]).toMatchObject([
      200,
      { partialSuccess: { rejectedDataPoints: '1', errorMessage: expect.stringContaining('ahead of the clock') } },
    ])
    expect((await post(JSON.stringify(gauge(Date.now())))).body).toEqual({})
    const delta = await send('delta', 'protobuf', AggregationTemporality.DELTA)
    expect(delta).toBe(undefined)
    expect((await query('{job="delta"}')).map(({ metric }) => metric['__name__'])).toEqual(
      expect.arrayContaining(['queue_size', 'target_info']),
    )
    expect(await query('orders_total{job="delta"}')).toEqual([])
  })

  it('takes zstd', async () => {
    const body = zstdCompressSync(Buffer.from(JSON.stringify(gauge(Date.now(), 9))))
    expect((await post(body, { 'content-encoding': 'zstd' })).status).toBe(200)
  })

  it('says what is wrong as a google.rpc.Status in the encoding of the request', async () => {
    const wrong = await post('{"resourceMetrics": 7}')
    expect([wrong.status, wrong.body]).toMatchObject([400, { code: 3, message: expect.stringContaining('resourceMetrics') }])
    expect((await post('{')).body).toMatchObject({ code: 3 })
    const unknown = await post(JSON.stringify(gauge(1)), {}, { 'x-api-key': 'vdt_key_unknown' })
    expect([unknown.status, unknown.body.error.code]).toEqual([401, 'unauthorized'])
    const garbled = await backend.call('POST', '/v1/otlp/v1/metrics', {
      as: writer,
      body: Buffer.from('nonsense'),
      headers: { 'content-type': 'application/x-protobuf' },
    })
    expect([garbled.status, garbled.headers['content-type']]).toEqual([400, 'application/x-protobuf'])
  })

  it('makes servers of the hosts that a collector measures, where the key may register some', async () => {
    const organization = await backend.organization()
    const agent = await backend.apiKey(organization, 'agent')
    const owner = await backend.member(organization, 'owner')
    const seconds = (state: string, value: number, atMs: number) => ({
      attributes: [
        { key: 'cpu', value: { stringValue: 'cpu0' } },
        { key: 'state', value: { stringValue: state } },
      ],
      timeUnixNano: `${atMs}000000`,
      asDouble: value,
    })
    const measured = (atMs: number, idle: number, user: number) =>
      JSON.stringify({
        resourceMetrics: [
          {
            resource: {
              attributes: [
                { key: 'host.id', value: { stringValue: 'machine-7' } },
                { key: 'host.name', value: { stringValue: 'collected-1' } },
              ],
            },
            scopeMetrics: [
              {
                metrics: [
                  {
                    name: 'system.cpu.time',
                    unit: 's',
                    sum: {
                      aggregationTemporality: 2,
                      isMonotonic: true,
                      dataPoints: [seconds('idle', idle, atMs), seconds('user', user, atMs), seconds('system', 0, atMs)],
                    },
                  },
                  {
                    name: 'system.cpu.load_average.1m',
                    gauge: { dataPoints: [{ timeUnixNano: `${atMs}000000`, asDouble: 1.5 }] },
                  },
                ],
              },
            ],
          },
        ],
      })
    const servers = async () => (await backend.call('GET', '/v1/servers', { as: owner })).body.servers
    const at = backend.clock.now() - 60_000
    const onlySeries = await backend.apiKey(organization, 'ingest')
    expect((await post(measured(at, 100, 50), {}, onlySeries)).body).toEqual({})
    expect(await servers()).toEqual([])
    expect((await post(measured(at + 1, 100, 50), {}, agent)).body).toEqual({})
    expect((await post(measured(at + 10_001, 107.5, 52.5), {}, agent)).body).toEqual({})
    // The same again changes nothing.
    expect((await post(measured(at + 10_001, 107.5, 52.5), {}, agent)).body).toEqual({})
    const [server, ...others] = await servers()
    expect([server.hostname, server.status, others]).toEqual(['collected-1', 'online', []])
    const { body } = await backend.call('GET', `/v1/servers/${server.id}/metrics?period=1h`, { as: owner })
    expect(body.metrics.cpu).toMatchObject({ load_1: 1.5, current_percent: 25 })
  })
})
