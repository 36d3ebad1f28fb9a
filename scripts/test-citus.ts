/**
 * The backend's tests on citus: a coordinator and two nodes of the PostgreSQL that Debian has (15), gone afterwards. The extension
 * must have been installed for it; Debian has none, so that this is no part of the gate:
 *
 *   npm run test:citus [-- FILTER…]
 */
import { runBackendTests, startDebianPostgres } from './debian-postgres.ts'

/** What is about databases without it. */
const NOT_HERE = ['--exclude', 'backend/test/citus.test.ts']

// Each test file has databases of its own, and each of them a process that watches over it.
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
  process.exitCode = await runBackendTests(environment, [...NOT_HERE, ...process.argv.slice(2)])
} finally {
  await Promise.all(servers.map((server) => server.stop()))
}
