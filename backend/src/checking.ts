import { type ProberLike, startEngine } from './checks/index.ts'
import type { RunningDatabase } from './database.ts'
import type { Clock } from './platform/clock.ts'
import type { DatabaseClock } from './platform/limits/index.ts'
import type { Log } from './platform/log.ts'
import type { InstallationSecrets } from './platform/secrets.ts'
import { monitorSealer } from './monitors/index.ts'
import { ensureRegion } from './regions/index.ts'
import type { Settings } from './settings.ts'

export interface CheckingOptions {
  settings: Settings
  clock: Clock
  log: Log
  database: RunningDatabase
  databaseClock: DatabaseClock
  secrets: InstallationSecrets
  /** Makes the checks; whoever made it closes it, after this. */
  prober: ProberLike
}

/** Makes the checks of the region that the settings name; gives the way to end it. */
export async function startChecks(options: CheckingOptions): Promise<() => Promise<void>> {
  const { settings, clock, log, database, databaseClock, secrets, prober } = options
  const { pool, directUrl } = database
  const { controlTargets } = settings
  const region = await ensureRegion(pool.db, { id: settings.region, name: settings.region }, new Date(clock.now()))
  const sealer = monitorSealer(secrets)
  const engine = await startEngine({ pool, directUrl, clock, databaseClock, log, sealer, region, controlTargets, prober })
  return () => engine.stop()
}
