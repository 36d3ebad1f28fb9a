import { joinDatabase } from '../database.ts'
import { keepAllPartitions } from '../maintenance.ts'
import { createPool, type Db, type Pool } from '../platform/db/index.ts'
import type { Log } from '../platform/log.ts'
import { parseSettings, type Settings } from '../settings.ts'
import type { World } from './command.ts'

/** Throws SettingsError with every fault. */
export const readSettings = ({ environment, defaultDataDir }: World): Settings => parseSettings(environment, defaultDataDir)

/** A log for a command that ends by itself: it answers, and only what goes wrong is news. */
export function quietLog(world: World, { logLevel }: Settings): Log {
  return world.createLog(logLevel === 'info' ? 'warn' : logLevel)
}

/** Runs `work` on the database of the settings, beside whatever runs on it, and lets go of it. */
export async function withDatabase<T>(world: World, work: (db: Db, log: Log, pool: Pool) => Promise<T>): Promise<T> {
  return joined(world, async (db, log, pool) => {
    // What is done is written down; on a database that no instance has run on yet there is no place for it.
    await keepAllPartitions(db, log, world.clock.now())
    return work(db, log, pool)
  })
}

/** The same for what only looks: it mends nothing that it is asked to tell of. */
export const readDatabase = <T>(world: World, work: (db: Db) => Promise<T>): Promise<T> => joined(world, work)

/** The same with all of its connections: for what copies whole tables. */
export const readPool = <T>(world: World, work: (pool: Pool) => Promise<T>): Promise<T> =>
  joined(world, (_db, _log, pool) => work(pool))

/** A database whose schema is made by `work`; `direct` is the same one past a pooler. */
export async function withRawDatabase<T>(world: World, work: (pool: Pool, direct: Pool, log: Log) => Promise<T>): Promise<T> {
  const settings = readSettings(world)
  const log = quietLog(world, settings)
  const database = await joinDatabase(settings, world.clock, log, { leavesSchema: true })
  const direct = createPool({ url: database.directUrl, clock: world.clock, log, max: 2 })
  try {
    return await work(database.pool, direct, log)
  } finally {
    await direct.end()
    await database.stop()
  }
}

async function joined<T>(world: World, work: (db: Db, log: Log, pool: Pool) => Promise<T>): Promise<T> {
  const settings = readSettings(world)
  const log = quietLog(world, settings)
  const database = await joinDatabase(settings, world.clock, log)
  try {
    return await work(database.pool.db, log, database.pool)
  } finally {
    await database.stop()
  }
}
