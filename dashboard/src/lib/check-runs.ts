import type { Check } from '@vedette/shared'

/** Checks after each other with the same result. */
export interface CheckRun {
  /** The newest of them. */
  newest: Check
  oldest: Check
  count: number
  /** Mean of those with a response, ms; null without one. */
  meanMs: number | null
}

/** Folds checks, the newest first, into runs with the same outcome, status code and error. */
export function foldChecks(checks: readonly Check[]): CheckRun[] {
  const runs: Check[][] = []
  for (const check of checks) {
    const run = runs.at(-1)
    if (run?.[0] && resultOf(run[0]) === resultOf(check)) run.push(check)
    else runs.push([check])
  }
  return runs.map((run) => {
    const times = run.flatMap(({ response_ms }) => response_ms ?? [])
    const meanMs = times.length === 0 ? null : times.reduce((sum, ms) => sum + ms, 0) / times.length
    return { newest: run[0] as Check, oldest: run.at(-1) as Check, count: run.length, meanMs }
  })
}

const resultOf = ({ outcome, status_code, error }: Check): string => `${outcome} ${status_code} ${error?.code} ${error?.message}`
