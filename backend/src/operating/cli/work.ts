import { startProber } from '../../monitoring/checks/index.ts'
import { claimedSecrets, joinDatabase, type RunningDatabase, startChecks } from '../startup/index.ts'
import { keepAllPartitions } from '../../partitions.ts'
import { startJobs } from '../../start-jobs.ts'
import { watchChanges } from '../../platform/db/index.ts'
import { createDatabaseClock, readDatabaseTime, sharedClock } from '../../platform/limits/index.ts'
import type { Log } from '../../platform/logging/log.ts'
import type { Settings } from '../settings/index.ts'
import type { Service, CommandContext } from './command.ts'
import { readSettings } from './database.ts'

/** For claims, results and jobs at the same time. */
const CONNECTIONS = 6

export const work: Service = {
  name: 'work',
  summary: 'run only checks and background jobs: no API',
  start: async (context) => {
    const settings = readSettings(context)
    const log = context.createLog(settings.logLevel)
    const undo: (() => Promise<unknown>)[] = []
    const stop = async () => {
      for (const step of undo.splice(0).reverse()) await step()
    }
    try {
      const database = await joinDatabase(settings, context.clock, log, { migrates: true, makesDatabase: true, max: CONNECTIONS })
      undo.push(() => database.stop())
      await startParts(context, settings, log, database, undo)
    } catch (error) {
      await stop()
      throw error
    }
    context.announce('ready work')
    return { stop }
  },
}

async function startParts(
  context: CommandContext,
  settings: Settings,
  log: Log,
  database: RunningDatabase,
  undo: (() => Promise<unknown>)[],
): Promise<void> {
  const { pool } = database
  const databaseClock = createDatabaseClock(() => readDatabaseTime(pool))
  await databaseClock.measure()
  const clock = sharedClock(databaseClock, context.clock)
  const secrets = await claimedSecrets(settings, clock, pool.db)
  await keepAllPartitions(pool.db, log, clock.now(), settings.retention)
  const changes = watchChanges({ url: database.directUrl, db: pool.db, clock, log })
  undo.push(() => changes.stop())
  const { publicUrl, smtpUrl } = settings
  if (smtpUrl !== undefined && publicUrl === undefined)
    log.warn(
      {},
      'without VEDETTE_PUBLIC_URL this process does not mail links to reset a password; "vedette serve" and "vedette start" do',
    )
  const linksLeadTo = publicUrl === undefined ? undefined : () => publicUrl
  const jobs = startJobs({
    settings,
    pool,
    clock,
    databaseClock,
    log,
    secrets,
    changes,
    reader: database.reader,
    publicUrl: linksLeadTo,
  })
  undo.push(() => jobs.stop())
  const prober = await startProber({ db: pool.db, clock, log, changes }, settings)
  undo.push(() => prober.close())
  undo.push(await startChecks({ settings, clock, log, database, changes, databaseClock, secrets, prober }))
}
