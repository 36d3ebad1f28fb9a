import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that take ten seconds or more. They run before all others, so that no worker is left alone with one of them at the end: the
 * longer ones first, and by turns one that mostly waits (for processes, for the next check) and one that mostly computes.
 */
export const LONG: readonly string[] = [
  'backend/test/e2e/probe.test.ts',
  'backend/test/fuzz/nasty.test.ts',
  'backend/src/checks/test/worker.test.ts',
  'backend/src/cli/test/commands.test.ts',
  'backend/test/e2e/three-regions.test.ts',
  'dashboard/test/first-page.test.ts',
  'backend/test/e2e/start.test.ts',
  'backend/src/metrics/test/kill-compaction.test.ts',
  'agent/test/update.test.ts',
  'backend/src/platform/limits/test/shared.test.ts',
  'backend/test/e2e/work.test.ts',
  'backend/test/e2e/clean-clone.test.ts',
  'bench/test/faults-agent.test.ts',
  'backend/test/e2e/external-postgres.test.ts',
  'backend/test/e2e/kill.test.ts',
  'backend/test/contract.test.ts',
  'backend/test/e2e/promises.test.ts',
  'bench/test/faults-samples.test.ts',
  'agent/test/commands.test.ts',
  'backend/src/cli/test/archive.test.ts',
  'backend/src/checks/probe/test/faulty-targets.test.ts',
  'backend/test/access/organizations.test.ts',
  'backend/test/e2e/tls.test.ts',
  'backend/test/fuzz/routes.test.ts',
  'backend/src/platform/db/postgres/test/lifecycle.test.ts',
  'backend/test/access/ids.test.ts',
  'agent/test/run.test.ts',
  'backend/src/metrics/test/partitions.test.ts',
  'agent/test/promises.test.ts',
  'backend/src/archive/test/beside.test.ts',
  'backend/src/alerts/test/lease.test.ts',
  'backend/src/cli/test/storage.test.ts',
  'backend/test/e2e/read-replica.test.ts',
  'backend/src/alerts/test/kill-judging.test.ts',
  'bench/test/faults-alerts.test.ts',
  'backend/src/archive/test/archive.test.ts',
  'backend/src/checks/probe/test/thread.test.ts',
  'backend/test/access/callers.test.ts',
  'backend/src/cli/test/beside.test.ts',
  'backend/src/metrics/test/back-pressure.test.ts',
  'backend/test/access/invalidation.test.ts',
  'backend/test/description.test.ts',
]

/** Files that put something of their own in the place of a module, or of Node's HTTP client: nobody else may meet it. */
const REPLACING: readonly string[] = [
  'backend/src/alerts/telling/test/kinds.test.ts',
  'backend/src/auth/test/equal-work.test.ts',
  'backend/src/checks/test/second-kind.test.ts',
]

const isOfBackend = (path: string) => /^(backend|dashboard)\//.test(path)

/**
 * Files of the backend that get a process of their own: to start it is nothing beside what a long one takes. All others share one
 * with others, which loads the backend once.
 */
export const ALONE: readonly string[] = [...LONG.filter(isOfBackend), ...REPLACING]

/** The long ones first. Then project by project, as a worker only goes on with files of its own project. */
export default class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = new Map((await super.sort(files)).map((file, index) => [file, index]))
    const placeOf = (file: TestSpecification) => {
      const path = relative(import.meta.dirname, file.moduleId)
      const long = LONG.indexOf(path)
      if (long >= 0) return { phase: 0, rank: long }
      return { phase: ALONE.includes(path) ? 1 : isOfBackend(path) ? 2 : 3, rank: rank.get(file) as number }
    }
    const placed = files.map((file) => ({ file, ...placeOf(file) }))
    return placed.sort((one, two) => one.phase - two.phase || one.rank - two.rank).map(({ file }) => file)
  }
}
