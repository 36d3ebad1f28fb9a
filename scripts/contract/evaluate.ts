import type { Requirement } from './requirements.ts'
import type { RunResult, TestResult } from './results.ts'
import type { SourceTest } from './sources.ts'

/**
 * `held`: a test passed and none failed · `red`: a test failed · `unproved`: its tests did not run · `missing`: it has no test ·
 * `open`: it has no test yet, because the part that it needs does not exist yet.
 */
export type State = 'held' | 'red' | 'unproved' | 'missing' | 'open'

export interface EvaluatedRequirement {
  requirement: Requirement
  state: State
  tests: TestResult[]
}

export interface Evaluation {
  lines: EvaluatedRequirement[]
  /** Errors that belong to no line: unknown ids, errors outside of tests. */
  faults: string[]
}

/** The state of each requirement after a run. `sources` name the requirements of files that did not load. */
export function evaluateRequirements(
  requirements: readonly Requirement[],
  run: RunResult,
  sources: readonly SourceTest[],
): Evaluation {
  const byId = Map.groupBy(
    [...run.tests, ...brokenTests(run, sources)].flatMap((test) => test.ids.map((id) => ({ id, test }))),
    ({ id }) => id,
  )
  const lines = requirements.map((requirement): EvaluatedRequirement => {
    const tests = (byId.get(requirement.id) ?? []).map(({ test }) => test)
    return { requirement, state: stateOf(requirement, tests), tests }
  })
  const faults = unknownIds(requirements, run.tests)
  if (!run.isSuccess && !lines.some(({ state }) => state === 'red'))
    faults.push('the run failed outside of the tests of any requirement')
  for (const { file, message } of run.broken) faults.push(`${file} proves nothing: ${message.split('\n')[0]}`)
  return { lines, faults }
}

function stateOf({ opensWith }: Requirement, tests: readonly TestResult[]): State {
  if (tests.some(({ state }) => state === 'failed')) return 'red'
  if (tests.some(({ state }) => state === 'passed')) return 'held'
  if (opensWith !== undefined) return 'open'
  return tests.length > 0 ? 'unproved' : 'missing'
}

/** The tests of files that did not load count as failed. */
function brokenTests({ broken }: RunResult, sources: readonly SourceTest[]): TestResult[] {
  const files = new Set(broken.map(({ file }) => file))
  return sources
    .filter(({ file }) => files.has(file))
    .map(({ file, titles, ids }) => ({ file, title: titles.join(' > '), ids, state: 'failed' }))
}

/** Ids in test titles that are no requirement, by file. */
export function unknownIds(
  requirements: readonly Requirement[],
  tests: readonly { file: string; ids: readonly string[] }[],
): string[] {
  const known = new Set(requirements.map(({ id }) => id))
  const unknown = tests.flatMap(({ file, ids }) => ids.filter((id) => !known.has(id)).map((id) => `${file} names ${id}: no line`))
  return [...new Set(unknown)]
}

/** Lines that must be held and that no test names. */
export function untested(requirements: readonly Requirement[], tests: readonly { ids: readonly string[] }[]): string[] {
  const named = new Set(tests.flatMap(({ ids }) => ids))
  return requirements.filter(({ id, opensWith }) => opensWith === undefined && !named.has(id)).map(({ id }) => id)
}

export const isFault = (state: State): boolean => state === 'red' || state === 'unproved' || state === 'missing'
