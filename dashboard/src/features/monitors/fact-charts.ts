import type { Check } from '@vedette/shared'
import { assertionTypeSpec } from '@vedette/shared/tables'
import type { Line } from '../../components/chart/types.ts'
import { figureOf, hasFacts, inOrder, labelOf, STEP } from './kind-facts.ts'

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
/** A monitor that was paused for long has few checks in many steps. */
const MOST_STEPS = 1_000
const COLORS: readonly Line['color'][] = [1, 3, 2, 4, 5, 6]

const unitOf = (name: string): string | undefined => (STEP.test(name) ? 'ms' : assertionTypeSpec(name)?.unit)

/**
 * Charts of the facts of checks of one region, the newest first. Facts with one unit share a chart; a count that never changes has
 * none, since a figure says it.
 */
export function factCharts(checks: readonly Check[], intervalSeconds: number): FactChart[] {
  const stepMs = intervalSeconds * 1_000
  const newest = checks.find(hasFacts)
  const earliest = Date.parse(newest?.checked_at ?? '') - (MOST_STEPS - 1) * stepMs
  const withFacts = checks.filter((check) => hasFacts(check) && Date.parse(check.checked_at) >= earliest)
  const oldest = withFacts.at(-1)
  if (!newest || !oldest || withFacts.length < 2) return []
  const from = Date.parse(oldest.checked_at)
  const steps = Math.floor((Date.parse(newest.checked_at) - from) / stepMs) + 1
  const stepOf = ({ checked_at }: Check) => Math.floor((Date.parse(checked_at) - from) / stepMs)
  const names = inOrder([...new Set(withFacts.flatMap(({ facts }) => Object.keys(facts)))])
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
      chart.lines.push({ label: labelOf(name, newest.facts), color, values })
    charts.set(key, chart)
  }
  return [...charts.values()].slice(0, MOST_CHARTS).map((chart) => ({
    ...chart,
    title: chart.lines.length === 1 ? (chart.lines[0]?.label ?? '') : '',
  }))
}
