import { gunzipSync } from 'node:zlib'
import protobuf from 'protobufjs'
import { uncompress } from 'snappyjs'
import { describe, expect, it } from 'vitest'
import { setStale } from '../../../querying/promql/index.ts'
import type { ExportedSeries } from '../series/exported-series.ts'
import { encodeOtlp } from './otlp.ts'
import { encodeRemoteWrite } from './remote-write.ts'
import { snappy } from './snappy.ts'

const { root } = protobuf.parse(`
  syntax = "proto3";
  message WriteRequest { repeated TimeSeries timeseries = 1; repeated Metadata metadata = 3; }
  message Metadata { uint32 type = 1; string metric_family_name = 2; string help = 4; string unit = 5; }
  message TimeSeries { repeated Label labels = 1; repeated Sample samples = 2; }
  message Label { string name = 1; string value = 2; }
  message Sample { double value = 1; int64 timestamp = 2; }
  message Request { repeated ResourceMetrics resource_metrics = 1; }
  message ResourceMetrics { Resource resource = 1; repeated ScopeMetrics scope_metrics = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeMetrics { Scope scope = 1; repeated Metric metrics = 2; }
  message Scope { string name = 1; }
  message Metric { string name = 1; string unit = 3; Gauge gauge = 5; Sum sum = 7; }
  message Sum { repeated Point data_points = 1; uint32 aggregation_temporality = 2; bool is_monotonic = 3; }
  message Gauge { repeated Point data_points = 1; }
  message Point { fixed64 time_unix_nano = 3; optional double as_double = 4; repeated KeyValue attributes = 7; uint32 flags = 8; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue { string string_value = 1; }
`)
const read = (type: string, bytes: Uint8Array) => {
  const found = root.lookupType(type)
  return found.toObject(found.decode(bytes), { longs: String })
}

const resource = { id: 'srv_1', attributes: { 'host.name': 'wéb "1"', 'service.name': 'vedette' }, scope: 'vedette' }
const series = (name: string, labels: Record<string, string>, values: number[], unit = ''): ExportedSeries => ({
  resource,
  name,
  unit,
  labels,
  isCounter: false,
  atMs: Float64Array.from(values, (_, index) => 1_796_048_515_238 + index * 10_000),
  values: Float64Array.from(values),
})

/** The same each time. */
function* noise(seed: number): Generator<number> {
  for (let state = seed; ; ) yield (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0)
}
const random = noise(7)
const bytesOf = (length: number, kinds: number) => Buffer.from(Array.from({ length }, () => (random.next().value >>> 16) % kinds))

describe('snappy', () => {
  it.each([
    ['nothing', Buffer.alloc(0)],
    ['one byte', Buffer.from('a')],
    ['four bytes', Buffer.from('abab')],
    ['one byte often', Buffer.alloc(200_000, 'a')],
    ['a text that repeats', Buffer.from('vedette_cpu_percent{instance="web-1"} '.repeat(5_000))],
    ['noise', bytesOf(200_000, 256)],
    ['noise of two bytes', bytesOf(70_000, 2)],
    ['a literal of 60 bytes', bytesOf(60, 256)],
    ['a literal of 61 bytes', bytesOf(61, 256)],
    ['a whole block', bytesOf(65_536, 256)],
    ['a block and a byte', bytesOf(65_537, 4)],
  ])('of %s is read back by another reader', (_, bytes) => {
    const packed = snappy(bytes)
    expect(Buffer.compare(Buffer.from(uncompress(packed)), bytes)).toBe(0)
    expect(packed.length).toBeLessThanOrEqual(10 + bytes.length + Math.ceil(bytes.length / 60) + 3)
  })
})

describe('remote write 1.0', () => {
  it('has the labels by name and every value, bit by bit, without empty labels', () => {
    const values = [0.1, -0, Number.MAX_VALUE, 5e-324, 1 / 3]
    const body = encodeRemoteWrite([
      series('vedette_cpu_percent', { server_id: 'srv_1', instance: 'wéb "1"', empty: '', Zone: 'a' }, values),
      series('node_load1', {}, [200]),
    ])
    const timeseries = [
      {
        labels: [
          { name: 'Zone', value: 'a' },
          { name: '__name__', value: 'vedette_cpu_percent' },
          { name: 'instance', value: 'wéb "1"' },
          { name: 'server_id', value: 'srv_1' },
        ],
        samples: values.map((value, index) => ({ value, timestamp: String(1_796_048_515_238 + index * 10_000) })),
      },
      { labels: [{ name: '__name__', value: 'node_load1' }], samples: [{ value: 200, timestamp: '1796048515238' }] },
    ]
    expect(read('WriteRequest', uncompress(body))).toEqual({ timeseries })
  })

  it('keeps the bits of a stale marker, and says what is known of names', () => {
    const gone = series('requests_total', {}, [1, 0])
    setStale(gone.values, 1)
    const bytes = Buffer.from(
      uncompress(encodeRemoteWrite([gone], [{ name: 'requests_total', type: 'counter', unit: '', help: 'Requests.' }])),
    )
    expect(bytes.includes(Buffer.from('02000000 0000f07f'.replaceAll(' ', ''), 'hex'))).toBe(true)
    expect(read('WriteRequest', bytes)['metadata']).toEqual([{ type: 1, metricFamilyName: 'requests_total', help: 'Requests.' }])
  })

  it('of 2,000 values of a host has less than five bytes a value beyond their own eight', () => {
    const all = Array.from({ length: 50 }, (_, index) =>
      series(
        `vedette_field_${index}`,
        { instance: 'web-1', server_id: 'srv_01m7ynqmvhef3v0qj0h7d9m2cs' },
        Array.from({ length: 40 }, () => random.next().value / 1_000),
      ),
    )
    expect(encodeRemoteWrite(all).length / 2_000).toBeLessThan(13)
  })
})

describe('OTLP', () => {
  it('has a resource of each host, with its metrics as gauges', () => {
    const other = { id: 'srv_2', attributes: { 'host.name': 'db-1' }, scope: 'vedette' }
    const body = encodeOtlp([
      series('system.memory.usage', { 'system.memory.state': 'used' }, [1, 2], 'By'),
      series('system.cpu.utilization', { 'cpu.mode': 'user' }, [0.25], '1'),
      series('system.cpu.utilization', { 'cpu.mode': 'system' }, [0.5], '1'),
      { ...series('vedette.host.failed_units', {}, [3]), resource: other },
    ])
    const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } })
    const point = (index: number, value: number, ...attributes: object[]) => ({
      timeUnixNano: `${1_796_048_515_238 + index * 10_000}000000`,
      asDouble: value,
      ...(attributes.length > 0 && { attributes }),
    })
    const [used, user, system] = [
      attribute('system.memory.state', 'used'),
      attribute('cpu.mode', 'user'),
      attribute('cpu.mode', 'system'),
    ]
    const utilization = { dataPoints: [point(0, 0.25, user), point(0, 0.5, system)] }
    expect(read('Request', gunzipSync(body))).toEqual({
      resourceMetrics: [
        {
          resource: { attributes: [attribute('host.name', 'wéb "1"'), attribute('service.name', 'vedette')] },
          scopeMetrics: [
            {
              scope: { name: 'vedette' },
              metrics: [
                { name: 'system.memory.usage', unit: 'By', gauge: { dataPoints: [point(0, 1, used), point(1, 2, used)] } },
                { name: 'system.cpu.utilization', unit: '1', gauge: utilization },
              ],
            },
          ],
        },
        {
          resource: { attributes: [attribute('host.name', 'db-1')] },
          scopeMetrics: [
            {
              scope: { name: 'vedette' },
              metrics: [{ name: 'vedette.host.failed_units', gauge: { dataPoints: [point(0, 3)] } }],
            },
          ],
        },
      ],
    })
  })

  it('has counters as monotonic sums, and of a stale marker no value', () => {
    const gone = series('requests_total', { code: '200' }, [7, 0])
    setStale(gone.values, 1)
    const body = encodeOtlp([{ ...gone, isCounter: true }])
    const attributes = [{ key: 'code', value: { stringValue: '200' } }]
    const found = read('Request', gunzipSync(body))['resourceMetrics'][0].scopeMetrics[0].metrics
    expect(found).toEqual([
      {
        name: 'requests_total',
        sum: {
          aggregationTemporality: 2,
          isMonotonic: true,
          dataPoints: [
            { timeUnixNano: '1796048515238000000', asDouble: 7, attributes },
            { timeUnixNano: '1796048525238000000', attributes, flags: 1 },
          ],
        },
      },
    ])
  })
})
