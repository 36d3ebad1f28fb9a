import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import LongFirst, { ALONE } from './vitest.order.ts'

const exclude = [
  '**/node_modules/**',
  '**/dist/**',
  '.tsc/**',
  // On what `npm run test:installers` has built before.
  ...(process.env['TEST_INSTALLERS'] === undefined ? ['installers/test/full/**'] : []),
  // By `npm run test:citus` alone: no Debian has the extension.
  ...(process.env['TEST_CITUS_NODES'] === undefined ? ['backend/test/on-citus.test.ts'] : []),
]
// Each statement of citus goes to several servers, all of them here.
const timeouts =
  process.env['TEST_CITUS_NODES'] === undefined
    ? { testTimeout: 60_000, hookTimeout: 120_000 }
    : { testTimeout: 120_000, hookTimeout: 240_000 }
// Bounds for what hangs, not for what is slow. A poll of vitest's own waits for a second, while what tests wait for comes from other
// processes, browsers and databases.
const common = { ...timeouts, expect: { poll: { timeout: 20_000 } }, setupFiles: ['./scripts/test-seed.ts'] }

export default defineConfig({
  test: {
    // Two cores would get one worker, and many tests wait: for Postgres, for processes, for the next sample.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Tests that say `concurrent` wait for other processes.
    maxConcurrency: 20,
    sequence: { sequencer: LongFirst },
    reporters: ['default', './scripts/total-reporter.ts'],
    // One real Postgres for all that need it, and the page that a backend serves.
    globalSetup: ['./backend/test/global-setup.ts', './scripts/build-dashboard.ts'],
    projects: [
      {
        test: {
          name: 'backend',
          include: ['{backend,dashboard}/**/*.test.ts'],
          exclude: [...exclude, ...ALONE],
          // To load the backend takes a second, and its modules keep no state; files that replace one are in `ALONE`.
          isolate: false,
          ...common,
        },
      },
      { test: { name: 'backend-alone', include: [...ALONE], exclude, ...common } },
      {
        test: {
          name: 'rest',
          include: ['{shared,agent,client,scripts,bench,installers}/**/*.test.ts'],
          exclude,
          ...common,
        },
      },
    ],
  },
})
