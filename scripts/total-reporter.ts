import type { Reporter, TestModule } from 'vitest/node'

/** Prints `N passed, N failed` as the run's last line; a module that could not be loaded counts as one failure. */
export default class TotalReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const count = { passed: 0, failed: 0, skipped: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state !== 'pending') count[state] += 1
      }
      if (module.errors().length > 0) count.failed += 1
    }
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : ''
    // After the default reporter's own summary, which is printed in the same turn.
    process.once('exit', () => process.stdout.write(`${count.passed} passed, ${count.failed} failed${skipped}\n`))
  }
}
