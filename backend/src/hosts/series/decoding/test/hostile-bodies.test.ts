import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  DecodingFault,
  decodeOtlpJson,
  decodeOtlpProtobuf,
  decodeRemoteWrite1,
  decodeRemoteWrite2,
  type Received,
  unsnappy,
} from '../index.ts'
import { headOf, toVersion2 } from './messages.ts'
import { encodeOtlp } from './otlp-messages.ts'

/** Whether it gave something or refused: any other error is one of the decoder. */
function isAnswered(read: () => unknown): boolean {
  try {
    return read() !== undefined
  } catch (error) {
    if (error instanceof DecodingFault) return error.message !== ''
    throw error
  }
}

const text = (key: string) => ({
  key,
  value: { kvlistValue: { values: [{ key: 'é', value: { arrayValue: { values: [{ intValue: 5 }] } } }] } },
})
const head = { timeUnixNano: '1796048515238000000', attributes: [text('a'), text('b')] }
const sums = {
  aggregationTemporality: 2,
  isMonotonic: true,
  dataPoints: [
    { ...head, asInt: 5 },
    { ...head, asDouble: 5 },
  ],
}
const histogram = {
  aggregationTemporality: 2,
  dataPoints: [{ ...head, count: 3, sum: 1, bucketCounts: [1, 2], explicitBounds: [1] }],
}
const summary = { dataPoints: [{ ...head, count: 3, sum: 1, quantileValues: [{ quantile: 0.5, value: 2 }] }] }
const metrics = [
  { name: 'a.b', unit: 'By/s', sum: sums },
  { name: 'h', histogram },
  { name: 's', summary },
]
const otlp = encodeOtlp({
  resourceMetrics: [
    { resource: { attributes: [text('service.name'), text('c')] }, scopeMetrics: [{ scope: { name: 'x' }, metrics }] },
  ],
})
const prometheus = unsnappy(readFileSync(join(import.meta.dirname, 'fixtures/prometheus-2.42-samples.snappy')), 100_000)
const metadata = unsnappy(readFileSync(join(import.meta.dirname, 'fixtures/prometheus-2.42-metadata.snappy')), 100_000)
const samples = [{ value: 5, timestamp: 1_796_048_515_238 }]

const DECODERS: [string, (body: Uint8Array) => Received, Uint8Array][] = [
  ['remote write 1', (body) => decodeRemoteWrite1(body), Buffer.concat([prometheus.subarray(0, 600), metadata])],
  ['remote write 2', (body) => decodeRemoteWrite2(body), toVersion2([{ labels: { __name__: 'x', 'é.é': 'y' }, samples }])],
  ['OTLP in protobuf', (body) => decodeOtlpProtobuf(body), otlp.protobuf],
]

describe.each(DECODERS)('a hostile body of %s', (_name, decode, good) => {
  const isRead = (bytes: Uint8Array) => isAnswered(() => decode(bytes))

  it('is read or refused wherever it is cut off', () => {
    const ends = Array.from(good.keys())
    expect(ends.filter((end) => !isRead(good.subarray(0, end)))).toEqual([])
  })

  it('is read or refused whichever bit is wrong', () => {
    const bits = Array.from({ length: good.length * 8 }, (_, bit) => bit)
    const flip = (bit: number) => Uint8Array.from(good).with(bit >> 3, (good[bit >> 3] as number) ^ (1 << (bit & 7)))
    expect(bits.filter((bit) => !isRead(flip(bit)))).toEqual([])
  })

  it('is read or refused whatever it is', () => {
    const spliced = fc
      .tuple(fc.nat(good.length), fc.nat(good.length), fc.uint8Array({ maxLength: 12 }))
      .map(([from, to, bytes]) => Buffer.concat([good.subarray(0, from), bytes, good.subarray(to)]))
    const any = fc.oneof(fc.uint8Array({ maxLength: 300 }), spliced)
    expect(() => fc.assert(fc.property(any, isRead), { numRuns: 1_000 })).not.toThrow()
  })

  it.each<[string, Uint8Array]>([
    [
      'a million empty messages of every field',
      Buffer.concat(Array.from({ length: 7 }, (_, field) => Buffer.alloc(300_000, Buffer.of(((field + 1) << 3) | 2, 0)))),
    ],
    ['messages nested as deep as they can be', nested(1, 50_000)],
    ['other messages nested as deep as they can be', nested(2, 50_000)],
    ['a length of 2^63', Buffer.from('0a80808080808080808001', 'hex')],
    ['a length of 2^32 - 1', Buffer.from('0affffffff0f', 'hex')],
    ['many numbers that nothing knows', Buffer.alloc(1_000_000, Buffer.of(0x78, 1))],
  ])('with %s is read or refused without much memory', (_, body) => {
    isRead(good)
    const before = process.memoryUsage().arrayBuffers
    expect(isRead(body)).toBe(true)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16_000_000)
  })
})

/** A message in a message in a message, each as field `number`. */
function nested(number: number, bytes: number): Buffer {
  const parts: Buffer[] = []
  // Only the heads: the whole is as long as all of them.
  for (let length = 0; length < bytes; length += (parts[0] as Buffer).length) parts.unshift(headOf(number, length))
  return Buffer.concat(parts)
}

describe('a hostile body of OTLP in JSON', () => {
  it('is read or refused with anything in any place', () => {
    const paths: string[][] = []
    const walk = (value: unknown, path: string[]): void => {
      paths.push(path)
      if (typeof value === 'object' && value !== null)
        for (const [key, inner] of Object.entries(value)) walk(inner, [...path, key])
    }
    walk(otlp.json, [])
    const replace = (value: unknown, [key, ...rest]: string[], by: unknown): unknown => {
      if (key === undefined) return by
      if (Array.isArray(value)) return value.with(Number(key), replace(value[Number(key)], rest, by))
      return { ...(value as object), [key]: replace((value as Record<string, unknown>)[key], rest, by) }
    }
    const wrong = [null, undefined, 5, -1, 1e300, Number.NaN, '', 'x', '5', true, [], [null], [[]], {}, { value: {} }]
    expect(paths.length).toBeGreaterThan(100)
    const bodies = paths.flatMap((path) => wrong.map((by) => replace(otlp.json, path, by)))
    expect(bodies.filter((body) => !isAnswered(() => decodeOtlpJson(body)))).toEqual([])
    expect(() => fc.assert(fc.property(fc.anything(), (body) => isAnswered(() => decodeOtlpJson(body))))).not.toThrow()
  })
})

it('a block of snappy that would hold 4 GB is refused at once, and one that repeats a byte is read up to the bound', () => {
  const bomb = Buffer.concat([
    Buffer.from([0x80, 0x80, 0x80, 0x05, 0, 65]),
    Buffer.alloc(600_000, Buffer.from([(63 << 2) | 2, 1, 0])),
  ])
  expect(isAnswered(() => unsnappy(bomb, 10_000_000))).toBe(true)
  expect(() => unsnappy(bomb, 10_000_000)).toThrow('the block holds 10485760 bytes, more than 10000000')
  expect(() => unsnappy(bomb, 2 ** 24)).toThrow('the block is damaged')
})
