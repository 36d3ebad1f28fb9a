import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import LongFirst, { ALONE, BROWSER, E2E, FAULTS, FAULTS_ALONE, LONG_CORE, NIGHTLY } from './vitest.order.ts'
import { plantedFault } from './vitest.planted.ts'

const exclude = [
  '**/node_modules/**',
  '**/dist/**',
  '.tsc/**',
  // Needs the files that `npm run test:installers` builds first.
  ...(process.env['TEST_INSTALLERS'] === undefined ? ['installers/test/full/**'] : []),
  // Runs for TEST_SOAK_MINUTES, which the nightly tests set.
  ...(process.env['TEST_SOAK_MINUTES'] === undefined ? ['backend/test/e2e/soak.test.ts'] : []),
  ...(process.env['TEST_NIGHTLY'] === undefined ? NIGHTLY : []),
  // Needs the folder of another project's tests.
  ...(process.env['TEST_MIGRATOR_FIXTURES'] === undefined ? ['backend/src/operating/moving/test/migrator-fixtures.test.ts'] : []),
  // Needs the nodes that `npm run test:citus` starts.
  ...(process.env['TEST_CITUS_NODES'] === undefined ? ['backend/test/on-citus.test.ts'] : []),
]
// These bounds are for tests that hang, on a slow machine too. A poll of vitest waits for 1 s by default; ours wait for other
// processes, browsers and databases.
const common = {
  testTimeout: 120_000,
  hookTimeout: 240_000,
  expect: { poll: { timeout: 20_000 } },
  setupFiles: ['./scripts/test-seed.ts'],
  // Most of a test's code runs a few times: compiled plainly at once it needs an eighth less CPU than interpreted first.
  execArgv: ['--always-sparkplug'],
  // After the whole programs.
  sequence: { groupOrder: 1 },
}

const DASHBOARD = 'dashboard/test/**/*.test.ts'
/** For tests that load React's build for users, which has no support for the other kind of JSX. */
const DASHBOARD_CODE = { oxc: { jsx: { development: false } } }
const OTHERS = '{backend,dashboard/src,shared,agent,client,scripts,bench,installers}/**/*.test.ts'
/**
 * Three kinds of tests. core (`npm test`): pure functions, endpoints, pages without a browser, and one smoke test of the running
 * programs. browser: pages in Chromium. e2e: whole programs and machines, kills and broken networks. Files share the processes of the
 * workers, because loading the backend takes 2.6 s of CPU; those in `ALONE` and `FAULTS_ALONE` have one each.
 */
export default defineConfig({
  test: {
    // One more than cores, because many tests wait: for Postgres, for processes, for the next sample.
    maxWorkers: availableParallelism() + 1,
    // Tests marked `concurrent` wait for other processes.
    maxConcurrency: 20,
    sequence: { sequencer: LongFirst },
    // The cache does not know which fault is planted.
    fsModuleCache: process.env['TEST_PLANTED_FAULT'] === undefined,
    reporters: ['default', ['./scripts/total-reporter.ts', { longCore: Object.keys(LONG_CORE) }]],
    // One Postgres for all files, and the dashboard that a backend serves.
    globalSetup: ['./backend/test/global-setup.ts', './scripts/build-programs.ts'],
    projects: [
      {
        test: {
          name: 'core',
          include: [OTHERS],
          exclude: [...exclude, ...E2E, ...FAULTS, ...ALONE],
          isolate: false,
          ...common,
        },
      },
      {
        ...DASHBOARD_CODE,
        test: {
          name: 'core-dashboard',
          include: [DASHBOARD],
          exclude: [...exclude, ...E2E, ...BROWSER],
          // One window and one backend for the files of a worker. In other processes nothing must find a window.
          isolate: false,
          ...common,
        },
      },
      {
        ...DASHBOARD_CODE,
        // One Chromium and one backend for the files of a worker.
        test: { name: 'browser', include: [...BROWSER], exclude, isolate: false, ...common },
      },
      {
        test: { name: 'core-isolated', include: [...ALONE], exclude: [...exclude, ...E2E, ...FAULTS], ...common },
      },
      {
        test: {
          ...common,
          name: 'e2e',
          include: [...E2E, ...FAULTS],
          exclude: [...exclude, ...FAULTS_ALONE],
          isolate: false,
          // They wait for programs: with as many workers as the others a fifth of the cores had nothing to do. First, because the gate
          // reads the source with what they leave.
          maxWorkers: availableParallelism() + 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        plugins: plantedFault(process.env['TEST_PLANTED_FAULT']),
        test: { name: 'faults-isolated', include: [...FAULTS_ALONE], exclude, ...common },
      },
    ],
  },
})
