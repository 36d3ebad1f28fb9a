// What each command of the launcher runs on the chosen Node. Benches start the same, so that they measure what people run.

/**
 * A larger young generation: objects that wait for a commit while 2,000 servers push at once die before they are collected, which saves
 * a quarter of the CPU of a push compared with 8 MB. At rest V8 returns the memory within a minute: 190 MB resident with either.
 */
const BACKEND = ['--max-semi-space-size=64', 'backend/src/main.ts']

/**
 * A process that only runs checks has a small heap that is mostly new each second. Earlier collection and fewer malloc arenas save a
 * quarter of its memory and cost 2 to 8 % more CPU per check.
 */
const CHECKER = ['--max-semi-space-size=4', '--heap-growing-percent=30', 'backend/src/main.ts']
const CHECKER_ENVIRONMENT = { MALLOC_ARENA_MAX: '2' }

const onlyChecks = ([first]) => first === 'work' || first === 'probe'

const vedette = (args) =>
  onlyChecks(args) ? { argv: [...CHECKER, ...args], environment: CHECKER_ENVIRONMENT } : { argv: [...BACKEND, ...args] }

/** `setup` only installs and tests the installation, `dashboard` only builds. */
export const PROGRAMS = {
  start: (args) => ({ argv: [...BACKEND, 'start', ...args], stopsWithLauncher: true }),
  vedette,
  'vedette-agent': (args) => ({ argv: ['agent/src/main.ts', ...args] }),
  // Without arguments the core tests; `--all` runs every project, and a filter finds its files in all of them.
  test: (args) => ({
    argv: [
      'node_modules/vitest/vitest.mjs',
      'run',
      ...(args.length === 0 ? ['--project', 'core*'] : args.filter((each) => each !== '--all')),
    ],
  }),
  setup: () => undefined,
  dashboard: () => undefined,
}
