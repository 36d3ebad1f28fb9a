import { joinDatabase } from '../startup/index.ts'
import { keepAllPartitions } from '../../partitions.ts'
import { createPool, type Db, type Pool, withLongStatements } from '../../platform/db/index.ts'
import type { Log } from '../../platform/logging/log.ts'
import { parseSettings, type Settings } from '../settings/index.ts'
import type { CommandContext } from './command.ts'

/** Throws SettingsError with all invalid settings. */
export const readSettings = ({ environment, defaultDataDir }: CommandContext): Settings =>
  parseSettings(environment, defaultDataDir)

/** A log for tasks: only warnings and errors. */
export function quietLog(context: CommandContext, { logLevel }: Settings): Log {
  return context.createLog(logLevel === 'info' ? 'warn' : logLevel)
}

/** Runs `work` on the database of the settings, next to running instances, and closes the connection. */
export async function withDatabase<T>(context: CommandContext, work: (db: Db, log: Log, pool: Pool) => Promise<T>): Promise<T> {
  return joined(context, async (db, log, pool) => {
    // `work` may store audit events, and on a database without a running instance their partition may be missing.
    await keepAllPartitions(db, log, context.clock.now())
    return work(db, log, pool)
  })
}

/** The same for reading: it creates no partitions. */
export const readDatabase = <T>(context: CommandContext, work: (db: Db) => Promise<T>): Promise<T> => joined(context, work)

/** The same with the whole pool, for copies of whole tables. */
export const readPool = <T>(context: CommandContext, work: (pool: Pool) => Promise<T>): Promise<T> =>
  joined(context, (_db, _log, pool) => work(pool))

/** The same without migrations, also on a new database; `direct` bypasses a pooler. */
export async function withRawDatabase<T>(
  context: CommandContext,
  work: (pool: Pool, direct: Pool, log: Log) => Promise<T>,
): Promise<T> {
  const settings = readSettings(context)
  const log = quietLog(context, settings)
  const database = await joinDatabase(settings, context.clock, log, { leavesSchema: true, makesDatabase: true })
  const direct = createPool({ url: database.directUrl, clock: context.clock, log, max: 2 })
  try {
    return await withLongStatements(() => work(database.pool, direct, log))
  } finally {
    await direct.end()
    await database.stop()
  }
}

async function joined<T>(context: CommandContext, work: (db: Db, log: Log, pool: Pool) => Promise<T>): Promise<T> {
  const settings = readSettings(context)
  const log = quietLog(context, settings)
  const database = await joinDatabase(settings, context.clock, log)
  try {
    return await withLongStatements(() => work(database.pool.db, log, database.pool))
  } finally {
    await database.stop()
  }
}
