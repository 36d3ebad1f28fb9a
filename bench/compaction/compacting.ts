/**
 * Compacts as a backend does, with a clock that its parent sets: at each instant that it is sent it compacts what is due, and answers.
 *
 *   node bench/compaction/compacting.ts URL
 */
import { compactSamples } from '../../backend/src/hosts/metrics/index.ts'
import { createPool } from '../../backend/src/platform/db/index.ts'
import { silentLog } from '../../backend/src/platform/logging/log.ts'
import { systemClock } from '../../backend/src/platform/time/clock.ts'

const [url = ''] = process.argv.slice(2)
const pool = createPool({ url, clock: systemClock, log: silentLog, max: 2, namedStatements: true })

process.on('message', (atMs: number) => {
  compactSamples(pool, { ...systemClock, now: () => atMs }).then(
    () => process.send?.('done'),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
process.once('SIGTERM', () => void pool.end().then(() => process.exit()))
console.log('ready to compact')
