import { matchesGlob, relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * When each file runs: with every change, or else at night and where somebody names it (`npm test -- WORD`). The text says what it
 * costs, and what every change runs in its place. Longest first: so no worker is left alone with a long file at the end of a run.
 */
type Files = Readonly<Record<string, string | null>>
const EVERY_CHANGE = null

/** Tests that start whole programs, browsers or machines. */
const E2E_FILES: Files = {
  'backend/test/e2e/probe.test.ts': EVERY_CHANGE,
  'backend/test/e2e/blind-region.test.ts': 'a real outage of a region; three-regions.test, and the simulation',
  'backend/test/e2e/heartbeats.test.ts': 'real minutes; the simulation, and the tests of heartbeats on a clock of their own',
  'backend/src/operating/cli/test/commands.test.ts': EVERY_CHANGE,
  'backend/test/e2e/three-regions.test.ts': EVERY_CHANGE,
  'backend/test/e2e/clocks.test.ts': 'clocks that leap, in real minutes; faults-agent.test, and the simulation',
  'backend/src/operating/cli/test/doctor.test.ts': EVERY_CHANGE,
  'backend/test/e2e/stored-pages.test.ts': EVERY_CHANGE,
  'dashboard/test/first-page.test.ts': 'an installation seen from its first page; journeys.test',
  'dashboard/test/remembered.test.ts': 'sign-ins that are remembered, in a browser; the tests of sessions',
  'dashboard/test/public-pages.test.ts': 'status pages in every form; status-page-journey.test',
  'dashboard/test/status-page-journey.test.ts': EVERY_CHANGE,
  'backend/test/e2e/agent-from-backend.test.ts': EVERY_CHANGE,
  'backend/test/e2e/start.test.ts': EVERY_CHANGE,
  'agent/test/update.test.ts': 'updates of a real service; the tests of agent/src/update',
  'agent/test/foreign-files.test.ts': 'files of strange hosts in a process of its own; the tests of the readers',
  'backend/src/platform/limits/test/shared.test.ts': 'limits of several instances in real minutes; the tests of the limiter',
  'backend/src/monitoring/checks/probe/kinds/icmp/test/namespace.test.ts': EVERY_CHANGE,
  'backend/test/client/package.test.ts': 'the packed client in projects of its own; the tests of the client',
  'agent/test/hung-driver.test.ts': 'a driver that never returns; hung-pool.test',
  'backend/src/platform/db/postgres/test/cluster.test.ts': EVERY_CHANGE,
  'installers/test/program.test.ts': EVERY_CHANGE,
  'agent/test/docker.test.ts': 'a real Docker; containers.test',
  'agent/src/certificates/keytool.test.ts': 'key stores of Java; certificate-files.test writes one by its published form',
  'backend/test/global-setup.test.ts': 'the set-up of the tests itself',
  'backend/test/e2e/subscribers.test.ts': EVERY_CHANGE,
  'backend/test/mail-alerts.test.ts':
    'a real Postfix that tries again; the tests of alert-sources/mail, and nodemailer as its client',
  'backend/test/mail-mailbox.test.ts': EVERY_CHANGE,
  'backend/test/e2e/own-domain.test.ts': EVERY_CHANGE,
  'backend/test/e2e/serve.test.ts': EVERY_CHANGE,
  'backend/test/e2e/work.test.ts': EVERY_CHANGE,
  'backend/test/e2e/clean-clone.test.ts': 'an install from nothing; the gate begins with one',
  'backend/test/e2e/external-postgres.test.ts': EVERY_CHANGE,
  'backend/test/e2e/promises.test.ts': EVERY_CHANGE,
  'agent/test/commands.test.ts': EVERY_CHANGE,
  'backend/src/operating/cli/test/archive.test.ts': EVERY_CHANGE,
  'backend/test/e2e/tls.test.ts': EVERY_CHANGE,
  'backend/test/e2e/local-agent.test.ts': 'an installation with its agent; start.test',
  'backend/test/e2e/source-switches.test.ts':
    'real minutes of an agent; switches.test and collector.test of the agent, servers.test',
  'backend/test/e2e/missing-process.test.ts': 'real minutes of an agent; the tests of entities',
  'bench/test/agent-budgets.test.ts': EVERY_CHANGE,
  'agent/test/run.test.ts': EVERY_CHANGE,
  'agent/test/promises.test.ts': EVERY_CHANGE,
  'backend/src/operating/cli/test/storage.test.ts': EVERY_CHANGE,
  'backend/test/e2e/read-replica.test.ts': 'two Postgres servers; the tests of the platform',
  'backend/src/operating/cli/test/database.test.ts': EVERY_CHANGE,
  'backend/src/querying/promql/test/differential.test.ts': EVERY_CHANGE,
  'backend/src/hosts/series/test/senders.test.ts': EVERY_CHANGE,
  'backend/src/alerting/alert-sources/test/programs.test.ts':
    'rules of Prometheus, vmalert and Alertmanager in real seconds; alertmanager-api.test',
  'backend/test/e2e/proxy.test.ts': EVERY_CHANGE,
  'agent/test/hung-pool.test.ts': EVERY_CHANGE,
  'installers/test/install-sh.test.ts': EVERY_CHANGE,
  'installers/test/ways.test.ts': EVERY_CHANGE,
  'installers/test/full/**/*.test.ts': EVERY_CHANGE,
  'scripts/test/launch.test.ts': EVERY_CHANGE,
  'scripts/test/command-line.test.ts': 'completion in three shells; the tests of the arguments',
  'scripts/test/minimal-debian.test.ts': 'a Debian of its own; launch.test',
}

/** Tests that open pages in Chromium. */
const BROWSER_FILES: Files = {
  'dashboard/test/pages.test.ts': EVERY_CHANGE,
  'dashboard/test/newcomer.test.ts': 'an installation as somebody new walks through it; first-run, add-monitor and journeys',
  'dashboard/test/tabs.test.ts': 'many tabs at once; pages.test',
  'dashboard/test/journeys.test.ts': EVERY_CHANGE,
  'dashboard/test/many.test.ts': 'thousands of rows; pages.test',
  'dashboard/test/notifications.test.ts': 'a push service and a service worker; browsers.test of the backend',
  'dashboard/test/shared-stream.test.ts': 'tabs that share a stream; journeys.test',
  'dashboard/test/keyboard.test.ts': EVERY_CHANGE,
  'dashboard/test/side-by-side.test.ts': EVERY_CHANGE,
  'dashboard/test/german.test.ts': 'every page in German at both widths; pages.test deals the languages out',
  'dashboard/test/leaving.test.ts': 'what a page holds after it is left; the editors without a browser',
  'dashboard/test/connection.test.ts': 'a lost connection; the tests of the stream',
  'dashboard/test/identity-providers.test.ts': EVERY_CHANGE,
  'dashboard/test/kept-page.test.ts': 'pages that are kept for the back button; explore.test and lists.test',
  'dashboard/test/explore.test.ts': EVERY_CHANGE,
  'dashboard/test/charts.test.ts': 'charts as drawn; the tests of their functions',
  'dashboard/test/monitor-page.test.ts': 'the chart of a monitor as drawn; pages.test',
  'dashboard/test/passkeys.test.ts': EVERY_CHANGE,
  'dashboard/test/files-and-prints.test.ts': 'what is printed and saved; pages.test',
  'dashboard/test/window-title.test.ts': EVERY_CHANGE,
  'dashboard/test/steady.test.ts': EVERY_CHANGE,
}

/** Tests that kill processes, cut networks and search for hostile input. */
const FAULTS_FILES: Files = {
  'backend/test/simulation/simulation.test.ts': EVERY_CHANGE,
  'backend/test/fuzz/hostile-input.test.ts': EVERY_CHANGE,
  'backend/test/e2e/half-working-database.test.ts': EVERY_CHANGE,
  'backend/test/e2e/soak.test.ts': EVERY_CHANGE,
  'backend/src/monitoring/checks/test/worker.test.ts': 'kills workers; the simulation',
  'backend/src/hosts/metrics/test/kill-compaction.test.ts': 'kills the compaction; the simulation',
  'bench/test/faults-agent.test.ts': EVERY_CHANGE,
  'backend/test/e2e/kill.test.ts': EVERY_CHANGE,
  'backend/test/e2e/kill-apply.test.ts': EVERY_CHANGE,
  'backend/test/e2e/kill-alerts.test.ts': EVERY_CHANGE,
  'backend/test/e2e/kill-series.test.ts': EVERY_CHANGE,
  'bench/test/faults-samples.test.ts': 'a short outage after another; kill.test, and the simulation',
  'backend/src/monitoring/checks/probe/test/faulty-targets.test.ts': EVERY_CHANGE,
  'backend/src/monitoring/checks/probe/test/hostile-kinds.test.ts': EVERY_CHANGE,
  'backend/test/fuzz/routes.test.ts': EVERY_CHANGE,
  'backend/src/platform/db/postgres/test/lifecycle.test.ts': EVERY_CHANGE,
  'backend/src/operating/archive/test/organization-import.test.ts': EVERY_CHANGE,
  'backend/src/alerting/alerts/test/lease.test.ts': 'kills instances; the simulation',
  'backend/src/alerting/alerts/test/kill-evaluation.test.ts': 'kills instances; the simulation',
  'backend/src/alerting/incidents/test/kill-escalation.test.ts': 'kills instances; the simulation',
  'bench/test/kill-senders.test.ts': 'kills senders; the simulation',
  'backend/src/hosts/metrics/test/back-pressure.test.ts': 'more pushes than a database stores; the simulation',
}

export const E2E = Object.keys(E2E_FILES)
export const BROWSER = Object.keys(BROWSER_FILES)
export const FAULTS = Object.keys(FAULTS_FILES)
export const NIGHTLY = Object.entries({ ...E2E_FILES, ...BROWSER_FILES, ...FAULTS_FILES }).flatMap(([file, reason]) =>
  reason === EVERY_CHANGE ? [] : file,
)

const NOT_STUDIED = 'not studied yet'
const PAGES = 'opens many pages without a browser'

/**
 * Core tests that may take more than five seconds (scripts/total-reporter.ts), each with the reason; what asks for less needs no line.
 */
export const LONG_CORE: Readonly<Record<string, string>> = {
  'backend/test/budgets/budgets.test.ts': 'pushes of 20 hosts',
  'backend/test/budgets/idle.test.ts': 'thirteen minutes of all jobs',
  'backend/test/contract.test.ts': 'two requests for each operation, through a proxy that validates them',
  'backend/test/access/ids.test.ts': 'requests of every route',
  'backend/src/alerting/alert-sources/formats/test/integrations.test.ts': 'runs the scripts of integrations/, each many programs',
  'backend/src/operating/archive/test/archive.test.ts': 'exports a whole installation, and imports it into another one',
  'backend/src/pages/status-pages/test/visitor-browsers.test.ts':
    'starts the program three more times, and inserts 20,000 subscribers',
  'backend/test/openapi.test.ts': 'two linters, which are programs of their own',
  'backend/src/operating/deletions/test/deletions.test.ts': 'makes, uses, deletes and restores each of eight kinds',
  'backend/src/hosts/metrics/test/partitions.test.ts': NOT_STUDIED,
  'backend/test/access/callers.test.ts': 'requests of every route',
  'backend/src/alerting/replays/test/rare.test.ts': 'lives through hours with six configurations',
  'backend/src/platform/db/test/silent-database.test.ts': 'waits for real time limits',
  'backend/src/monitoring/checks/probe/test/thread.test.ts': 'blocks its own thread for 2 s twice',
  'backend/src/alerting/replays/test/month.test.ts': 'lives through a month',
  'backend/test/smoke.test.ts': 'starts the programs, kills them and starts them again',
  'backend/src/monitoring/slos/test/prometheus.test.ts': 'evaluates 492 times, and so does Prometheus',
  'backend/src/notifying/notifications/test/deliveries.test.ts': NOT_STUDIED,
  'backend/src/hosts/metrics/test/dimensions.test.ts': 'compacts weeks of samples of many hosts',
  'backend/src/alerting/alerts/test/servers.test.ts': NOT_STUDIED,
  'backend/src/hosts/forecast/test/forecast.test.ts': 'lives through 34 days',
  'agent/test/containers.test.ts': NOT_STUDIED,
  'backend/test/planted-secrets.test.ts': NOT_STUDIED,
  'backend/src/hosts/metrics/test/slot-leases.test.ts': 'compacts more than a hundred days',
  'backend/src/hosts/metrics/test/rollup.test.ts': NOT_STUDIED,
  'backend/test/access/organizations.test.ts': 'requests of every route',
  'backend/src/platform/http/test/slow-clients.test.ts': NOT_STUDIED,
  'backend/src/monitoring/slos/test/slos.test.ts': 'compacts 42 days of checks hour by hour',
  'backend/src/alerting/incidents/test/escalation.test.ts': 'opens a thousand incidents',
  'backend/src/monitoring/monitors/test/figure-order.test.ts': 'pages through every order of a list, five times',
  'backend/test/access/escalation.test.ts': 'requests of every route that writes',
  'backend/src/pages/reports/test/uptime.test.ts': NOT_STUDIED,
  'backend/src/pages/weekly-summary/test/weekly-summary.test.ts': NOT_STUDIED,
  'backend/src/notifying/chat-actions/test/already.test.ts': '100 presses of buttons',
  'backend/src/access/members/test/invitation-mail.test.ts': NOT_STUDIED,
  'backend/src/alerting/alerts/test/flapping.test.ts': 'makes and evaluates nearly two hundred checks',
  'backend/src/access/members/test/invitations.test.ts': NOT_STUDIED,
  'backend/src/monitoring/checks/test/stats.test.ts': 'compacts a month of checks',
  'backend/src/operating/prometheus/test/grafana.test.ts': NOT_STUDIED,
  'backend/test/access/held-permissions.test.ts': NOT_STUDIED,
  'shared/src/monitoring/heartbeats/calendar.test.ts': 'compares many expressions with systemd',
  'backend/src/operating/archive/test/hostile-organization.test.ts': NOT_STUDIED,
  'backend/src/operating/archive/test/scoped.test.ts': 'exports a whole installation, and imports it into another one',
  'backend/src/operating/health/test/health.test.ts': 'waits for real time limits',
  'backend/src/monitoring/checks/probe/kinds/smtp/smtp.test.ts': NOT_STUDIED,
  'backend/src/pages/status-pages/test/subscribers.test.ts': NOT_STUDIED,
  'backend/src/access/auth/test/password-reset.test.ts': NOT_STUDIED,
  'backend/src/monitoring/slos/test/many.test.ts': 'objectives of very many monitors',
  'backend/src/monitoring/certificates/test/many.test.ts': 'inserts 10,000 monitors with their certificates',
  'backend/src/monitoring/monitors/test/credentials.test.ts': NOT_STUDIED,
  'backend/src/notifying/notifications/test/groups.test.ts': NOT_STUDIED,
  'dashboard/test/editors/saving.test.ts': PAGES,
  'dashboard/test/editors/server.test.ts': PAGES,
  'dashboard/test/editors/monitors.test.ts': PAGES,
  'dashboard/test/editors/settings.test.ts': PAGES,
  'dashboard/test/editors/account.test.ts': PAGES,
  'dashboard/test/editors/organization.test.ts': PAGES,
  'dashboard/test/editors/channels.test.ts': PAGES,
  'dashboard/test/editors/rules.test.ts': PAGES,
  'dashboard/test/editors/keys-and-views.test.ts': PAGES,
  'dashboard/test/forecast.test.ts': PAGES,
  'dashboard/test/first-run.test.ts': PAGES,
  'dashboard/test/host-tabs.test.ts': PAGES,
  'dashboard/test/forms.test.ts': PAGES,
  'dashboard/test/status-pages.test.ts': PAGES,
  'backend/src/hosts/forecast/fit.test.ts': 'lives through years of simulated disks',
}

/** Core tests that replace a module or Node's HTTP client, or change the environment; no other file may share their process. */
export const ALONE: readonly string[] = [
  'backend/src/access/auth/test/equal-work.test.ts',
  'backend/src/access/auth/test/password-queue.test.ts',
  'backend/src/monitoring/checks/test/second-kind.test.ts',
]

/** The same of the tests of faults. */
export const FAULTS_ALONE: readonly string[] = ['backend/test/simulation/simulation.test.ts']

/** Long ones first. A worker ends where the next file is of another project. */
const PROJECTS = ['e2e', 'faults-isolated', 'browser', 'core-isolated', 'core-dashboard', 'core']
const LONG = [...FAULTS, ...E2E, ...BROWSER, ...Object.keys(LONG_CORE)]

/** Runs project by project, because a worker continues only with files of its own project, and in each the long files first. */
export default class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = new Map((await super.sort(files)).map((file, index) => [file, index]))
    const ordered = files.map((file) => {
      const path = relative(import.meta.dirname, file.moduleId)
      const long = LONG.findIndex((pattern) => matchesGlob(path, pattern))
      const project = PROJECTS.indexOf(file.project.name)
      return { file, project, long: long < 0 ? LONG.length : long, rank: rank.get(file) ?? 0 }
    })
    return ordered.sort((a, b) => a.project - b.project || a.long - b.long || a.rank - b.rank).map(({ file }) => file)
  }
}
