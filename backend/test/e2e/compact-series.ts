/**
 * Compacts received series again and again, until it is killed: the samples of yesterday and before are in ended hours and days. A
 * database that is away is tried again.
 *
 *   node backend/test/e2e/compact-series.ts DATA_DIR
 */
import { setTimeout as pause } from 'node:timers/promises'
import { compactSeries } from '../../src/hosts/series/index.ts'
import { createPool } from '../../src/platform/db/index.ts'
import { findRunningUrl } from '../../src/platform/db/postgres/index.ts'
import { silentLog } from '../../src/platform/logging/log.ts'
import { systemClock } from '../../src/platform/time/clock.ts'

const [dataDir = ''] = process.argv.slice(2)
for (;;) {
  await compactUntilLost().catch((error: unknown) => console.log(`lost: ${String(error)}`))
  await pause(50)
}

async function compactUntilLost(): Promise<never> {
  const url = await findRunningUrl(dataDir)
  if (url === undefined) throw new Error('the database does not run')
  const pool = createPool({ url, clock: systemClock, log: silentLog, max: 1 })
  try {
    for (;;) {
      await compactSeries(pool.db, systemClock)
      console.log('compacted')
      await pause(20)
    }
  } finally {
    await pool.end()
  }
}
