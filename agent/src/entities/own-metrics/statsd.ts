import { MAX_ENTITY_NAME_LENGTH } from '@vedette/shared/entities/limits'
import { createHash } from 'node:crypto'
import type { Series } from './exposition.ts'
import { seriesName } from './exposition.ts'

/** Of a timer, for its 95th percentile; above it values replace kept ones at random. */
const MAX_TIMINGS = 512
/** Different members of a set, and of all sets. */
const MAX_MEMBERS = 4_096
const MAX_ALL_MEMBERS = 65_536

type Metric =
  | { type: 'counter'; sum: number }
  | { type: 'gauge'; value: number }
  | { type: 'timer'; count: number; sum: number; max: number; kept: number[] }
  /** Hashes: a member itself may be as long as a datagram. */
  | { type: 'set'; members: Set<number> }

interface NamedMetric {
  name: string
  labels: ReadonlyMap<string, string>
  metric: Metric
}

const LINE = /^([^:|@#]+):([^|]+)\|(c|g|ms|h|d|s)((?:\|[^|]*)*)$/
/** Parts after the type, in any order: rate, tags, and what DogStatsD adds about the container and the time. */
const PART = /^(?:@(?<rate>[\d.]+)|#(?<tags>.*)|[cTe].*)$/
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i

/**
 * Collects StatsD lines between two readings. Counters become a rate per second, timers their mean, maximum and 95th percentile, sets
 * the number of different members. A gauge keeps its value until it is set again. Lines of new metrics above the bound are counted
 * and dropped.
 */
export class StatsdMetrics {
  readonly #maximum: number
  readonly #random: () => number
  readonly #metrics = new Map<string, NamedMetric>()
  #members = 0
  #dropped = 0
  #invalid = 0

  /** `random` is from [0, 1). */
  constructor(maximum: number, random: () => number) {
    this.#maximum = maximum
    this.#random = random
  }

  /** One datagram: lines separated by line feeds. */
  add(datagram: string): void {
    for (const line of datagram.split('\n')) if (line.trim() !== '') this.#addLine(line.trim())
  }

  /** The series since the last call, and how many lines were dropped since then. */
  take(elapsedMs: number): { series: Series[]; dropped: number; invalid: number } {
    const series: Series[] = []
    for (const [key, named] of this.#metrics) {
      series.push(...toSeries(named, elapsedMs))
      if (named.metric.type !== 'gauge') this.#metrics.delete(key)
    }
    this.#members = 0
    const counts = { dropped: this.#dropped, invalid: this.#invalid }
    this.#dropped = 0
    this.#invalid = 0
    return { series, ...counts }
  }

  #addLine(line: string): void {
    const [, name = '', text = '', type = '', rest = ''] = LINE.exec(line) ?? []
    const parts = rest
      .split('|')
      .slice(1)
      .map((part) => PART.exec(part)?.groups)
    const rate = Number(parts.find((part) => part?.['rate'] !== undefined)?.['rate'] ?? 1)
    const tags = parts.find((part) => part?.['tags'] !== undefined)?.['tags'] ?? ''
    const values = text.split(':')
    const isValid =
      type !== '' &&
      parts.every(Boolean) &&
      rate > 0 &&
      rate <= 1 &&
      (type === 's' || values.every((value) => NUMBER.test(value)))
    const labels = labelsOf(tags)
    const key = `${type}|${seriesName(name, labels)}`
    if (!isValid || key.length > MAX_ENTITY_NAME_LENGTH) {
      this.#invalid++
      return
    }
    const known = this.#metrics.get(key)
    if (!known && this.#metrics.size >= this.#maximum) {
      this.#dropped++
      return
    }
    const named = known ?? { name: copied(toMetricName(name)), labels: copiedLabels(labels), metric: emptyMetric(type) }
    if (!known) this.#metrics.set(copied(key), named)
    for (const value of values) this.#update(named.metric, value, rate)
  }

  #update(metric: Metric, text: string, rate: number): void {
    const value = Number(text)
    if (metric.type === 'counter') metric.sum += value / rate
    else if (metric.type === 'gauge') metric.value = /^[+-]/.test(text) ? metric.value + value : value
    else if (metric.type === 'set') {
      const { members } = metric
      const before = members.size
      if (before < MAX_MEMBERS && this.#members < MAX_ALL_MEMBERS) this.#members += members.add(hashOf(text)).size - before
    } else {
      metric.count++
      metric.sum += value
      metric.max = Math.max(metric.max, value)
      // Each value has the same chance to be among the kept ones.
      const at = metric.kept.length < MAX_TIMINGS ? metric.kept.length : Math.floor(this.#random() * metric.count)
      if (at < MAX_TIMINGS) metric.kept[at] = value
    }
  }
}

/** A part of a text keeps the whole text, here a datagram, in memory. */
const copied = (text: string): string => Buffer.from(text).toString()
const copiedLabels = (labels: ReadonlyMap<string, string>) =>
  new Map(Array.from(labels, ([label, value]): [string, string] => [copied(label), copied(value)]))

/** 48 bits: of 4,096 members two are taken for one in one of 30 million sets. */
const hashOf = (text: string): number => createHash('sha1').update(text).digest().readUIntBE(0, 6)

function emptyMetric(type: string): Metric {
  if (type === 'c') return { type: 'counter', sum: 0 }
  if (type === 'g') return { type: 'gauge', value: 0 }
  if (type === 's') return { type: 'set', members: new Set() }
  return { type: 'timer', count: 0, sum: 0, max: Number.NEGATIVE_INFINITY, kept: [] }
}

/** DogStatsD's tags: `name:value`, or a name alone, whose value is then `true`. */
function labelsOf(tags: string): Map<string, string> {
  const pairs = tags.split(',').filter((tag) => tag !== '')
  return new Map(
    pairs.map((tag): [string, string] => {
      const colon = tag.indexOf(':')
      return colon < 0 ? [toLabel(tag), 'true'] : [toLabel(tag.slice(0, colon)), tag.slice(colon + 1)]
    }),
  )
}

/** What Prometheus allows: the usual dots become underscores. */
const toMetricName = (name: string): string => name.replaceAll(/[^\w:]/g, '_').replace(/^(?=\d)/, '_')
const toLabel = (name: string): string => toMetricName(name).replaceAll(':', '_')

function toSeries({ name, labels, metric }: NamedMetric, elapsedMs: number): Series[] {
  const series = (suffix: string, value: number, type: string): Series => ({
    name: seriesName(name + suffix, labels),
    value,
    type,
    help: undefined,
  })
  if (metric.type === 'gauge') return [series('', metric.value, 'gauge')]
  if (metric.type === 'set') return [series('', metric.members.size, 'set')]
  if (metric.type === 'counter') return elapsedMs > 0 ? [series('_per_second', (metric.sum * 1_000) / elapsedMs, 'counter')] : []
  const sorted = metric.kept.toSorted((a, b) => a - b)
  return [
    series('_mean', metric.sum / metric.count, 'timer'),
    series('_max', metric.max, 'timer'),
    series('_p95', sorted[Math.ceil(sorted.length * 0.95) - 1] ?? metric.max, 'timer'),
  ]
}
