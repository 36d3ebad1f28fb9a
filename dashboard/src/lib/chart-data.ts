type Values = readonly (number | null)[]

/** The data of uPlot: the start of each step in seconds, then the values of each line. */
export function columns(fromMs: number, stepSeconds: number, lines: readonly { values: Values }[]): (number | null)[][] {
  const points = Math.max(0, ...lines.map(({ values }) => values.length))
  const instants = Array.from({ length: points }, (_, index) => fromMs / 1000 + index * stepSeconds)
  return [instants, ...lines.map(({ values }) => Array.from({ length: points }, (_, index) => values[index] ?? null))]
}

export const hasValues = (lines: readonly { values: Values }[]): boolean =>
  lines.some(({ values }) => values.some((value) => value !== null))

/** The latest value of a line. */
export function latestValue(values: Values): number | null {
  return values.findLast((value) => value !== null) ?? null
}

const FIRST_STEPS = [1, 2, 2.5, 5, 10]

/** The top of the axis: a round number above the greatest value. */
export function axisMaximum(values: readonly Values[], atLeast: number, atMost = Number.POSITIVE_INFINITY): number {
  let most = 0
  for (const line of values) for (const value of line) if (value !== null && value > most) most = value
  const minimum = Math.max(most * 1.08, atLeast)
  if (minimum <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(minimum))
  const step = FIRST_STEPS.find((factor) => factor * power >= minimum) ?? 10
  return Math.min(step * power, Math.max(atMost, atLeast))
}
