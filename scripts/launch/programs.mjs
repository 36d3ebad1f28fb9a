// What each command of the launcher runs on the chosen Node; also what benches start, so that they measure what people run.

/** A smaller nursery for new objects: 164 MB of resident memory at rest in place of 213, at the same speed. */
const BACKEND = ['--max-semi-space-size=8', 'backend/src/main.ts']

/**
 * What only checks has a small heap of which most is new each second. Collected sooner, and with fewer arenas of the C library, it
 * holds a quarter less memory, at 2 to 8 % more CPU per check.
 */
const CHECKER = ['--max-semi-space-size=4', '--heap-growing-percent=30', 'backend/src/main.ts']
const CHECKER_ENVIRONMENT = { MALLOC_ARENA_MAX: '2' }

const onlyChecks = ([first]) => first === 'work' || first === 'probe'

const vedette = (args) =>
  onlyChecks(args) ? { argv: [...CHECKER, ...args], environment: CHECKER_ENVIRONMENT } : { argv: [...BACKEND, ...args] }

/** `setup` only installs and tries it, `dashboard` only builds. */
export const PROGRAMS = {
  start: (args) => ({ argv: [...BACKEND, 'start', ...args], stopsWithLauncher: true }),
  vedette,
  'vedette-agent': (args) => ({ argv: ['agent/src/main.ts', ...args] }),
  test: (args) => ({ argv: ['node_modules/vitest/vitest.mjs', 'run', ...args] }),
  setup: () => undefined,
  dashboard: () => undefined,
}
