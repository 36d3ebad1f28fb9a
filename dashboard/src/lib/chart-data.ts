type Values = readonly (number | null)[]

/**
 * The data of uPlot: the start of each step in seconds, then the values of each line. Null is a gap; undefined, where samples are
 * rarer than steps, is drawn through.
 */
export function columns(
  fromMs: number,
  stepSeconds: number,
  lines: readonly { values: Values }[],
): (number | null | undefined)[][] {
  const points = Math.max(0, ...lines.map(({ values }) => values.length))
  const instants = Array.from({ length: points }, (_, index) => fromMs / 1000 + index * stepSeconds)
  return [instants, ...lines.map(({ values }) => bridged(Array.from({ length: points }, (_, index) => values[index] ?? null)))]
}

/** The usual distance between values, in steps: 1 where each step has one. The median, so that outages do not count. */
export function usualDistance(values: Values): number {
  const at = values.flatMap((value, index) => (value === null ? [] : [index]))
  const distances = at.slice(1).map((index, position) => index - (at[position] as number))
  // A single distance may be an outage.
  return distances.length < 2 ? 1 : (distances.toSorted((a, b) => a - b)[Math.floor((distances.length - 1) / 2)] ?? 1)
}

/** Gaps of up to twice the usual distance become undefined where samples are rarer than steps. */
function bridged(values: (number | null)[]): (number | null | undefined)[] {
  const most = 2 * usualDistance(values)
  if (most <= 2) return values
  let last = Number.NEGATIVE_INFINITY
  const result: (number | null | undefined)[] = [...values]
  for (const [index, value] of values.entries()) {
    if (value === null) continue
    if (index - last <= most) result.fill(undefined, last + 1, index)
    last = index
  }
  return result
}

export const hasValues = (lines: readonly { values: Values }[]): boolean =>
  lines.some(({ values }) => values.some((value) => value !== null))

/** The latest value of a line; null where it has ended: the last values are missing, more of them than usual. */
export function latestValue(values: Values): number | null {
  const index = values.findLastIndex((value) => value !== null)
  return index < 0 || values.length - 1 - index > 2 * usualDistance(values) ? null : (values[index] ?? null)
}

/** The value of a step; where samples are rarer than steps, that of the nearest sample. */
export function valueNear(values: Values, index: number): number | null {
  const most = usualDistance(values) / 2
  for (let distance = 0; distance <= most; distance += 1) {
    const value = values[index - distance] ?? values[index + distance]
    if (value !== null && value !== undefined) return value
  }
  return null
}

/** Near enough to each other that no chart is half empty. */
const FIRST_STEPS = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10]

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
