import { isDeepStrictEqual } from 'node:util'
import { JsonMetricsSerializer, ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isStale } from '../../../../querying/promql/index.ts'
import {
  type Bounds,
  DecodingFault,
  decodeOtlpJson,
  decodeOtlpProtobuf,
  encodeOtlpResponse,
  encodeRpcStatus,
  type Received,
} from '../index.ts'
import { encodeOtlp, readMessage } from './otlp-messages.ts'

const NOW = 1_796_048_515_238
const TIME = `${NOW}999999`
const BOUNDS: Bounds = { samples: 100, series: 100, labels: 4, labelBytes: 100 }

/** Both encodings give the same, or the same fault. */
function decodeBoth(message: object, bounds?: Bounds): Received {
  const { protobuf, json } = encodeOtlp(message)
  const received = decodeOtlpProtobuf(protobuf, bounds)
  expect(decodeOtlpJson(json, bounds)).toEqual(received)
  return received
}

function faultOf(read: () => unknown): string {
  try {
    read()
  } catch (error) {
    if (error instanceof DecodingFault) return error.message
    throw error
  }
  return 'no fault'
}

/** Labels, and the first value. */
const plain = ({ series }: Received): [Record<string, string>, number | undefined][] =>
  series.map(({ labels, values }) => [Object.fromEntries(labels), values[0]])

const text = (key: string, value: string) => ({ key, value: { stringValue: value } })
const toRequest = (metrics: object[], attributes: object[] = [], scope: object = {}): object => ({
  resourceMetrics: [{ resource: { attributes }, scopeMetrics: [{ scope, metrics }] }],
})
const gaugeOf = (points: object[], name = 'x'): object => ({ name, gauge: { dataPoints: points } })
const point = (more: object = {}): object => ({ timeUnixNano: TIME, asDouble: 1.5, ...more })

describe('metrics of the OpenTelemetry SDK', () => {
  class Reader extends MetricReader {
    protected override async onForceFlush(): Promise<void> {}
    protected override async onShutdown(): Promise<void> {}
  }

  it('are the same in both encodings, under the names of Prometheus', async () => {
    const reader = new Reader()
    const resource = resourceFromAttributes({
      'service.name': 'shop',
      'service.namespace': 'eu',
      'service.instance.id': 'a-1',
      'host.id': 'machine',
      'process.pid': 7,
    })
    const meter = new MeterProvider({ resource, readers: [reader] }).getMeter('io.shop', '2.1')
    meter.createCounter('http.requests', { unit: '{request}', description: 'All.' }).add(3, { 'http.route': '/é' })
    meter.createUpDownCounter('queue.size').add(-2)
    meter.createGauge('cpu.utilization', { unit: '1' }).record(0.25)
    meter.createHistogram('wait', { unit: 's', advice: { explicitBucketBoundaries: [0.1, 5] } }).record(0.3)
    const { resourceMetrics } = await reader.collect()
    const received = decodeOtlpProtobuf(ProtobufMetricsSerializer.serializeRequest(resourceMetrics) ?? Buffer.of())
    const json = Buffer.from(JsonMetricsSerializer.serializeRequest(resourceMetrics) ?? []).toString()
    expect(decodeOtlpJson(JSON.parse(json))).toEqual(received)
    const every = { job: 'eu/shop', instance: 'a-1' }
    const scope = { otel_scope_name: 'io.shop', otel_scope_version: '2.1' }
    expect(plain(received)).toEqual([
      [{ ...every, ...scope, __name__: 'http_requests_total', http_route: '/é' }, 3],
      [{ ...every, ...scope, __name__: 'queue_size' }, -2],
      [{ ...every, ...scope, __name__: 'cpu_utilization_ratio' }, 0.25],
      [{ ...every, ...scope, __name__: 'wait_seconds_sum' }, 0.3],
      [{ ...every, ...scope, __name__: 'wait_seconds_count' }, 1],
      [{ ...every, ...scope, __name__: 'wait_seconds_bucket', le: '0.1' }, 0],
      [{ ...every, ...scope, __name__: 'wait_seconds_bucket', le: '5' }, 1],
      [{ ...every, ...scope, __name__: 'wait_seconds_bucket', le: '+Inf' }, 1],
      [{ ...every, __name__: 'target_info', host_id: 'machine', process_pid: '7' }, 1],
    ])
    expect(received.series.map(({ type }) => type)).toEqual(
      'counter gauge gauge histogram histogram histogram histogram histogram info'.split(' '),
    )
    expect(received.metadata[0]).toEqual({ name: 'http_requests_total', type: 'counter', unit: '', help: 'All.' })
    expect(received.series.map(({ resource: found }) => found).every((found) => found === received.series[0]?.resource)).toBe(
      true,
    )
    expect(received.series[0]?.resource).toEqual(new Map([['host.id', 'machine']]))
  })
})

describe('points of OTLP', () => {
  it('have their times in whole milliseconds, and integers of 64 bits', () => {
    const received = decodeBoth(
      toRequest([
        gaugeOf([point({ asDouble: undefined, asInt: '-9223372036854775808' }), point({ timeUnixNano: '18446744073709551615' })]),
      ]),
    )
    expect(received.series.map(({ times, values }) => [times[0], values[0]])).toEqual([
      [NOW, -(2 ** 63)],
      [18_446_744_073_709, 1.5],
    ])
  })

  it('without a recorded value are stale markers', () => {
    const flags = { flags: 1 }
    const received = decodeBoth(
      toRequest([
        gaugeOf([point(flags), { timeUnixNano: TIME, ...flags }, point({ asDouble: Number.NaN })]),
        {
          name: 'h',
          histogram: {
            aggregationTemporality: 2,
            dataPoints: [{ timeUnixNano: TIME, count: 3, bucketCounts: [1, 2], explicitBounds: [1], ...flags }],
          },
        },
        { name: 's', summary: { dataPoints: [{ timeUnixNano: TIME, quantileValues: [{ quantile: 0.5 }], ...flags }] } },
      ]),
    )
    expect(received.series.map(({ values }) => isStale(values, 0))).toEqual(Array.from({ length: 9 }, (_, index) => index !== 2))
  })

  it('of a histogram become buckets that include those below, and of a summary quantiles', () => {
    const dataPoints = [{ timeUnixNano: TIME, count: 6, bucketCounts: [1, 2, 3], explicitBounds: [0.0000001, 10] }]
    const quantileValues = [{ quantile: 0.99, value: 7 }]
    const received = decodeBoth(
      toRequest([
        { name: 'h', histogram: { aggregationTemporality: 2, dataPoints } },
        {
          name: 's',
          unit: 's',
          summary: { dataPoints: [{ timeUnixNano: TIME, count: 4, sum: 9, quantileValues }, { timeUnixNano: TIME }] },
        },
      ]),
    )
    expect(plain(received)).toEqual([
      [{ __name__: 'h_count' }, 6],
      [{ __name__: 'h_bucket', le: '0.0000001' }, 1],
      [{ __name__: 'h_bucket', le: '10' }, 3],
      [{ __name__: 'h_bucket', le: '+Inf' }, 6],
      [{ __name__: 's_seconds_sum' }, 9],
      [{ __name__: 's_seconds_count' }, 4],
      [{ __name__: 's_seconds', quantile: '0.99' }, 7],
      [{ __name__: 's_seconds_sum' }, 0],
      [{ __name__: 's_seconds_count' }, 0],
    ])
    expect(new Set(received.series.map(({ type, unit }) => `${type} ${unit}`))).toEqual(
      new Set(['histogram ', 'summary seconds']),
    )
  })

  it('that cannot be stored are refused in words, and the rest is taken', () => {
    const dataPoints = [point(), point()]
    const received = decodeBoth(
      toRequest([
        { name: 'a', sum: { aggregationTemporality: 1, isMonotonic: true, dataPoints } },
        { name: 'b', histogram: { aggregationTemporality: 1, dataPoints: [{ timeUnixNano: TIME }] } },
        { name: 'c', sum: { dataPoints } },
        { name: 'd', exponentialHistogram: { aggregationTemporality: 2, dataPoints: [{ timeUnixNano: TIME, exemplars: [{}] }] } },
        gaugeOf([point({ timeUnixNano: 0 }), point({ asDouble: undefined }), point()], 'e'),
        gaugeOf([point()], '?'),
        gaugeOf([point({ attributes: [text('字', 'x')] })], 'f'),
        gaugeOf([point({ attributes: [text('a', 'b\0')] })], 'g'),
      ]),
    )
    expect(plain(received)).toEqual([[{ __name__: 'e' }, 1.5]])
    expect(received.refused).toEqual([
      { reason: 'delta temporality: set the exporter to cumulative', points: 3 },
      { reason: 'no temporality: set the exporter to cumulative', points: 2 },
      { reason: 'exponential histograms are not stored: send explicit buckets', points: 1 },
      { reason: 'a point has no time', points: 1 },
      { reason: 'a point has no value', points: 1 },
      { reason: 'a metric has neither a letter nor a digit in its name', points: 1 },
      { reason: 'an attribute has neither a letter nor a digit in its name', points: 1 },
      { reason: 'a label has a NUL character', points: 1 },
    ])
    expect([received.histograms, received.exemplars]).toEqual([1, 1])
    expect(received.metadata.map(({ name }) => name)).toEqual(['e', 'f', 'g'])
  })
})

describe('labels of OTLP', () => {
  const labelsOf = (attributes: object[], resource: object[] = [], scope: object = {}) =>
    plain(decodeBoth(toRequest([gaugeOf([point({ attributes })])], resource, scope)))[0]?.[0]

  it('hold values of every kind as text', () => {
    const values = [{ intValue: '9007199254740993' }, { stringValue: '"é"' }, { boolValue: false }, { doubleValue: 0.5 }, {}]
    const entries = [
      { key: 'z', value: { bytesValue: Buffer.from('hi') } },
      { key: 'a', value: { arrayValue: { values } } },
    ]
    expect(
      labelsOf([
        text('text', 'a b'),
        { key: 'int', value: { intValue: '-5' } },
        { key: 'long', value: { intValue: '-9223372036854775808' } },
        { key: 'yes', value: { boolValue: true } },
        { key: 'big', value: { doubleValue: 1e21 } },
        { key: 'endless', value: { doubleValue: Number.NEGATIVE_INFINITY } },
        { key: 'bytes', value: { bytesValue: Buffer.from([255, 0]) } },
        { key: 'map', value: { kvlistValue: { values: entries } } },
        { key: 'nothing' },
      ]),
    ).toEqual({
      __name__: 'x',
      text: 'a b',
      int: '-5',
      long: '-9223372036854775808',
      yes: 'true',
      big: '1e+21',
      endless: '-Inf',
      bytes: '/wA=',
      map: '{"a":[9007199254740993,"\\"é\\"",false,0.5,null],"z":"aGk="}',
    })
  })

  it('that become the same name are joined in the order of their keys; job, scope and the name of the metric win', () => {
    const attributes = [
      text('a_b', '2'),
      text('a.b', '1'),
      text('a/b', '3'),
      text('job', 'mine'),
      text('__name__', 'y'),
      text('otel.scope.name', 's'),
    ]
    const scope = { name: 'lib', version: '', attributes: [text('lib.kind', 'k')] }
    expect(labelsOf(attributes, [text('service.name', 'web')], scope)).toEqual({
      __name__: 'x',
      a_b: '1;3;2',
      job: 'web',
      otel_scope_name: 'lib',
      otel_scope_lib_kind: 'k',
    })
  })

  it('give no target_info without job and instance, or without other attributes', () => {
    const names = (resource: object[]) =>
      plain(decodeBoth(toRequest([gaugeOf([point()])], resource))).map(([labels]) => labels['__name__'])
    expect(names([text('host.name', 'a')])).toEqual(['x'])
    expect(names([text('service.name', 'a'), text('service.namespace', 'b')])).toEqual(['x'])
    expect(names([text('service.instance.id', 'a'), text('host.name', 'b')])).toEqual(['x', 'target_info'])
  })

  it('give target_info the newest time of the resource', () => {
    const later = `${NOW + 5}000000`
    const message = toRequest([gaugeOf([point({ timeUnixNano: later }), point()])], [text('service.name', 'a'), text('b', 'c')])
    expect(decodeBoth(message).series.at(-1)?.times).toEqual(Float64Array.of(NOW + 5))
  })

  it('beyond their bounds refuse the point, all series of a histogram with it, and warn of target_info', () => {
    const many = ['a', 'b', 'c', 'd'].map((key) => text(key, key))
    const histogram = { aggregationTemporality: 2, dataPoints: [{ timeUnixNano: TIME, attributes: many.slice(0, 3) }] }
    const message = toRequest(
      [gaugeOf([point({ attributes: many.slice(0, 2) }), point({ attributes: many.slice(0, 3) })]), { name: 'h', histogram }],
      [text('service.name', 'shop'), ...many],
    )
    const received = decodeBoth(message, BOUNDS)
    expect(plain(received).map(([labels]) => labels['__name__'])).toEqual(['x'])
    expect(received.refused).toEqual([
      { reason: 'a series has more than 4 labels', points: 2 },
      { reason: 'target_info: a series has more than 4 labels', points: 0 },
    ])
    const long = decodeBoth(toRequest([gaugeOf([point({ attributes: [text('a', 'x'.repeat(100))] })])]), BOUNDS)
    expect(long.refused).toEqual([{ reason: 'the labels of a series have more than 100 bytes', points: 1 }])
  })
})

describe('a request of OTLP is refused', () => {
  const faults = (message: object, bounds?: Bounds): [string, string] => {
    const { protobuf, json } = encodeOtlp(message)
    return [faultOf(() => decodeOtlpProtobuf(protobuf, bounds)), faultOf(() => decodeOtlpJson(json, bounds))]
  }
  const both = (message: string): [string, string] => [message, message]
  const points = 'resourceMetrics[0].scopeMetrics[0].metrics[0].gauge.dataPoints'

  it('above its bounds of samples and series', () => {
    const fill = (count: number) => toRequest([gaugeOf(Array.from({ length: count }, () => point()))])
    expect(faults(fill(100), BOUNDS)).toEqual(both('no fault'))
    expect(faults(fill(101), BOUNDS)).toEqual(both(`${points}[100]: the request has more than 100 series`))
    expect(faults(fill(101), { ...BOUNDS, series: 200 })).toEqual(both(`${points}[100]: the request has more than 100 samples`))
  })

  it('above 1,024 attributes, those within others included, and not at them', () => {
    const list = (count: number) => ({
      key: 'a',
      value: { arrayValue: { values: Array.from({ length: count }, () => ({ boolValue: true })) } },
    })
    const fill = (count: number) => toRequest([gaugeOf([point({ attributes: [list(count - 1)] })])])
    expect(faults(fill(1_024))).toEqual(both('no fault'))
    expect(faults(fill(1_025)).every((message) => message.endsWith('more than 1024 attributes and values within them'))).toBe(
      true,
    )
  })

  it('where an attribute is nested more than 16 deep', () => {
    const nest = (depth: number): object => (depth === 0 ? { boolValue: true } : { arrayValue: { values: [nest(depth - 1)] } })
    const fill = (depth: number) => toRequest([gaugeOf([point({ attributes: [{ key: 'a', value: nest(depth) }] })])])
    expect(faults(fill(16))).toEqual(both('no fault'))
    expect(faults(fill(17)).every((message) => message.endsWith('an attribute is nested more than 16 deep'))).toBe(true)
    expect(faults(fill(30)).every((message) => message.endsWith('an attribute is nested more than 16 deep'))).toBe(true)
  })

  it('where few bytes give labels of more than 32 MiB', () => {
    const attributes = [text('a', 'x'.repeat(60_000))]
    const histogram = {
      dataPoints: [{ timeUnixNano: TIME, attributes, bucketCounts: Array(600).fill(1), explicitBounds: Array(600).fill(1) }],
    }
    expect(faults(toRequest([{ name: 'h', histogram: { ...histogram, aggregationTemporality: 2 } }]))).toEqual(
      both(
        'resourceMetrics[0].scopeMetrics[0].metrics[0].histogram.dataPoints[0]: the labels of all series have more than 33554432 bytes',
      ),
    )
  })

  it.each<[string, unknown, string]>([
    ['no object', [], 'must be an object'],
    ['a list that is none', { resourceMetrics: {} }, 'resourceMetrics: must be an array'],
    ['a metric that is null', toRequest([null as never]), 'resourceMetrics[0].scopeMetrics[0].metrics[0]: must be an object'],
    [
      'a name that is a number',
      toRequest([{ name: 5, gauge: {} }]),
      'resourceMetrics[0].scopeMetrics[0].metrics[0].gauge.name: must be a string',
    ],
    [
      'a time with a fraction',
      toRequest([gaugeOf([point({ timeUnixNano: '1.5' })])]),
      `${points}[0].timeUnixNano: must be nanoseconds from 0 to 2^64 - 1`,
    ],
    [
      'a value that is a word',
      toRequest([gaugeOf([point({ asDouble: 'many' })])]),
      `${points}[0].asDouble: must be a number, or a string of one`,
    ],
    [
      'half a surrogate pair',
      toRequest([gaugeOf([point({ attributes: [text('a', '\ud83d')] })])]),
      `${points}[0].attributes[0].stringValue: must not contain half a surrogate pair`,
    ],
  ])('in JSON with %s', (_, body, message) => {
    expect(faultOf(() => decodeOtlpJson(body))).toBe(message)
  })

  it('in JSON takes names of enums, numbers for integers and strings for numbers', () => {
    const sum = { aggregationTemporality: 'AGGREGATION_TEMPORALITY_CUMULATIVE', isMonotonic: true }
    const dataPoints = [point({ timeUnixNano: NOW * 1e6, asDouble: '-Infinity' }), point({ asDouble: null, asInt: 3 })]
    const received = decodeOtlpJson(toRequest([{ name: 'x', sum: { ...sum, dataPoints } }]))
    expect(plain(received)).toEqual([
      [{ __name__: 'x_total' }, Number.NEGATIVE_INFINITY],
      [{ __name__: 'x_total' }, 3],
    ])
  })

  it('of protobuf may have a head after what it is of', () => {
    const { protobuf } = encodeOtlp(toRequest([gaugeOf([point()])], [text('service.name', 'a')]))
    const inner = protobuf.subarray(2)
    const resourceBytes = 2 + (inner[1] as number)
    const turned = Buffer.concat([protobuf.subarray(0, 2), inner.subarray(resourceBytes), inner.subarray(0, resourceBytes)])
    expect(protobuf[1]).toBe(inner.length)
    expect(decodeOtlpProtobuf(turned)).toEqual(decodeOtlpProtobuf(protobuf))
    expect(plain(decodeOtlpProtobuf(turned))[0]?.[0]).toHaveProperty('job', 'a')
  })
})

it('any metrics give the same in both encodings', () => {
  const value = fc.oneof(
    fc.constantFrom('', 'a', 'é', '😀', '\0', '"\n').map((stringValue) => ({ stringValue })),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((int) => ({ intValue: String(int) })),
    fc.double().map((doubleValue) => ({ doubleValue })),
    fc
      .array(
        fc.boolean().map((boolValue) => ({ boolValue })),
        { maxLength: 3 },
      )
      .map((values) => ({ arrayValue: { values } })),
  )
  const attributes = fc.array(
    fc.record({ key: fc.constantFrom('', 'a', 'a.b', 'a_b', '1', '_', 'job', 'é.', '__name__'), value }),
    { maxLength: 5 },
  )
  const nanoseconds = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String)
  const number = fc.oneof(
    fc.double().map((asDouble) => ({ asDouble })),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((int) => ({ asInt: String(int) })),
  )
  const numberPoint = fc
    .tuple(fc.record({ attributes, timeUnixNano: nanoseconds, flags: fc.nat(1) }), number)
    .map(([head, tail]) => ({ ...head, ...tail }))
  const metric = fc.record({
    name: fc.constantFrom('', 'a', 'a.total', '1x', '%', 'b_per_second'),
    unit: fc.constantFrom('', '1', 'By/s', '{x}'),
    sum: fc.record({
      dataPoints: fc.array(numberPoint, { maxLength: 3 }),
      aggregationTemporality: fc.nat(3),
      isMonotonic: fc.boolean(),
    }),
  })
  const message = fc
    .tuple(fc.array(metric, { maxLength: 3 }), attributes)
    .map(([metrics, resource]) => toRequest(metrics, resource))
  const isSame = (one: object) => {
    const { protobuf, json } = encodeOtlp(one)
    return isDeepStrictEqual(decodeOtlpJson(json), decodeOtlpProtobuf(protobuf))
  }
  expect(() => fc.assert(fc.property(message, isSame), { numRuns: 50 })).not.toThrow()
})

describe('an answer to OTLP', () => {
  const partial = { rejectedDataPoints: 300, errorMessage: 'é' }

  it('says in both encodings how many points were refused, and why', () => {
    expect(readMessage('Response', encodeOtlpResponse(partial, 'protobuf'))).toEqual({
      partialSuccess: { rejectedDataPoints: '300', errorMessage: 'é' },
    })
    const parsed = { partialSuccess: { rejectedDataPoints: '300', errorMessage: 'é' } }
    expect(JSON.parse(encodeOtlpResponse(partial, 'json').toString())).toEqual(parsed)
    expect(
      ProtobufMetricsSerializer.deserializeResponse(encodeOtlpResponse(partial, 'protobuf')).partialSuccess?.errorMessage,
    ).toBe('é')
    expect(encodeOtlpResponse(undefined, 'protobuf')).toHaveLength(0)
    expect(encodeOtlpResponse(undefined, 'json').toString()).toBe('{}')
  })

  it('is a status in both encodings where nothing was taken', () => {
    const status = { code: 3, message: 'resourceMetrics: must be an array' }
    expect(readMessage('Status', encodeRpcStatus(status, 'protobuf'))).toEqual(status)
    expect(JSON.parse(encodeRpcStatus(status, 'json').toString())).toEqual(status)
  })
})
