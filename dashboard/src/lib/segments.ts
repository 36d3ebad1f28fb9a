export interface Point {
  index: number
  value: number
}

/** The runs of values between the gaps of a series. */
export function segmentsOf(values: readonly (number | null)[]): Point[][] {
  const runs: Point[][] = []
  let run: Point[] = []
  for (const [index, value] of values.entries()) {
    if (value !== null) {
      run.push({ index, value })
      continue
    }
    if (run.length > 0) runs.push(run)
    run = []
  }
  return run.length > 0 ? [...runs, run] : runs
}
