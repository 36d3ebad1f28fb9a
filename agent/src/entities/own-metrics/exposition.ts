import { MAX_ENTITY_NAME_LENGTH } from '@vedette/shared/entities/limits'

export interface Series {
  /** `name{label="value"}` with sorted labels. */
  name: string
  value: number
  type: string | undefined
  help: string | undefined
}

/** A line that is not in the format; `line` counts from 1. Says nothing of its content, which may be of a file that is not for logs. */
export class ExpositionError extends Error {
  readonly line: number
  constructor(line: number, reason: string) {
    super(`line ${line}: ${reason}`)
    this.line = line
  }
}

const NAME = /[a-zA-Z_:][\w:]*/y
const LABEL = /[ \t]*([a-zA-Z_]\w*)[ \t]*=[ \t]*"((?:[^"\\\n]|\\.)*)"[ \t]*(,?)/y
const CLOSE = /[ \t]*\}/y
const COMMENT = /^#[ \t]+(HELP|TYPE)[ \t]+([a-zA-Z_:][\w:]*)[ \t]*(.*)$/
const TYPES = new Set(['counter', 'gauge', 'histogram', 'summary', 'untyped'])
/** Of a histogram and a summary, whose type stands before the name without these. */
const SUFFIX = /_(?:bucket|sum|count|total)$/

/** Name and labels as they are stored: labels sorted, values escaped as in the text format. */
export function seriesName(name: string, labels: ReadonlyMap<string, string>): string {
  if (labels.size === 0) return name
  const texts = [...labels]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([label, value]) => `${label}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`)
  return `${name}{${texts.join(',')}}`
}

/**
 * Parses Prometheus' text format. A line that is not in it is left out alone, and is in `faults`. Values that are not finite have no place
 * in a sample and are left out too.
 */
export function parseExposition(text: string): { series: Series[]; faults: ExpositionError[] } {
  const series = new Map<string, Series>()
  const faults: ExpositionError[] = []
  const types = new Map<string, string>()
  const helps = new Map<string, string>()
  for (const [index, written] of text.split('\n').entries()) {
    const line = written.trim()
    if (line === '') continue
    if (line.startsWith('#')) {
      const [, keyword, metric = '', rest = ''] = COMMENT.exec(line) ?? []
      if (keyword === 'TYPE' && !TYPES.has(rest)) faults.push(new ExpositionError(index + 1, 'the type is unknown'))
      else if (keyword !== undefined) (keyword === 'TYPE' ? types : helps).set(metric, rest.replaceAll(/\\(.)/g, unescaped))
      continue
    }
    const sample = tryParseSample(line, index + 1, faults)
    if (!sample) continue
    const { metric, name, value } = sample
    if (series.has(name)) {
      faults.push(new ExpositionError(index + 1, 'the series is there twice'))
      continue
    }
    const family = types.has(metric) ? metric : metric.replace(SUFFIX, '')
    if (Number.isFinite(value)) series.set(name, { name, value, type: types.get(family), help: helps.get(family) })
  }
  return { series: [...series.values()], faults }
}

function tryParseSample(line: string, number: number, faults: ExpositionError[]): ReturnType<typeof parseSample> | undefined {
  try {
    return parseSample(line, number)
  } catch (error) {
    if (!(error instanceof ExpositionError)) throw error
    faults.push(error)
    return undefined
  }
}

function parseSample(line: string, number: number): { metric: string; name: string; value: number } {
  NAME.lastIndex = 0
  const [metric] = NAME.exec(line) ?? []
  if (metric === undefined) throw new ExpositionError(number, 'must begin with the name of a metric')
  const labels = new Map<string, string>()
  let at = metric.length
  while (/[ \t]/.test(line.charAt(at))) at++
  if (line.charAt(at) === '{') at = parseLabels(line, at + 1, labels, number)
  // A time stamp is not used: the value is that of the reading.
  const [text = '', ...rest] = line
    .slice(at)
    .trim()
    .split(/[ \t]+/)
  const value = toValue(text)
  if (value === undefined || rest.length > 1 || !rest.every((stamp) => /^-?\d+$/.test(stamp)))
    throw new ExpositionError(number, 'has no value')
  const name = seriesName(metric, labels)
  if (name.length > MAX_ENTITY_NAME_LENGTH)
    throw new ExpositionError(number, `name and labels are longer than ${MAX_ENTITY_NAME_LENGTH} characters`)
  return { metric, name, value }
}

/** Returns the position after the closing bracket. */
function parseLabels(line: string, from: number, labels: Map<string, string>, number: number): number {
  for (let at = from; ; ) {
    CLOSE.lastIndex = at
    if (CLOSE.test(line)) return CLOSE.lastIndex
    LABEL.lastIndex = at
    const [whole, label = '', value = '', comma] = LABEL.exec(line) ?? []
    if (whole === undefined) throw new ExpositionError(number, 'a label must have the form name="value"')
    if (labels.has(label)) throw new ExpositionError(number, 'a label is there twice')
    labels.set(label, value.replaceAll(/\\(.)/g, unescaped))
    at += whole.length
    if (comma === '' && line.charAt(at) !== '}') throw new ExpositionError(number, 'labels must be separated by commas')
  }
}

const unescaped = (_: string, character: string): string => (character === 'n' ? '\n' : character)

function toValue(text: string): number | undefined {
  if (/^[+-]?(?:inf|infinity|nan)$/i.test(text)) return Number.NaN
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined
}
