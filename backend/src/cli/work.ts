import { claimedSecrets } from '../claimed-secrets.ts'
import { joinDatabase } from '../database.ts'
import { keepAllPartitions, startMaintenance } from '../maintenance.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db/index.ts'
import { createDatabaseClock, readDatabaseTime } from '../platform/limits/index.ts'
import type { Log } from '../platform/log.ts'
import type { InstallationSecrets } from '../platform/secrets.ts'
import type { Settings } from '../settings.ts'
import type { Service } from './command.ts'
import { readSettings } from './database.ts'

export const work: Service = {
  name: 'work',
  summary: 'the background jobs alone, without API: partitions, retention, mail, clean-up',
  start: async (world) => {
    const { clock } = world
    const settings = readSettings(world)
    const log = world.createLog(settings.logLevel)
    const database = await joinDatabase(settings, clock, log, true)
    const { pool } = database
    const secrets = await prepare(settings, clock, pool.db, log).catch(async (error: unknown) => {
      await database.stop()
      throw error
    })
    const { publicUrl, smtpUrl } = settings
    if (smtpUrl !== undefined && publicUrl === undefined)
      log.warn({}, 'without VEDETTE_PUBLIC_URL links to reset a password are mailed by "vedette serve" alone')
    const databaseClock = createDatabaseClock(() => readDatabaseTime(pool))
    const linksLeadTo = publicUrl === undefined ? undefined : () => publicUrl
    const jobs = startMaintenance({ settings, pool, clock, databaseClock, log, secrets, publicUrl: linksLeadTo })
    world.announce('ready work')
    return {
      stop: async () => {
        await jobs.stop()
        await database.stop()
      },
    }
  },
}

async function prepare(settings: Settings, clock: Clock, db: Db, log: Log): Promise<InstallationSecrets> {
  const secrets = await claimedSecrets(settings, clock, db)
  await keepAllPartitions(db, log, clock.now())
  return secrets
}
