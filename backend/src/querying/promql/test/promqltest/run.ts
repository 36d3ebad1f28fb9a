import { setStale } from '../../model/stale.ts'
import type { QueryWindow, SeriesData } from '../../model/types.ts'
import { queryOurs } from '../compare.ts'
import { faultOf } from './faults.ts'
import { keyOf, metricOf, parseDuration, type Point, pointsOf } from './text.ts'

const LOOKBACK_MS = 300_000

/** What came of the evaluations of one file. */
export interface FileResult {
  passed: number
  failed: string[]
  /** Native histograms and experimental functions. */
  outOfScope: number
}

/** Syntax that Vedette refuses; functions it refuses in these words. */
const REFUSED_SYNTAX = /\b(?:anchored|smoothed|fill|fill_left|fill_right)\b/
const REFUSED_WORDS = /is not supported|unknown function/

/** Runs a file in the language of Prometheus' promqltest. Pure. */
export function runFile(text: string): FileResult {
  const lines = text.split('\n').map((line) => (/^\s*#/.test(line) ? '' : line.trim()))
  const result: FileResult = { passed: 0, failed: [], outOfScope: 0 }
  let storage = new Storage()
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string
    const block: string[] = []
    if (/^(load|eval)/.test(line)) while (at + 1 < lines.length && lines[at + 1] !== '') block.push(lines[++at] as string)
    if (line === 'clear') storage = new Storage()
    else if (line.startsWith('load')) storage.load(line, block)
    else if (line.startsWith('eval')) evaluate(line, block, storage, result)
  }
  return result
}

class Storage {
  readonly series = new Map<string, SeriesData>()
  /** Names with native histograms, or with what this reader does not read. */
  readonly beyond = new Set<string>()

  load(line: string, block: readonly string[]): void {
    const [, kind, step = ''] = /^(\w+)\s+(\S+)/.exec(line) ?? []
    for (const definition of block) {
      if (definition.includes('@st')) {
        // When counters began, which only an experimental option reads.
        this.beyond.add(/^[\w:]*/.exec(definition)?.[0] ?? '')
        continue
      }
      const { labels, rest } = metricOf(definition)
      const points = pointsOf(rest)
      const name = labels['__name__'] ?? ''
      // Their native form has the name without its part.
      if (kind === 'load_with_nhcb') this.beyond.add(name.replace(/_(?:bucket|sum|count)$/, ''))
      if (points) this.#add(labels, points, parseDuration(step))
      else this.beyond.add(name)
    }
  }

  #add(labels: Record<string, string>, points: readonly Point[], stepMs: number): void {
    const key = keyOf(labels)
    const before = this.series.get(key)
    const all = new Map(before ? [...before.atMs].map((at, index) => [at, pointAt(before.values, index)]) : [])
    for (const [index, point] of points.entries()) if (point !== undefined) all.set(index * stepMs, point)
    const sorted = [...all].sort(([one], [other]) => one - other)
    const values = new Float64Array(sorted.length)
    for (const [index, [, point]] of sorted.entries()) {
      if (point === 'stale') setStale(values, index)
      else values[index] = point as number
    }
    this.series.set(key, { labels, atMs: Float64Array.from(sorted, ([at]) => at), values })
  }
}

const STALE = 0x7ff0000000000002n
const pointAt = (values: Float64Array, index: number): Point =>
  new BigUint64Array(values.buffer, values.byteOffset)[index] === STALE ? 'stale' : values[index]

function evaluate(line: string, block: readonly string[], storage: Storage, result: FileResult): void {
  const expects = block.filter((each) => each.startsWith('expect'))
  const rows = block.filter((each) => !each.startsWith('expect'))
  const parsed = windowOf(line)
  const isBeyond = (expression: string) =>
    [...storage.beyond].some(
      (name) => name === '' || new RegExp(`(?<![\\w:])${RegExp.escape(name)}(?![\\w:])`).test(expression),
    ) ||
    (storage.beyond.size > 0 && /(?<![\w:])\{|__name__/.test(expression))
  if (
    !parsed ||
    REFUSED_SYNTAX.test(parsed.expression) ||
    isBeyond(parsed.expression) ||
    rows.some((row) => row.includes('{{'))
  ) {
    result.outOfScope++
    return
  }
  const { expression, window, isFailing } = parsed
  const place = `${line}: `
  try {
    const answer = queryOurs(expression, window, [...storage.series.values()])
    if (answer.status === 'error' && REFUSED_WORDS.test(answer.error ?? '')) {
      result.outOfScope++
      return
    }
    const fault = faultOf(answer, {
      expects,
      rows,
      window,
      isFailing: isFailing || expects.some((each) => each.startsWith('expect fail')),
    })
    if (fault === undefined) result.passed++
    else result.failed.push(place + fault)
  } catch (error) {
    result.failed.push(place + String(error))
  }
}

function windowOf(line: string): { expression: string; window: QueryWindow; isFailing: boolean } | undefined {
  const instant = /^eval(_fail|_ordered|_warn|_info)?\s+instant\s+at\s+(\S+)\s+(.+)$/.exec(line)
  if (instant) {
    const atMs = parseDuration(instant[2] as string)
    return {
      expression: instant[3] as string,
      window: { startMs: atMs, endMs: atMs, stepMs: 0, lookbackMs: LOOKBACK_MS },
      isFailing: instant[1] === '_fail',
    }
  }
  const range = /^eval(_fail|_warn|_info)?\s+range\s+from\s+(\S+)\s+to\s+(\S+)\s+step\s+(\S+)\s+(.+)$/.exec(line)
  if (!range) return undefined
  const [startMs, endMs, stepMs] = [2, 3, 4].map((part) => parseDuration(range[part] as string)) as [number, number, number]
  return {
    expression: range[5] as string,
    window: { startMs, endMs, stepMs, lookbackMs: LOOKBACK_MS },
    isFailing: range[1] === '_fail',
  }
}
