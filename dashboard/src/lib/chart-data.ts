type Values = readonly (number | null)[]

/** Instants in the middle of nowhere are of no use to a chart: each step stands where it begins, in seconds. */
export function columns(fromMs: number, stepSeconds: number, lines: readonly { values: Values }[]): (number | null)[][] {
  const points = Math.max(0, ...lines.map(({ values }) => values.length))
  const instants = Array.from({ length: points }, (_, index) => fromMs / 1000 + index * stepSeconds)
  return [instants, ...lines.map(({ values }) => Array.from({ length: points }, (_, index) => values[index] ?? null))]
}

export const hasValues = (lines: readonly { values: Values }[]): boolean =>
  lines.some(({ values }) => values.some((value) => value !== null))

/** The newest value of a line, for the legend while no cursor is there. */
export function newest(values: Values): number | null {
  return values.findLast((value) => value !== null) ?? null
}

const FIRST_STEPS = [1, 2, 2.5, 5, 10]

/** A round number not below the greatest value, so that the line does not touch the edge. */
export function ceiling(values: readonly Values[], atLeast: number, atMost = Number.POSITIVE_INFINITY): number {
  let most = 0
  for (const line of values) for (const value of line) if (value !== null && value > most) most = value
  const wanted = Math.max(most * 1.08, atLeast)
  if (wanted <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(wanted))
  const step = FIRST_STEPS.find((factor) => factor * power >= wanted) ?? 10
  return Math.min(step * power, Math.max(atMost, atLeast))
}
