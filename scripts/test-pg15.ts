/**
 * Runs the backend's tests on Debian's PostgreSQL 15, in a temporary cluster:
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
