import type { Line } from '../../components/chart/types.ts'
import { boundsOf, type Range } from '../../lib/range.ts'
import type { InstantData, Labels, Matrix } from './prometheus.ts'

/** More lines are a tangle. */
export const MOST_LINES = 50
/** More rows are not read. */
export const MOST_ROWS = 200
const POINTS = 240
/** As far apart as agents read, and rounder the farther. */
const STEPS_SECONDS = [15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400, 172_800]

export interface Steps {
  /** ms, a multiple of the step. */
  fromMs: number
  toMs: number
  stepSeconds: number
}

/** The steps over a range: at most 240, at round times, so that they stay where they are while the time goes on. */
export function stepsOf(range: Range, nowMs: number): Steps {
  const { from, to } = boundsOf(range, nowMs)
  const least = (to - from) / 1_000 / POINTS
  const stepSeconds = STEPS_SECONDS.find((seconds) => seconds >= least) ?? 172_800
  const stepMs = stepSeconds * 1_000
  return { fromMs: Math.ceil(from / stepMs) * stepMs, toMs: Math.floor(to / stepMs) * stepMs, stepSeconds }
}

const COLORS = [1, 2, 3, 4, 5, 6] as const

/** A line for each series, with a gap where there is no number. */
export function linesOf({ result }: Matrix, { fromMs, toMs, stepSeconds }: Steps, query: string): Line[] {
  const shown = result.slice(0, MOST_LINES)
  const labels = legendOf(shown.map(({ metric }) => metric))
  const points = Math.round((toMs - fromMs) / 1_000 / stepSeconds) + 1
  return shown.map(({ values: samples }, index) => {
    const values: (number | null)[] = Array.from({ length: points }, () => null)
    for (const [seconds, text] of samples) {
      const value = Number(text)
      if (Number.isFinite(value)) values[Math.round((seconds - fromMs / 1_000) / stepSeconds)] = value
    }
    return {
      label: labels[index] || query,
      color: COLORS[index % COLORS.length] ?? 1,
      values,
      ...(Math.floor(index / COLORS.length) % 2 === 1 && { dashed: true }),
    }
  })
}

/** `name{label="value"}`, as in a query. */
export function seriesName({ __name__: name = '', ...labels }: Labels): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}=${JSON.stringify(value)}`)
  return pairs.length === 0 ? name : `${name}{${pairs.join(', ')}}`
}

/** The labels by which each series differs from the others; the whole name where there is one. Empty for a series without labels. */
export function legendOf(all: readonly Labels[]): string[] {
  const [only] = all
  if (all.length === 1 && only) return [seriesName(only)]
  const names = differing(all)
  return all.map((labels) => {
    const has = names.filter((name) => labels[name] !== undefined)
    return has.map((name) => (names.length === 1 ? labels[name] : `${name}=${labels[name]}`)).join(', ')
  })
}

/** The labels by which series differ. Ids are left out where names do. */
function differing(all: readonly Labels[]): string[] {
  const names = labelNames(all).filter((name) => new Set(all.map((labels) => labels[name])).size > 1)
  const withoutIds = names.filter((name) => !name.endsWith('_id'))
  const keys = new Set(all.map((labels) => JSON.stringify(withoutIds.map((name) => labels[name] ?? null))))
  return keys.size === all.length ? withoutIds : names
}

const rank = (name: string): number => (name === '__name__' ? 0 : name === 'instance' ? 1 : name.endsWith('_id') ? 3 : 2)

const labelNames = (all: readonly Labels[]): string[] =>
  [...new Set(all.flatMap((labels) => Object.keys(labels)))].toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))

export interface Row {
  labels: Labels
  /** As the API sends it. */
  value: string
}

/** The answer at one instant as rows; of a range of samples the last one. */
export function rowsOf(data: InstantData): Row[] {
  if (data.resultType === 'vector') return data.result.map(({ metric, value: [, value] }) => ({ labels: metric, value }))
  if (data.resultType === 'matrix')
    return data.result.map(({ metric, values }) => ({ labels: metric, value: values.at(-1)?.[1] ?? '' }))
  return [{ labels: {}, value: data.result[1] }]
}

/** The labels that have a column, and those that are the same in all rows. */
export function columnsOf(rows: readonly Row[]): { columns: string[]; common: Labels } {
  const all = rows.map(({ labels }) => labels)
  const names = labelNames(all)
  const [first = {}] = all
  const isCommon = (name: string) => all.length > 1 && all.every((labels) => labels[name] === first[name])
  return {
    columns: names.filter((name) => !isCommon(name)),
    common: Object.fromEntries(names.filter(isCommon).map((name) => [name, first[name] ?? ''])),
  }
}

/** The column of the value, which no label is called. */
export const VALUE = '='

/** In the order of a column, descending with a minus before it. What is no number is the least. */
export function sortedRows(rows: readonly Row[], sort: string | undefined): readonly Row[] {
  if (sort === undefined) return rows
  const isDown = sort.startsWith('-')
  const name = isDown ? sort.slice(1) : sort
  const by =
    name === VALUE
      ? byValue
      : (a: Row, b: Row) => (a.labels[name] ?? '').localeCompare(b.labels[name] ?? '', undefined, { numeric: true })
  return rows.toSorted((a, b) => (isDown ? by(b, a) : by(a, b)))
}

const numberOf = ({ value }: Row): number => Number(value.replace('Inf', 'Infinity'))

function byValue(a: Row, b: Row): number {
  const [one, other] = [numberOf(a), numberOf(b)]
  if (Number.isNaN(one) || Number.isNaN(other)) return Number(Number.isNaN(other)) - Number(Number.isNaN(one))
  return one === other ? 0 : one < other ? -1 : 1
}

/** Names that begin as the wanted one, the most alike first. */
export function namesLike(wanted: string, names: readonly string[]): string[] {
  const alike = (name: string): number => {
    let length = 0
    while (length < name.length && name[length] === wanted[length]) length += 1
    return length
  }
  const least = Math.ceil(wanted.length / 2)
  return names
    .map((name) => ({ name, length: alike(name) }))
    .filter(({ length }) => length >= least)
    .toSorted((a, b) => b.length - a.length || a.name.length - b.name.length)
    .slice(0, 8)
    .map(({ name }) => name)
}

export interface Fault {
  message: string
  /** From 1. */
  at?: { line: number; column: number; before: string; rest: string }
}

/** The fault as the API says it, and where in the query it is. */
export function faultOf(fault: string, query: string): Fault {
  const [, line = '', column = '', message = ''] = /^(\d+):(\d+): parse error: (.*)$/s.exec(fault) ?? []
  if (message === '') return { message: fault }
  const text = query.split('\n')[Number(line) - 1] ?? ''
  const at = { line: Number(line), column: Number(column) }
  return { message, at: { ...at, before: text.slice(0, at.column - 1), rest: text.slice(at.column - 1) } }
}
