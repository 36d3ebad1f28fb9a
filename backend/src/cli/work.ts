import { startChecks } from '../checking.ts'
import { startProber } from '../checks/index.ts'
import { claimedSecrets } from '../claimed-secrets.ts'
import { joinDatabase, type RunningDatabase } from '../database.ts'
import { keepAllPartitions, startMaintenance } from '../maintenance.ts'
import { createDatabaseClock, readDatabaseTime } from '../platform/limits/index.ts'
import type { Log } from '../platform/log.ts'
import type { Settings } from '../settings.ts'
import type { Service, World } from './command.ts'
import { readSettings } from './database.ts'

/** Claims, results and jobs go side by side. */
const CONNECTIONS = 6

export const work: Service = {
  name: 'work',
  summary: 'checks and background jobs alone, without API: partitions, retention, mail, clean-up',
  start: async (world) => {
    const settings = readSettings(world)
    const log = world.createLog(settings.logLevel)
    const undo: (() => Promise<unknown>)[] = []
    const stop = async () => {
      for (const step of undo.splice(0).reverse()) await step()
    }
    try {
      const database = await joinDatabase(settings, world.clock, log, { migrates: true, max: CONNECTIONS })
      undo.push(() => database.stop())
      await startParts(world, settings, log, database, undo)
    } catch (error) {
      await stop()
      throw error
    }
    world.announce('ready work')
    return { stop }
  },
}

async function startParts(
  { clock }: World,
  settings: Settings,
  log: Log,
  database: RunningDatabase,
  undo: (() => Promise<unknown>)[],
): Promise<void> {
  const { pool } = database
  const secrets = await claimedSecrets(settings, clock, pool.db)
  await keepAllPartitions(pool.db, log, clock.now(), settings.retention)
  const { publicUrl, smtpUrl } = settings
  if (smtpUrl !== undefined && publicUrl === undefined)
    log.warn({}, 'without VEDETTE_PUBLIC_URL links to reset a password are mailed by "vedette serve" alone')
  const databaseClock = createDatabaseClock(() => readDatabaseTime(pool))
  const linksLeadTo = publicUrl === undefined ? undefined : () => publicUrl
  const jobs = startMaintenance({ settings, pool, clock, databaseClock, log, secrets, publicUrl: linksLeadTo })
  undo.push(() => jobs.stop())
  const prober = await startProber({ db: pool.db, clock, log }, settings.allowPrivateTargets)
  undo.push(() => prober.close())
  undo.push(await startChecks({ settings, clock, log, database, databaseClock, secrets, prober }))
}
