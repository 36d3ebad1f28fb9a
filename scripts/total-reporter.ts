import type { Reporter, TestModule } from 'vitest/node'
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

/** Prints `N passed, N failed` as the run's last line. With TEST_REQUIRE_ALL a test that did not run has failed. */
export default class TotalReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errorsOutside: readonly unknown[]): void {
    const { passed, failed, skipped } = totalOf(modules, errorsOutside.length)
    const isStrict = requiresAll()
    const sum = failed + (isStrict ? skipped.length : 0)
    // After the default reporter's summary and the output of the global teardown.
    process.once('exit', () => {
      if (sum > 0) process.exitCode = 1
      if (isStrict) for (const name of skipped) process.stdout.write(`did not run, and TEST_REQUIRE_ALL is set: ${name}\n`)
      process.stdout.write(
        `${passed} passed, ${sum} failed${skipped.length > 0 && !isStrict ? `, ${skipped.length} skipped` : ''}\n`,
      )
    })
  }
}
