// What each command of the launcher runs on the chosen Node; also what benches start, so that they measure what people run.

/**
 * A larger nursery for new objects: what waits for a commit while 2,000 servers push at once is gone before it is collected, which is a
 * quarter of the CPU of a push with one of 8 MB. At rest V8 gives it back within a minute: 190 MB resident with either.
 */
const BACKEND = ['--max-semi-space-size=64', 'backend/src/main.ts']

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
