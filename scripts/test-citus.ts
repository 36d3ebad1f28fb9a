/**
 * Runs the backend's tests on Citus: a coordinator and two nodes of Debian's PostgreSQL 15, removed afterwards. Debian has no package
 * of the extension, so it must be installed by hand and this is not part of the gate:
 *
 *   npm run test:citus [-- FILTER…]
 */
import { runBackendTests, startDebianPostgres } from './debian-postgres.ts'

/** Tests of databases without Citus. */
const NOT_HERE = ['backend/test/citus.test.ts']

// Each test file has databases of its own, and Citus runs a maintenance process for each.
const settings = {
  shared_preload_libraries: 'citus',
  max_prepared_transactions: 300,
  max_worker_processes: 100,
  wal_level: 'logical',
  'citus.shard_count': 4,
}
const started = await Promise.allSettled([1, 2, 3].map(() => startDebianPostgres(settings)))
const servers = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
try {
  for (const each of started) if (each.status === 'rejected') throw each.reason
  const [coordinator = '', ...nodes] = servers.map(({ url }) => url)
  const environment = { TEST_DATABASE_URL: coordinator, TEST_CITUS_NODES: nodes.join(' ') }
  process.exitCode = await runBackendTests(environment, process.argv.slice(2), NOT_HERE)
} finally {
  await Promise.all(servers.map((server) => server.stop()))
}
