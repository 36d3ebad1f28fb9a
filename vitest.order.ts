import { matchesGlob, relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Longest first in each list: so no worker is left alone with a long file at the end of a run.

/** Tests that start whole programs, browsers or machines. */
export const E2E: readonly string[] = [
  'backend/test/e2e/probe.test.ts',
  'backend/test/e2e/heartbeats.test.ts',
  'backend/src/operating/cli/test/commands.test.ts',
  'backend/test/e2e/three-regions.test.ts',
  'backend/src/operating/cli/test/doctor.test.ts',
  'dashboard/test/first-page.test.ts',
  'dashboard/test/remembered.test.ts',
  'dashboard/test/public-pages.test.ts',
  'dashboard/test/status-page-journey.test.ts',
  'backend/test/e2e/start.test.ts',
  'agent/test/update.test.ts',
  'agent/test/foreign-files.test.ts',
  'backend/src/platform/limits/test/shared.test.ts',
  'backend/test/e2e/subscribers.test.ts',
  'backend/test/e2e/work.test.ts',
  'backend/test/e2e/clean-clone.test.ts',
  'backend/test/e2e/external-postgres.test.ts',
  'backend/test/e2e/promises.test.ts',
  'agent/test/commands.test.ts',
  'backend/src/operating/cli/test/archive.test.ts',
  'backend/test/e2e/tls.test.ts',
  'backend/test/e2e/local-agent.test.ts',
  'backend/test/e2e/missing-process.test.ts',
  'agent/test/run.test.ts',
  'agent/test/promises.test.ts',
  'backend/src/operating/cli/test/storage.test.ts',
  'backend/test/e2e/read-replica.test.ts',
  'backend/src/operating/cli/test/database.test.ts',
  'backend/test/e2e/proxy.test.ts',
  'agent/test/hung-pool.test.ts',
  'installers/test/install-sh.test.ts',
  'installers/test/full/**/*.test.ts',
  'scripts/test/launch.test.ts',
  'scripts/test/command-line.test.ts',
  'scripts/test/minimal-debian.test.ts',
]

/** Tests that kill processes, cut networks and search for hostile input. */
export const FAULTS: readonly string[] = [
  'backend/test/simulation/simulation.test.ts',
  'backend/test/fuzz/hostile-input.test.ts',
  'backend/test/e2e/half-working-database.test.ts',
  'backend/test/e2e/soak.test.ts',
  'backend/src/monitoring/checks/test/worker.test.ts',
  'backend/src/hosts/metrics/test/kill-compaction.test.ts',
  'bench/test/faults-agent.test.ts',
  'backend/test/e2e/kill.test.ts',
  'bench/test/faults-samples.test.ts',
  'backend/src/monitoring/checks/probe/test/faulty-targets.test.ts',
  'backend/src/monitoring/checks/probe/test/hostile-kinds.test.ts',
  'backend/test/fuzz/routes.test.ts',
  'backend/src/platform/db/postgres/test/lifecycle.test.ts',
  'backend/src/operating/archive/test/organization-import.test.ts',
  'backend/src/alerting/alerts/test/lease.test.ts',
  'backend/src/alerting/alerts/test/kill-evaluation.test.ts',
  'backend/src/alerting/incidents/test/kill-escalation.test.ts',
  'bench/test/kill-senders.test.ts',
  'backend/src/hosts/metrics/test/back-pressure.test.ts',
]

/** Core tests that may take more than five seconds (scripts/total-reporter.ts); each runs in a process of its own. */
export const LONG_CORE: readonly string[] = [
  'backend/test/smoke.test.ts',
  'backend/test/contract.test.ts',
  'backend/test/access/organizations.test.ts',
  'backend/test/access/ids.test.ts',
  'backend/src/hosts/metrics/test/partitions.test.ts',
  'backend/src/operating/archive/test/archive.test.ts',
  'backend/src/monitoring/checks/probe/test/thread.test.ts',
  'backend/test/access/callers.test.ts',
  'backend/test/openapi.test.ts',
  'backend/src/monitoring/slos/test/slos.test.ts',
  'backend/src/hosts/metrics/test/dimensions.test.ts',
  'backend/test/access/escalation.test.ts',
  'backend/test/access/lists.test.ts',
  'backend/test/client/package.test.ts',
  'backend/test/client/calls.test.ts',
  'backend/src/pages/weekly-summary/test/weekly-summary.test.ts',
  'scripts/words/test/check.test.ts',
  'scripts/imports/test/check.test.ts',
  'backend/test/planted-secrets.test.ts',
  'backend/src/notifying/notifications/test/deliveries.test.ts',
  'backend/src/alerting/incidents/test/escalation.test.ts',
  'backend/test/access/held-permissions.test.ts',
  'backend/test/contract/access.test.ts',
  'backend/test/client/readme.test.ts',
  'client/test/wire-types.test.ts',
  'shared/src/monitoring/heartbeats/calendar.test.ts',
  'scripts/test/total-reporter.test.ts',
]

/** Core tests that replace a module or Node's HTTP client, or change the environment; no other file may share their process. */
export const ALONE: readonly string[] = [
  'backend/src/access/auth/test/equal-work.test.ts',
  'backend/src/access/auth/test/password-queue.test.ts',
  'backend/src/monitoring/checks/test/second-kind.test.ts',
]

const LONG = [...E2E, ...FAULTS, ...LONG_CORE]

/** Runs the long files first, then project by project, because a worker continues only with files of its own project. */
export default class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = new Map((await super.sort(files)).map((file, index) => [file, index]))
    const ordered = files.map((file) => {
      const path = relative(import.meta.dirname, file.moduleId)
      const long = LONG.findIndex((pattern) => matchesGlob(path, pattern))
      return { file, long: long < 0 ? LONG.length : long, project: file.project.name, rank: rank.get(file) ?? 0 }
    })
    return ordered
      .sort((a, b) => a.long - b.long || a.project.localeCompare(b.project) || a.rank - b.rank)
      .map(({ file }) => file)
  }
}
