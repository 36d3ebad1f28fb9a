import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isStale } from '../../../../querying/promql/index.ts'
import {
  type Bounds,
  DecodingFault,
  decodeRemoteWrite1,
  decodeRemoteWrite2,
  LabelSetCache,
  type Received,
  unsnappy,
} from '../index.ts'
import { encodeVersion1, encodeVersion2, inField, type SentSeries, toVersion1, toVersion2 } from './messages.ts'

const NOW = 1_796_048_515_238
const BOUNDS: Bounds = { samples: 100, series: 50, labels: 4, labelBytes: 100 }
const one = (labels: Record<string, string>, ...values: number[]): SentSeries => ({
  labels,
  samples: values.map((value, index) => ({ value, timestamp: NOW + index })),
})

type Decode = (body: Uint8Array, bounds?: Bounds, known?: LabelSetCache) => Received
const VERSIONS: [string, (series: readonly SentSeries[]) => Buffer, Decode][] = [
  ['1', toVersion1, decodeRemoteWrite1],
  ['2', toVersion2, decodeRemoteWrite2],
]

function faultOf(read: () => unknown): string {
  try {
    read()
  } catch (error) {
    if (error instanceof DecodingFault) return error.message
    throw error
  }
  return 'no fault'
}

const plain = ({ series }: Received) =>
  series.map(({ labels, times, values }) => ({ labels: Object.fromEntries(labels), times: [...times], values: [...values] }))

describe.each(VERSIONS)('a remote write of version %s', (_version, encode, decode) => {
  it('gives the points of each series with sorted labels', () => {
    const body = encode([
      one({ job: 'a', __name__: 'up', zone: '' }, 1, 0),
      one(
        { __name__: 'temp', 'größe.mm': 'é', '\uffff': 'before the pair', '😀': 'after' },
        -1.5,
        Number.POSITIVE_INFINITY,
        Number.NaN,
      ),
    ])
    const received = decode(body)
    expect(received).toMatchObject({ metadata: [], refused: [], exemplars: 0, histograms: 0 })
    expect(received.series.map(({ labels }) => labels.map(([name]) => name))).toEqual([
      ['__name__', 'job'],
      ['__name__', 'größe.mm', '\uffff', '😀'],
    ])
    expect(plain(received).map(({ times, values }) => [times, values])).toEqual([
      [
        [NOW, NOW + 1],
        [1, 0],
      ],
      [
        [NOW, NOW + 1, NOW + 2],
        [-1.5, Number.POSITIVE_INFINITY, Number.NaN],
      ],
    ])
  })

  it('keeps times before 1970 and 0, and puts times in order', () => {
    const samples = [5, -7, 0, 5].map((timestamp, index) => ({ timestamp, value: index + 0.5 }))
    const [series] = plain(decode(encode([{ labels: { __name__: 'x' }, samples }])))
    expect(series).toEqual({ labels: { __name__: 'x' }, times: [-7, 0, 5, 5], values: [1.5, 2.5, 0.5, 3.5] })
  })

  it.each<[string, Record<string, string>, string]>([
    ['no name', { job: 'a' }, 'timeseries[1].labels: the label __name__ is missing'],
    ['an empty name', { __name__: '', job: 'a' }, 'timeseries[1].labels: the label __name__ is missing'],
    ['a label whose name is empty', { __name__: 'x', '': 'a' }, 'timeseries[1].labels[1]: the name is empty'],
  ])('is refused with a series of %s', (_, labels, message) => {
    expect(faultOf(() => decode(encode([one({ __name__: 'up' }, 1), one(labels, 1)])))).toBe(message)
  })

  it('leaves out a series with too many or too long labels, and takes the rest', () => {
    const received = decode(
      encode([
        one({ __name__: 'a', b: '1', c: '2', d: '3' }, 1),
        one({ __name__: 'a', b: '1', c: '2', d: '3', e: '' }, 2),
        one({ __name__: 'a', b: '1', c: '2', d: '3', e: '4' }, 3, 4),
        one({ __name__: 'a', b: 'x'.repeat(90) }, 5),
        one({ __name__: 'a', b: 'x'.repeat(91) }, 6),
        one({ __name__: 'a', b: 'x\0' }, 7),
      ]),
      BOUNDS,
    )
    expect(received.series.map(({ values }) => [...values])).toEqual([[1], [2], [5]])
    expect(received.refused).toEqual([
      { reason: 'a series has more than 4 labels', points: 2 },
      { reason: 'the labels of a series have more than 100 bytes', points: 1 },
      { reason: 'a label has a NUL character', points: 1 },
    ])
  })

  it('is refused above its bounds of samples and series, counting what is left out, and not at them', () => {
    const tooMany = { __name__: 'a', b: '1', c: '2', d: '3', e: '4' }
    const fill = (count: number) => Array.from({ length: count }, () => 1)
    const samples = (count: number) => decode(encode([one(tooMany, ...fill(60)), one({ __name__: 'x' }, ...fill(count))]), BOUNDS)
    expect(samples(40).series).toHaveLength(1)
    expect(faultOf(() => samples(41))).toBe('timeseries[1].samples[40]: the request has more than 100 samples')
    const series = (count: number) => decode(encode(fill(count).map(() => one({ __name__: 'x' }, 1))), BOUNDS)
    expect(series(50).series).toHaveLength(50)
    expect(faultOf(() => series(51))).toContain('the request has more than 50 series')
  })

  it('gives the same object for a label set that came before', () => {
    const known = new LabelSetCache({ sets: 100, bytes: 10_000 })
    const [first] = decode(encode([one({ __name__: 'up', job: 'a' }, 1)]), BOUNDS, known).series
    const later = decode(encode([one({ __name__: 'down', job: 'a' }, 1), one({ __name__: 'up', job: 'a' }, 2)]), BOUNDS, known)
    expect(later.series[1]?.labels).toBe(first?.labels)
    expect(known.size).toBe(2)
  })

  it('leaves out a series without samples', () => {
    expect(decode(encode([one({ __name__: 'up' })])).series).toEqual([])
  })
})

describe('a remote write of version 1', () => {
  const sample = { value: 1, timestamp: NOW }
  const labels = [{ name: '__name__', value: 'x' }]

  it('counts exemplars, and native histograms as refused points', () => {
    const body = encodeVersion1({
      timeseries: [
        { labels, samples: [sample], exemplars: [{ value: 1 }, { value: 2 }] },
        { labels, histograms: [{ countInt: 1, timestamp: NOW }] },
      ],
    })
    const reason = 'native histograms are not stored: send classic ones (send_native_histograms: false)'
    expect(decodeRemoteWrite1(body)).toMatchObject({
      series: [{ type: undefined, unit: '' }],
      exemplars: 2,
      histograms: 1,
      refused: [{ reason, points: 1 }],
    })
  })

  it('gives the type, unit and help of metrics', () => {
    const types = Array.from({ length: 9 }, (_, type) => ({ type, metricFamilyName: `m${type}`, help: 'Of é.', unit: 's' }))
    const { metadata } = decodeRemoteWrite1(encodeVersion1({ metadata: types }))
    expect(metadata[1]).toEqual({ name: 'm1', type: 'counter', unit: 's', help: 'Of é.' })
    expect(metadata.map(({ type }) => type)).toEqual(
      'unknown counter gauge histogram unknown summary info stateset unknown'.split(' '),
    )
    const tooMany = encodeVersion1({ metadata: Array.from({ length: 51 }, () => ({ metricFamilyName: 'x' })) })
    expect(faultOf(() => decodeRemoteWrite1(tooMany, BOUNDS))).toBe(
      'metadata[50]: the request has metadata of more than 50 metrics',
    )
  })

  it('is refused with a label that comes twice, or a text that is no UTF-8', () => {
    const twice = [{ name: 'job', value: 'a' }, ...labels, { name: 'job', value: 'b' }]
    expect(faultOf(() => decodeRemoteWrite1(encodeVersion1({ timeseries: [{ labels: twice, samples: [sample] }] })))).toBe(
      'timeseries[0].labels: the label "job" comes twice',
    )
    const latin1 = inField(1, inField(1, Buffer.concat([inField(1, Buffer.from('a')), inField(2, Buffer.from([0xe9]))])))
    expect(faultOf(() => decodeRemoteWrite1(latin1))).toBe('timeseries[0].labels[0]: the text is no UTF-8')
  })

  it('may have other fields between its labels', () => {
    const label = (name: string, value: string) =>
      inField(1, Buffer.concat([inField(1, Buffer.from(name)), inField(2, Buffer.from(value))]))
    const value = inField(2, Buffer.from([9, 0, 0, 0, 0, 0, 0, 0, 0x40, 16, 5]))
    const parts = [
      label('__name__', 'x'),
      label('b', '1'),
      value,
      label('c', '2'),
      label('d', '3'),
      inField(99, label('no', 'no')),
      label('a', '4'),
    ]
    expect(plain(decodeRemoteWrite1(inField(1, Buffer.concat(parts))))).toEqual([
      { labels: { __name__: 'x', a: '4', b: '1', c: '2', d: '3' }, times: [5], values: [2] },
    ])
  })

  it.each<[string, number[], string]>([
    [
      'a length of 2^63',
      [0x0a, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1],
      'timeseries[0]: a number is above 4294967295',
    ],
    ['a length behind its end', [0x0a, 2, 0], 'timeseries[0]: the message is cut off'],
    [
      'a label that leaves its series',
      [0x0a, 2, 0x0a, 9, ...Array.from({ length: 9 }, () => 0)],
      'timeseries[0]: the message is cut off',
    ],
    ['a group', [0x9b, 0x06, 0x9c, 0x06], 'groups are not taken'],
    ['field 0', [2, 0], 'field 0 does not exist'],
    ['a number of eleven bytes', [0x98, 6, ...Array.from({ length: 11 }, () => 0xff)], 'a number has more than 64 bits'],
    [
      'a time beyond 2^53',
      [0x0a, 12, 0x12, 10, 16, ...Array.from({ length: 7 }, () => 0xff), 0x7f, 0],
      'timeseries[0].samples[0]: an integer is beyond 2^53',
    ],
  ])('is refused with %s', (_, bytes, message) => {
    expect(faultOf(() => decodeRemoteWrite1(Uint8Array.from(bytes)))).toBe(message)
  })
})

describe('a remote write of version 2', () => {
  const samples = [{ value: 1, timestamp: NOW, startTimestamp: NOW - 1 }]

  it('gives type and unit with its series, and the metadata of a metric once', () => {
    const symbols = ['', '__name__', 'wait_seconds_bucket', 'le', '0.1', '+Inf', 'wait_seconds_count', 'Waiting.', 'seconds', 'x']
    const metadata = { type: 3, helpRef: 7, unitRef: 8 }
    const timeseries = [
      { labelsRefs: [1, 2, 3, 4], samples, metadata },
      { labelsRefs: [1, 2, 3, 5], samples, metadata },
      { labelsRefs: [1, 6], samples, metadata, exemplars: [{ value: 1 }] },
      { labelsRefs: [1, 9], samples, histograms: [{ timestamp: NOW }] },
    ]
    const received = decodeRemoteWrite2(encodeVersion2({ symbols, timeseries }))
    expect(received.metadata).toEqual([{ name: 'wait_seconds', type: 'histogram', unit: 'seconds', help: 'Waiting.' }])
    expect(received.series.map(({ type, unit }) => [type, unit])).toEqual([
      ...[1, 2, 3].map(() => ['histogram', 'seconds']),
      [undefined, ''],
    ])
    expect([received.exemplars, received.histograms, received.refused[0]?.points]).toEqual([1, 1, 1])
  })

  it('may have its symbols after its series, and references that are not packed', () => {
    const series = Buffer.concat([Buffer.from([8, 1, 8, 2]), inField(2, Buffer.from([16, 5]))])
    const symbols = ['', '__name__', 'x'].map((text) => inField(4, Buffer.from(text)))
    expect(plain(decodeRemoteWrite2(Buffer.concat([inField(5, series), ...symbols])))).toEqual([
      { labels: { __name__: 'x' }, times: [5], values: [0] },
    ])
  })

  it.each<[string, object, string]>([
    ['a reference to no symbol', { labelsRefs: [1, 3], samples }, 'timeseries[0]: 3 is none of the 3 symbols'],
    ['a name without a value', { labelsRefs: [1, 2, 1], samples }, 'timeseries[0].labels_refs: an odd number of references'],
    ['a label that comes twice', { labelsRefs: [1, 2, 1, 2], samples }, 'timeseries[0].labels: the label "__name__" comes twice'],
    ['help that is no symbol', { labelsRefs: [1, 2], metadata: { helpRef: 3 } }, 'timeseries[0]: 3 is none of the 3 symbols'],
  ])('is refused with %s', (_, series, message) => {
    const body = encodeVersion2({ symbols: ['', '__name__', 'x'], timeseries: [series] })
    expect(faultOf(() => decodeRemoteWrite2(body))).toBe(message)
  })

  it('is refused where few bytes name symbols of more than 32 MiB', () => {
    const symbols = ['', '__name__', 'x'.repeat(60_000)]
    const timeseries = Array.from({ length: 600 }, () => ({ labelsRefs: [1, 2], samples }))
    expect(faultOf(() => decodeRemoteWrite2(encodeVersion2({ symbols, timeseries })))).toBe(
      'timeseries[559]: the labels of all series have more than 33554432 bytes',
    )
  })
})

describe('bodies that Prometheus 2.42 sent', () => {
  const bodyOf = (name: string) =>
    unsnappy(readFileSync(join(import.meta.dirname, `fixtures/prometheus-2.42-${name}.snappy`)), 100_000)

  it('give the series of a scrape', () => {
    const { series, exemplars, ...rest } = decodeRemoteWrite1(bodyOf('samples'))
    expect(rest).toEqual({ metadata: [], refused: [], histograms: 0 })
    expect([series.length, exemplars]).toEqual([17, 1])
    expect(series[1]?.labels).toEqual([
      ['__name__', 'http_requests_total'],
      ['code', '500'],
      ['instance', '127.0.0.1:19292'],
      ['job', 'app'],
      ['path', '/ä'],
    ])
    expect([series[1]?.values[0], series[1]?.times[0]]).toEqual([3, NOW])
  })

  it('keep the bits of a stale marker, and of a NaN that is none', () => {
    const { series } = decodeRemoteWrite1(bodyOf('stale'))
    const stale = series.filter(({ values }) => isStale(values, 0)).map(({ labels }) => Object.fromEntries(labels)['code'])
    expect(stale).toEqual(['500'])
    expect(series.filter(({ values }) => Number.isNaN(values[0]))).not.toHaveLength(1)
  })

  it('describe the metrics of a scrape', () => {
    expect(decodeRemoteWrite1(bodyOf('metadata')).metadata).toContainEqual({
      name: 'temp_celsius',
      type: 'gauge',
      unit: 'celsius',
      help: 'Temperature.',
    })
  })
})
