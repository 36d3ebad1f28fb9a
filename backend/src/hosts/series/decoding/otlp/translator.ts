import { Collector } from '../collector.ts'
import { compareLabels, compareUtf8, refusalOf } from '../label-set.ts'
import type { Bounds, Label, Received, SeriesType } from '../received.ts'
import type { Attributes } from './attributes.ts'
import { decimalOf, labelNameOf, type MetricKind, metricNameOf, unitNameOf } from './names.ts'

export interface Scope {
  name: string
  version: string
  schemaUrl: string
  attributes: Attributes
}

/** What a metric says before its points. */
export interface MetricHead {
  name: string
  description: string
  unit: string
  data: 'gauge' | 'sum' | 'histogram' | 'exponentialHistogram' | 'summary'
  isMonotonic: boolean
  /** As the protocol numbers them: 1 delta, 2 cumulative. */
  temporality: number
}

/** Of all kinds; what a kind does not have stays as it is here. */
export interface Point {
  attributes: Attributes
  /** 0: the point has no time. */
  timeMs: number
  hasNoValue: boolean
  value: number | undefined
  count: number
  sum: number | undefined
  bucketCounts: number[]
  explicitBounds: number[]
  quantiles: { quantile: number; value: number }[]
}

const DELTA = 1
const CUMULATIVE = 2
const IDENTIFYING: ReadonlySet<string> = new Set(['service.namespace', 'service.name', 'service.instance.id'])
const HOST = ['host.id', 'host.name']
const NO_LETTER = 'neither a letter nor a digit in its name'

const bits = new Float64Array(1)
const words = new Int32Array(bits.buffer)
const STALE_LOW = 2
const STALE_HIGH = 0x7ff00000

interface Resource {
  attributes: Attributes
  /** `job` and `instance`. */
  labels: Label[]
  host: ReadonlyMap<string, string> | undefined
  newestMs: number
}

interface Metric {
  name: string
  unit: string
  type: SeriesType
  data: MetricHead['data']
  /** Why no point of it is taken. */
  refusal: string | undefined
}

/** Turns resources, scopes, metrics and points, in this order, into series with the names and labels of Prometheus. */
export class Translator {
  readonly #bounds: Bounds
  /** Attributes that are read over. */
  readonly #dropped: ReadonlySet<string>
  readonly #collector: Collector
  readonly #labelNames = new Map<string, string>()
  #resource: Resource | undefined
  #scopeLabels: Label[] = []
  #metric: Metric | undefined

  constructor(bounds: Bounds, dropped: ReadonlySet<string> = new Set()) {
    this.#bounds = bounds
    this.#dropped = dropped
    this.#collector = new Collector(bounds)
  }

  beginResource(given: Attributes): void {
    const attributes = given.without(this.#dropped)
    const service = attributes.get('service.name')
    const namespace = attributes.get('service.namespace')
    const instance = attributes.get('service.instance.id')
    const labels: Label[] = []
    if (service !== undefined) labels.push(['job', namespace === undefined ? service : `${namespace}/${service}`])
    if (instance !== undefined) labels.push(['instance', instance])
    const host = HOST.flatMap((key): Label[] => {
      const value = attributes.get(key)
      return value === undefined || value === '' ? [] : [[key, value]]
    })
    this.#resource = { attributes, labels, host: host.length === 0 ? undefined : new Map(host), newestMs: 0 }
  }

  beginScope({ name, version, schemaUrl, attributes }: Scope): void {
    this.#scopeLabels =
      name === ''
        ? []
        : [
            ['otel_scope_name', name],
            ['otel_scope_version', version],
            ['otel_scope_schema_url', schemaUrl],
            ...attributes.pairs.map(([key, value]): Label => [this.#labelNameOf(`otel_scope_${key}`), value]),
          ]
  }

  beginMetric(head: MetricHead): void {
    const kind = kindOf(head)
    const name = metricNameOf(head.name, head.unit, kind)
    const type = kind === 'monotonic sum' ? 'counter' : kind === 'sum' ? 'gauge' : kind
    const unit = unitNameOf(head.unit)
    const refusal = name === '' ? `a metric has ${NO_LETTER}` : refusalOfHead(head)
    this.#metric = { name, unit, type, data: head.data, refusal }
    if (refusal === undefined) this.#collector.describe({ name, type, unit, help: head.description })
  }

  addExemplar(): void {
    this.#collector.exemplars += 1
  }

  addPoint(point: Point): void {
    const metric = this.#metric
    const resource = this.#resource
    if (!metric || !resource) return
    if (metric.data === 'exponentialHistogram') this.#collector.refuseHistograms(1, metric.refusal)
    else {
      const refusal = metric.refusal ?? refusalOfPoint(point, metric) ?? this.#addSeries(point, metric, resource)
      if (refusal !== undefined) this.#collector.refuse(refusal, 1)
      else resource.newestMs = Math.max(resource.newestMs, point.timeMs)
    }
  }

  endResource(): void {
    if (this.#resource) this.#describeTarget(this.#resource)
    this.#resource = undefined
  }

  toReceived(): Received {
    return this.#collector.toReceived()
  }

  /** All series of a point or, with the reason, none. */
  #addSeries(point: Point, { name, data, type, unit }: Metric, { labels, host }: Resource): string | undefined {
    const base = this.#labelsOf(point.attributes.pairs, [...this.#scopeLabels, ...labels])
    const series = seriesOf(name, data, point)
    const sets: Label[][] = []
    for (const { extras } of series) {
      const set = this.#toLabelSet(base, extras)
      if (typeof set === 'string') return set
      sets.push(set)
    }
    for (const [index, { value }] of series.entries()) {
      this.#addValue(point.timeMs, value, point.hasNoValue)
      this.#collector.close(sets[index] as Label[], type, unit, host)
    }
    return undefined
  }

  #addValue(timeMs: number, value: number, hasNoValue: boolean): void {
    bits[0] = value
    if (hasNoValue) this.#collector.add(timeMs, STALE_LOW, STALE_HIGH)
    else this.#collector.add(timeMs, words[0] as number, words[1] as number)
  }

  /** Attributes whose names become the same label are joined, in the order of their names; the later labels win. */
  #labelsOf(attributes: readonly Label[], later: readonly Label[]): Map<string, Label> {
    const labels = new Map<string, Label>()
    for (const [key, value] of attributes.toSorted(([left], [right]) => compareUtf8(left, right))) {
      if (this.#dropped.has(key)) continue
      const name = this.#labelNameOf(key)
      const same = labels.get(name)
      labels.set(name, [name, same ? `${same[1]};${value}` : value])
    }
    for (const label of later) labels.set(label[0], label)
    return labels
  }

  #toLabelSet(base: ReadonlyMap<string, Label>, extras: readonly Label[]): Label[] | string {
    this.#collector.countSeries()
    const labels = new Map(base)
    for (const label of extras) labels.set(label[0], label)
    if (labels.has('')) return `an attribute has ${NO_LETTER}`
    const set = Array.from(labels.values()).filter(([, value]) => value !== '')
    let bytes = 0
    for (const [name, value] of set) bytes += Buffer.byteLength(name) + Buffer.byteLength(value)
    this.#collector.countLabelBytes(bytes)
    return refusalOf(set, bytes, this.#bounds) ?? set.sort(compareLabels)
  }

  #labelNameOf(key: string): string {
    const known = this.#labelNames.get(key)
    if (known !== undefined) return known
    const name = labelNameOf(key)
    this.#labelNames.set(key, name)
    return name
  }

  /** What else the resource says, as labels of a series of its own: of use only where `job` or `instance` joins it to others. */
  #describeTarget({ attributes, labels, host, newestMs }: Resource): void {
    const others = attributes.pairs.filter(([key]) => !IDENTIFYING.has(key))
    if (newestMs === 0 || others.length === 0 || labels.length === 0) return
    const set = this.#toLabelSet(this.#labelsOf(others, labels), [['__name__', 'target_info']])
    if (typeof set === 'string') return this.#collector.refuse(`target_info: ${set}`, 0)
    this.#collector.describe({ name: 'target_info', type: 'info', unit: '', help: 'Target metadata' })
    this.#addValue(newestMs, 1, false)
    this.#collector.close(set, 'info', '', host)
  }
}

function kindOf({ data, isMonotonic }: MetricHead): MetricKind {
  if (data === 'exponentialHistogram') return 'histogram'
  return data === 'sum' && isMonotonic ? 'monotonic sum' : data
}

function refusalOfHead({ data, temporality }: MetricHead): string | undefined {
  if (data === 'exponentialHistogram') return 'exponential histograms are not stored: send explicit buckets'
  if (data !== 'sum' && data !== 'histogram') return undefined
  if (temporality === DELTA) return 'delta temporality: set the exporter to cumulative'
  return temporality === CUMULATIVE ? undefined : 'no temporality: set the exporter to cumulative'
}

function refusalOfPoint({ timeMs, value, hasNoValue }: Point, { data }: Metric): string | undefined {
  if (timeMs === 0) return 'a point has no time'
  const needsValue = data === 'gauge' || data === 'sum'
  return needsValue && value === undefined && !hasNoValue ? 'a point has no value' : undefined
}

interface PartOfPoint {
  extras: Label[]
  value: number
}

function seriesOf(name: string, data: MetricHead['data'], point: Point): PartOfPoint[] {
  const part = (suffix: string, value: number, ...more: Label[]): PartOfPoint => ({
    extras: [['__name__', `${name}${suffix}`], ...more],
    value,
  })
  if (data === 'gauge' || data === 'sum') return [part('', point.value ?? 0)]
  // A summary always has a sum; a histogram of values that may be negative has none.
  const sum = data === 'summary' ? (point.sum ?? 0) : point.sum
  const parts = sum === undefined ? [] : [part('_sum', sum)]
  parts.push(part('_count', point.count))
  if (data === 'summary')
    return [...parts, ...point.quantiles.map(({ quantile, value }) => part('', value, ['quantile', decimalOf(quantile)]))]
  let below = 0
  for (const [index, bound] of point.explicitBounds.slice(0, point.bucketCounts.length).entries()) {
    below += point.bucketCounts[index] as number
    parts.push(part('_bucket', below, ['le', decimalOf(bound)]))
  }
  return [...parts, part('_bucket', point.count, ['le', '+Inf'])]
}
