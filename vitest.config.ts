import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

const exclude = [
  '**/node_modules/**',
  '**/dist/**',
  '.tsc/**',
  // On what `npm run test:installers` has built before.
  ...(process.env['TEST_INSTALLERS'] === undefined ? ['installers/test/full/**'] : []),
  ...(process.env['TEST_CITUS_URL'] === undefined ? ['backend/test/on-citus.test.ts'] : []),
]
const timeouts = { testTimeout: 20_000, hookTimeout: 60_000 }

export default defineConfig({
  test: {
    // Two cores would get one worker, and many tests wait: for Postgres, for processes, for the next sample.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Tests that say `concurrent` wait for other processes.
    maxConcurrency: 20,
    reporters: ['default', './scripts/total-reporter.ts'],
    projects: [
      {
        test: {
          name: 'backend',
          include: ['{backend,dashboard}/**/*.test.ts'],
          exclude,
          ...timeouts,
          // One real Postgres for all of them, and the page that a backend serves.
          globalSetup: ['./backend/test/global-setup.ts', './scripts/build-dashboard.ts'],
        },
      },
      { test: { name: 'rest', include: ['{shared,agent,client,scripts,bench,installers}/**/*.test.ts'], exclude, ...timeouts } },
    ],
  },
})
