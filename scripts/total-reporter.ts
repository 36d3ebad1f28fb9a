import { availableParallelism, loadavg } from 'node:os'
import { matchesGlob, relative, sep } from 'node:path'
import type { Reporter, TestModule, Vitest } from 'vitest/node'
import { requiresAll } from './test-tools.ts'

/** The part of vitest's modules that the count needs. */
interface RunModule {
  moduleId: string
  errors: () => readonly unknown[]
  children: {
    allTests: () => Iterable<{ fullName: string; result: () => { state: string } }>
    allSuites: () => Iterable<{ errors: () => readonly unknown[] }>
  }
}

export interface Total {
  passed: number
  failed: number
  /** Full names of the tests that did not run. */
  skipped: string[]
}

/** A module that does not load, a suite whose hook fails and an error outside of any test count as one failure each. */
export function totalOf(modules: readonly RunModule[], errorsOutside: number): Total {
  const total: Total = { passed: 0, failed: errorsOutside, skipped: [] }
  for (const module of modules) {
    if (module.errors().length > 0) total.failed += 1
    for (const suite of module.children.allSuites()) if (suite.errors().length > 0) total.failed += 1
    for (const test of module.children.allTests()) {
      const { state } = test.result()
      if (state === 'passed') total.passed += 1
      else if (state === 'failed') total.failed += 1
      else total.skipped.push(`${module.moduleId} > ${test.fullName}`)
    }
  }
  return total
}

/** What one file cost. */
export interface FileTime {
  /** From the root of the repository, with slashes. */
  path: string
  project: string
  /** Of a worker: imports, set-up and tests. */
  seconds: number
  /** Of its tests and hooks alone: the first file of a worker imports what the others find loaded. */
  testSeconds: number
  /** Processes per worker that wanted a core when the file ended; 1 where there were fewer. */
  load: number
}

const SLOWEST = 20
/** A file whose tests take longer in core delays everybody who runs `npm test`. */
const CORE_SECONDS = 5

/** Lines with the seconds of each project and of the slowest files. */
export function describeTimes(times: readonly FileTime[]): string[] {
  const projects = new Map<string, { files: number; seconds: number }>()
  for (const { project, seconds } of times) {
    const sum = projects.get(project) ?? { files: 0, seconds: 0 }
    projects.set(project, { files: sum.files + 1, seconds: sum.seconds + seconds })
  }
  const byCost = [...times].sort((one, other) => other.seconds - one.seconds)
  return [
    'worker-seconds by project:',
    ...[...projects].map(([name, { files, seconds }]) => `${columnOf(seconds)}  ${name} (${files} files)`),
    'slowest files:',
    ...byCost.slice(0, SLOWEST).map(({ path, project, seconds }) => `${columnOf(seconds)}  ${path} (${project})`),
  ]
}

const columnOf = (seconds: number): string => seconds.toFixed(1).padStart(8)

/**
 * Core files that take too long and are not listed as such, each with a sentence. The bound grows with the load of the machine, which
 * is measured in the same run: a file waits that much longer for its turn, whatever it does.
 */
export function findTooLong(times: readonly FileTime[], listed: readonly string[], factor = 1): string[] {
  return times
    .filter(({ project, path, testSeconds, load }) => {
      const isListed = listed.some((pattern) => matchesGlob(path, pattern))
      return project.startsWith('core') && !isListed && testSeconds > factor * CORE_SECONDS * Math.max(1, load)
    })
    .map(({ path, testSeconds, load }) => {
      const bound = (CORE_SECONDS * Math.max(1, load)).toFixed(1)
      return `${path} took ${testSeconds.toFixed(1)} s of tests, and a core file may take ${bound} s at this load: see docs/internals/testing.md`
    })
}

/** A file that takes a little too long is named, because machines differ; one that takes so many times as long has failed. */
const FAILS_AT = 2
/** In a run of fewer files the first ones, in which everything is slow, and what else the machine begins to do weigh too much. */
const MANY_FILES = 100

/**
 * With the files that take too long, of `files`, and, where all tests must run, those that did not. In a run of few files a long one is
 * no failure.
 */
export function countFailures(
  { failed, skipped }: Total,
  { tooLong, files, isStrict }: { tooLong: number; files: number; isStrict: boolean },
): number {
  return failed + (files < MANY_FILES ? 0 : tooLong) + (isStrict ? skipped.length : 0)
}

/**
 * Prints what the files cost and, as the run's last line, `N passed, N failed`. In a run of many files a core file that takes
 * twice too long has failed, with TEST_REQUIRE_ALL a test that did not run too.
 */
export default class TotalReporter implements Reporter {
  #root = process.cwd()
  readonly #times: FileTime[] = []
  readonly #longCore: readonly string[]

  /** `longCore` are the core files that may take longer. */
  constructor({ longCore = [] }: { longCore?: readonly string[] } = {}) {
    this.#longCore = longCore
  }

  onInit({ config }: Vitest): void {
    this.#root = config.root
  }

  onTestModuleEnd(module: TestModule): void {
    const { prepareDuration, environmentSetupDuration, collectDuration, setupDuration, duration } = module.diagnostic()
    const wholeMs = prepareDuration + environmentSetupDuration + collectDuration + setupDuration + duration
    this.#times.push({
      path: relative(this.#root, module.moduleId).replaceAll(sep, '/'),
      project: module.project.name,
      seconds: wholeMs / 1000,
      testSeconds: duration / 1000,
      load: (loadavg()[0] ?? 0) / (availableParallelism() + 1),
    })
  }

  onTestRunEnd(modules: readonly TestModule[], errorsOutside: readonly unknown[]): void {
    const total = totalOf(modules, errorsOutside.length)
    const { passed, skipped } = total
    const isStrict = requiresAll()
    const tooLong = findTooLong(this.#times, this.#longCore)
    const far = findTooLong(this.#times, this.#longCore, FAILS_AT).length
    const sum = countFailures(total, { tooLong: far, files: this.#times.length, isStrict })
    // After the default reporter's summary and the output of the global teardown.
    process.once('exit', () => {
      if (sum > 0) process.exitCode = 1
      const lines = [
        ...describeTimes(this.#times),
        ...tooLong,
        ...(isStrict ? skipped.map((name) => `did not run, and TEST_REQUIRE_ALL is set: ${name}`) : []),
        `${passed} passed, ${sum} failed${skipped.length > 0 && !isStrict ? `, ${skipped.length} skipped` : ''}`,
      ]
      process.stdout.write(`${lines.join('\n')}\n`)
    })
  }
}
