import { startEmbeddedPostgres } from '../index.ts'

// A Vedette in small, to be killed: starts Postgres, says where, and lives until a signal. What goes wrong is the last line.
const [dataDir = ''] = process.argv.slice(2)
const silent = () => undefined
try {
  const log = { debug: silent, info: silent, warn: silent, error: silent }
  const postgres = await startEmbeddedPostgres({ dataDir, log, fsync: false })
  process.once('SIGTERM', () => void postgres.stop().then(() => process.exit(0)))
  console.log(JSON.stringify({ pid: postgres.pid(), url: postgres.url }))
  setInterval(silent, 60_000)
} catch (error) {
  console.log(JSON.stringify({ error: error instanceof Error ? error.message : String(error) }))
  process.exitCode = 1
}
