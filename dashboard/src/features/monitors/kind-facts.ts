import type { Check } from '@vedette/shared'
import { assertionTypeSpec } from '@vedette/shared/tables'
import type { Line } from '../../components/chart/types.ts'
import { factLabel, factText } from '../../lib/kind-texts.ts'

/** What checks of a kind report in addition to their times: loss and jitter, answers and the time to live, rows, the time of each step. */

type Facts = Check['facts']

/** A chart of facts with one unit. */
export interface FactChart {
  title: string
  /** Undefined for a count. */
  unit: string | undefined
  /** ms */
  from: number
  stepSeconds: number
  lines: readonly Line[]
}

/** More would push the response times out of sight. */
const MOST_CHARTS = 3
const MOST_LINES = 6
const COLORS: readonly Line['color'][] = [1, 3, 2, 4, 5, 6]

const STEP = /^step_\d+$/
/** `Sign in: 200, 83.4 ms`. */
const STEP_TEXT = /^(.*): (?:\d+, )?([\d.]+) ms$/s

/** A figure of a fact; of a step its time. */
export function figureOf(name: string, value: number | string | undefined): number | undefined {
  if (typeof value === 'number') return value
  const ms = STEP.test(name) && value !== undefined ? STEP_TEXT.exec(value)?.[2] : undefined
  return ms === undefined ? undefined : Number(ms)
}

const labelOf = (name: string, facts: Facts): string => {
  const value = facts[name]
  return (STEP.test(name) && typeof value === 'string' ? STEP_TEXT.exec(value)?.[1] : undefined) ?? factLabel(name)
}

const unitOf = (name: string): string | undefined => (STEP.test(name) ? 'ms' : assertionTypeSpec(name)?.unit)

const hasFacts = ({ facts }: Check): boolean => Object.keys(facts).length > 0

/** The facts of the newest check that has some, as they are shown. */
export function newestFacts(checks: readonly Check[]): [label: string, text: string][] {
  const newest = checks.find(hasFacts)
  return Object.entries(newest?.facts ?? {}).map(([name, value]) => [
    labelOf(name, newest?.facts ?? {}),
    STEP.test(name) && typeof value === 'string' ? value.slice(value.lastIndexOf(': ') + 2) : factText(name, value),
  ])
}

/** The first two facts of a check in one text. */
export const factsInShort = ({ facts }: Check): string =>
  Object.entries(facts)
    .slice(0, 2)
    .map(([name, value]) => `${labelOf(name, facts)} ${factText(name, value)}`)
    .join(' · ')

/**
 * Charts of the facts of checks of one region, the newest first. Facts with one unit share a chart; a count that never changes has
 * none, since a figure says it.
 */
export function factCharts(checks: readonly Check[], intervalSeconds: number): FactChart[] {
  const withFacts = checks.filter(hasFacts)
  const [newest, oldest] = [withFacts[0], withFacts.at(-1)]
  if (!newest || !oldest || withFacts.length < 2) return []
  const from = Date.parse(oldest.checked_at)
  const stepMs = intervalSeconds * 1_000
  const steps = Math.min(Math.floor((Date.parse(newest.checked_at) - from) / stepMs) + 1, 1_000)
  const stepOf = ({ checked_at }: Check) => Math.floor((Date.parse(checked_at) - from) / stepMs)
  const names = [...new Set(withFacts.flatMap(({ facts }) => Object.keys(facts)))]
  const charts = new Map<string, FactChart & { lines: Line[] }>()
  for (const name of names) {
    const values: (number | null)[] = Array.from({ length: steps }, () => null)
    for (const check of withFacts) values[stepOf(check)] = figureOf(name, check.facts[name]) ?? values[stepOf(check)] ?? null
    const figures = new Set(values.filter((value) => value !== null))
    const unit = unitOf(name)
    if (figures.size === 0 || (unit === undefined && figures.size === 1)) continue
    // A percentage and a time each have an axis of their own, and so has each count.
    const key = unit ?? name
    const chart = charts.get(key) ?? { title: '', unit, from, stepSeconds: intervalSeconds, lines: [] }
    const color = COLORS[chart.lines.length]
    if (color !== undefined && chart.lines.length < MOST_LINES)
      chart.lines.push({ label: labelOf(name, newest.facts), color, values: values.slice(0, steps) })
    charts.set(key, chart)
  }
  return [...charts.values()].slice(0, MOST_CHARTS).map((chart) => ({
    ...chart,
    title: chart.lines.length === 1 ? (chart.lines[0]?.label ?? '') : '',
  }))
}
