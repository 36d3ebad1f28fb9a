import { type PolicyProber, startEngine } from '../../monitoring/checks/index.ts'
import type { Changes } from '../../platform/db/index.ts'
import type { RunningDatabase } from './database.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { DatabaseClock } from '../../platform/limits/index.ts'
import type { Log } from '../../platform/logging/log.ts'
import type { InstallationSecrets } from '../../platform/crypto/installation-secrets.ts'
import { monitorEncrypter } from '../../monitoring/monitors/index.ts'
import { ensureRegion } from '../../monitoring/regions/index.ts'
import type { Settings } from '../settings/index.ts'

export interface CheckingOptions {
  settings: Settings
  clock: Clock
  log: Log
  database: RunningDatabase
  changes: Changes
  databaseClock: DatabaseClock
  secrets: InstallationSecrets
  /** Runs the checks. The caller closes it after the engine stopped. */
  prober: PolicyProber
}

/** Starts the checks of the region in the settings; returns the function that stops them. */
export async function startChecks(options: CheckingOptions): Promise<() => Promise<void>> {
  const { settings, clock, log, database, changes, databaseClock, secrets, prober } = options
  const { pool } = database
  const { controlTargets } = settings
  const region = await ensureRegion(pool.db, { id: settings.region, name: settings.region }, new Date(clock.now()))
  const encrypter = monitorEncrypter(secrets)
  const engine = await startEngine({ pool, changes, clock, databaseClock, log, encrypter, region, controlTargets, prober })
  return () => engine.stop()
}
