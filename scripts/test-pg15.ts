/**
 * The backend's tests on the PostgreSQL that Debian has (15), in a cluster of their own that is gone afterwards:
 *
 *   npm run test:pg15 [-- FILTER…]
 */
import { execFileSync } from 'node:child_process'
import { program, runBackendTests, startDebianPostgres } from './debian-postgres.ts'

const postgres = await startDebianPostgres()
try {
  console.log(execFileSync(program('postgres'), ['--version'], { encoding: 'utf8' }).trim())
  process.exitCode = await runBackendTests({ TEST_DATABASE_URL: postgres.url }, process.argv.slice(2))
} finally {
  await postgres.stop()
}
