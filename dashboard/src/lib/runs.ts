export interface Point {
  index: number
  value: number
}

/** The stretches of a series that hold values, so that a gap is drawn as a gap. */
export function runsOf(values: readonly (number | null)[]): Point[][] {
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
