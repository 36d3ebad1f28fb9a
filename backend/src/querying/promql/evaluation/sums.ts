/** A sum that keeps what rounding loses (Kahan and Neumaier), as Prometheus adds. */
export class ExactSum {
  sum: number
  lost = 0

  constructor(first = 0) {
    this.sum = first
  }

  add(value: number): void {
    const next = this.sum + value
    if (next === Infinity || next === -Infinity) this.lost = 0
    else if (Math.abs(this.sum) >= Math.abs(value)) this.lost += this.sum - next + value
    else this.lost += value - next + this.sum
    this.sum = next
  }

  total(): number {
    return this.sum + this.lost
  }
}

/** A mean from the exact sum; once that would overflow, from the mean so far. */
export class ExactMean {
  private readonly exact: ExactSum
  private count = 1
  private isIncremental = false

  constructor(first: number) {
    this.exact = new ExactSum(first)
  }

  add(value: number): void {
    this.count++
    const { exact } = this
    if (!this.isIncremental) {
      const { sum, lost } = exact
      exact.add(value)
      if (exact.sum !== Infinity && exact.sum !== -Infinity) return
      this.isIncremental = true
      exact.sum = sum / (this.count - 1)
      exact.lost = lost / (this.count - 1)
    }
    const share = (this.count - 1) / this.count
    exact.sum *= share
    exact.lost *= share
    exact.add(value / this.count)
  }

  mean(): number {
    const { sum, lost } = this.exact
    return this.isIncremental ? sum + lost : sum / this.count + lost / this.count
  }
}

/** The quantile of values in any order; NaN counts as the smallest. */
export function quantileOf(q: number, values: number[]): number {
  if (values.length === 0 || Number.isNaN(q)) return NaN
  if (q < 0) return -Infinity
  if (q > 1) return Infinity
  values.sort((a, b) =>
    Number.isNaN(a) ? (Number.isNaN(b) ? 0 : -1) : Number.isNaN(b) ? 1 : a - b || (a < b ? -1 : a > b ? 1 : 0),
  )
  const rank = q * (values.length - 1)
  const lower = Math.max(0, Math.floor(rank))
  const upper = Math.min(values.length - 1, lower + 1)
  const weight = rank - Math.floor(rank)
  return (values[lower] ?? NaN) * (1 - weight) + (values[upper] ?? NaN) * weight
}
