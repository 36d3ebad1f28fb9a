// What each command of the launcher builds, and runs on the chosen Node. Benches start the same, so that they measure what people run.

/**
 * A larger young generation: objects that wait for a commit while 2,000 servers push at once die before they are collected, which saves
 * a quarter of the CPU of a push compared with 8 MB. `--expose-gc` is for the memory trimmer, which returns it at rest; V8's own reducer
 * would collect as well, for the same memory.
 */
const BACKEND = ['--max-semi-space-size=64', '--expose-gc', '--no-memory-reducer']

/**
 * A process that only runs checks has a small heap that is mostly new each second. Earlier collection and fewer malloc arenas save a
 * quarter of its memory and cost 2 to 8 % more CPU per check.
 */
const CHECKER = ['--max-semi-space-size=4', '--heap-growing-percent=30']
const CHECKER_ENVIRONMENT = { MALLOC_ARENA_MAX: '2' }

/** They read large folders and call the API: with the flags of the backend 1,200 schedules take 370 MB, with these 230. */
const CLIENTS = new Set(['migrate-from', 'oncall-diff'])

const SOURCE = 'backend/src/main.ts'

function vedette(args) {
  const [command] = args
  if (command === 'work' || command === 'probe') return { argv: [...CHECKER, SOURCE, ...args], environment: CHECKER_ENVIRONMENT }
  if (CLIENTS.has(command)) return { argv: [...CHECKER, SOURCE, ...args] }
  if (command !== 'start' && command !== 'serve') return { argv: [...BACKEND, SOURCE, ...args] }
  // One process that stays: bundled it starts sooner, and holds neither a compiler of TypeScript nor the text of all sources.
  return { builds: ['dashboard', 'backend', 'agent'], argv: [...BACKEND, 'backend/dist/bundle/vedette.mjs', ...args] }
}

const CORE = ['--project', 'core*']

/**
 * Without arguments the core tests; `--changed` those of them that import what differs from main (`--changed=BASE`: from there); `--all`
 * runs every project, and a filter finds its files in all of them, those that run at night too.
 */
function testArguments(args) {
  if (args.length === 0) return CORE
  const changed = args.map((each) => (each === '--changed' ? '--changed=main' : each))
  return [...changed.filter((each) => each !== '--all'), ...(args.some((each) => each.startsWith('--changed')) ? CORE : [])]
}

/** The arguments without `--seed N`, and N. */
function withoutSeed(args) {
  const at = args.indexOf('--seed')
  return at < 0 ? [args, undefined] : [args.toSpliced(at, 2), args[at + 1]]
}

/** `setup` only installs and tests the installation, `dashboard` only builds. */
export const PROGRAMS = {
  start: (args) => vedette(['start', ...args]),
  vedette,
  'vedette-agent': (args) => ({ argv: ['agent/src/main.ts', ...args] }),
  // `--seed N` runs that seed of the simulation alone.
  test: (args) => {
    const [rest, seed] = withoutSeed(args)
    return {
      argv: ['node_modules/vitest/vitest.mjs', 'run', ...testArguments(rest)],
      environment: {
        ...(seed !== undefined && { TEST_SIMULATION_SEED: seed }),
        ...(rest.some((each) => !each.startsWith('-')) && { TEST_NIGHTLY: '1' }),
      },
    }
  },
  setup: () => ({}),
  dashboard: () => ({ builds: ['dashboard'] }),
}
