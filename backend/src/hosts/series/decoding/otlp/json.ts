import { type Bounds, DecodingFault, DEFAULT_BOUNDS, faultIn, type Received } from '../received.ts'
import { Attributes, type AttributeValue } from './attributes.ts'
import { emptyPoint } from './numbers.ts'
import { type MetricHead, type Point, Translator } from './translator.ts'

const DATA = ['gauge', 'sum', 'histogram', 'exponentialHistogram', 'summary'] as const
const TEMPORALITIES: readonly unknown[] = [
  'AGGREGATION_TEMPORALITY_UNSPECIFIED',
  'AGGREGATION_TEMPORALITY_DELTA',
  'AGGREGATION_TEMPORALITY_CUMULATIVE',
]
const NO_RECORDED_VALUE = 1

/** `ExportMetricsServiceRequest` of OTLP in its JSON, parsed; without the attributes in `dropped`. Throws DecodingFault. */
export function decodeOtlpJson(body: unknown, bounds: Bounds = DEFAULT_BOUNDS, dropped?: ReadonlySet<string>): Received {
  const translator = new Translator(bounds, dropped)
  eachOf(toFields(body), 'resourceMetrics', (resourceMetrics) => readResourceMetrics(resourceMetrics, translator))
  return translator.toReceived()
}

type Fields = Readonly<Record<string, unknown>>

function readResourceMetrics(fields: Fields, translator: Translator): void {
  translator.beginResource(within('resource', () => attributesOf(toFields(fields['resource'] ?? {}))))
  eachOf(fields, 'scopeMetrics', (scopeMetrics) => {
    within('scope', () => {
      const scope = toFields(scopeMetrics['scope'] ?? {})
      translator.beginScope({
        name: textOf(scope, 'name'),
        version: textOf(scope, 'version'),
        schemaUrl: textOf(scopeMetrics, 'schemaUrl'),
        attributes: attributesOf(scope),
      })
    })
    eachOf(scopeMetrics, 'metrics', (metric) => readMetric(metric, translator))
  })
  translator.endResource()
}

function readMetric(fields: Fields, translator: Translator): void {
  const data = DATA.find((name) => isThere(fields[name]))
  if (data === undefined) return
  within(data, () => {
    const content = toFields(fields[data])
    translator.beginMetric({
      name: textOf(fields, 'name'),
      description: textOf(fields, 'description'),
      unit: textOf(fields, 'unit'),
      data,
      isMonotonic: isTrue(content, 'isMonotonic'),
      temporality: temporalityOf(content['aggregationTemporality']),
    })
    eachOf(content, 'dataPoints', (point) => {
      eachOf(point, 'exemplars', () => translator.addExemplar())
      translator.addPoint(toPoint(point, data))
    })
  })
}

/** A number, or the name of the enum. What is unknown counts as not given. */
function temporalityOf(value: unknown): number {
  if (typeof value === 'number') return value
  return Math.max(0, TEMPORALITIES.indexOf(value))
}

function toPoint(fields: Fields, data: MetricHead['data']): Point {
  const point: Point = {
    ...emptyPoint(),
    attributes: attributesOf(fields),
    timeMs: millisecondsOf(fields, 'timeUnixNano'),
    hasNoValue: (numberOf(fields, 'flags') & NO_RECORDED_VALUE) !== 0,
  }
  if (data === 'gauge' || data === 'sum')
    point.value = isThere(fields['asDouble']) ? numberOf(fields, 'asDouble') : optionalNumberOf(fields, 'asInt')
  else if (data !== 'exponentialHistogram') {
    point.count = numberOf(fields, 'count')
    point.sum = optionalNumberOf(fields, 'sum')
    point.bucketCounts = numbersOf(fields, 'bucketCounts')
    point.explicitBounds = numbersOf(fields, 'explicitBounds')
    eachOf(fields, 'quantileValues', (one) =>
      point.quantiles.push({ quantile: numberOf(one, 'quantile'), value: numberOf(one, 'value') }),
    )
  }
  return point
}

function attributesOf(fields: Fields): Attributes {
  const attributes = new Attributes()
  eachOf(fields, 'attributes', (attribute) => {
    attributes.count(0)
    attributes.add(textOf(attribute, 'key'), toValue(attribute['value'], attributes, 0))
  })
  return attributes
}

function toValue(value: unknown, attributes: Attributes, depth: number): AttributeValue {
  if (!isThere(value)) return null
  const fields = toFields(value)
  if (isThere(fields['stringValue'])) return textOf(fields, 'stringValue')
  if (isThere(fields['boolValue'])) return isTrue(fields, 'boolValue')
  if (isThere(fields['intValue'])) return integerOf(fields['intValue'])
  if (isThere(fields['doubleValue'])) return numberOf(fields, 'doubleValue')
  if (isThere(fields['bytesValue'])) return Buffer.from(textOf(fields, 'bytesValue'), 'base64')
  if (isThere(fields['arrayValue'])) {
    const values: AttributeValue[] = []
    eachOf(toFields(fields['arrayValue']), 'values', (inner) => {
      attributes.count(depth + 1)
      values.push(toValue(inner, attributes, depth + 1))
    })
    return values
  }
  if (!isThere(fields['kvlistValue'])) return null
  const entries: [string, AttributeValue][] = []
  eachOf(toFields(fields['kvlistValue']), 'values', (entry) => {
    attributes.count(depth + 1)
    entries.push([textOf(entry, 'key'), toValue(entry['value'], attributes, depth + 1)])
  })
  return { entries }
}

const isThere = (value: unknown): boolean => value !== undefined && value !== null

function toFields(value: unknown): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
  throw new DecodingFault('must be an object')
}

/** Each object of a list; null and absent are an empty one. */
function eachOf(fields: Fields, name: string, read: (fields: Fields) => void): void {
  const list = fields[name]
  if (!isThere(list)) return
  if (!Array.isArray(list)) throw new DecodingFault('must be an array', name)
  for (const [index, one] of list.entries()) within(`${name}[${index}]`, () => read(toFields(one)))
}

function within<T>(place: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw faultIn(place, error)
  }
}

function textOf(fields: Fields, name: string): string {
  const value = fields[name] ?? ''
  if (typeof value !== 'string') throw new DecodingFault('must be a string', name)
  if (!value.isWellFormed()) throw new DecodingFault('must not contain half a surrogate pair', name)
  return value
}

function isTrue(fields: Fields, name: string): boolean {
  const value = fields[name] ?? false
  if (typeof value !== 'boolean') throw new DecodingFault('must be true or false', name)
  return value
}

const NUMBER = /^(?:[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|NaN|-?Infinity)$/

/** A number, or a string of one: integers of 64 bits and what JSON has no number for come as strings. */
function toNumber(value: unknown): number {
  if (typeof value === 'number') return value
  if (typeof value === 'string' && value.length <= 64 && NUMBER.test(value)) return Number(value)
  throw new DecodingFault('must be a number, or a string of one')
}

const numberOf = (fields: Fields, name: string): number => optionalNumberOf(fields, name) ?? 0

const optionalNumberOf = (fields: Fields, name: string): number | undefined =>
  isThere(fields[name]) ? within(name, () => toNumber(fields[name])) : undefined

function numbersOf(fields: Fields, name: string): number[] {
  const list = fields[name] ?? []
  if (!Array.isArray(list)) throw new DecodingFault('must be an array', name)
  return list.map((value, index) => within(`${name}[${index}]`, () => toNumber(value)))
}

function integerOf(value: unknown): number | bigint {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  if (typeof value !== 'string' || !/^-?\d{1,20}$/.test(value)) throw new DecodingFault('must be an integer', 'intValue')
  return Number.isSafeInteger(Number(value)) ? Number(value) : BigInt(value)
}

/** Whole milliseconds of nanoseconds: a double would not hold those exactly. */
function millisecondsOf(fields: Fields, name: string): number {
  const value = fields[name] ?? 0
  if (typeof value === 'string' && /^\d{1,20}$/.test(value)) return Number(value.slice(0, -6))
  if (typeof value === 'number' && value >= 0 && value < 2 ** 64) return Math.floor(value / 1_000_000)
  throw new DecodingFault('must be nanoseconds from 0 to 2^64 - 1', name)
}
