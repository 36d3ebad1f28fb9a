import { type MigrationProvider, Migrator } from 'kysely/migration'
import { MIGRATIONS } from '../../../migrations/index.ts'
import type { Log } from '../log.ts'
import type { Db } from './pool.ts'

const provider: MigrationProvider = { getMigrations: () => Promise.resolve(MIGRATIONS) }

/** Thrown when the schema cannot be brought up to date; the message says what to do. */
class MigrationError extends Error {}

/**
 * Brings the schema up to date. Safe to call from several instances at once: one works, the others wait.
 * Refuses a database that a newer version has migrated already. Gives the names of the migrations that it applied.
 */
export async function migrate(db: Db, log: Log): Promise<string[]> {
  const migrator = new Migrator({ db, provider })
  const { error, results } = await migrator.migrateToLatest()
  for (const result of results ?? []) log.info({ migration: result.migrationName, status: result.status }, 'migration')
  if (!error) return (results ?? []).map((result) => result.migrationName)
  if (error instanceof Error && /missing|corrupted/.test(error.message)) {
    throw new MigrationError(
      'The database was migrated by a newer version of Vedette. Start that version or a newer one; going back is not possible.',
      { cause: error },
    )
  }
  throw error instanceof Error ? error : new MigrationError('The migration failed.', { cause: error })
}

/** Whether every migration of this version has been applied. */
export async function isMigrated(db: Db): Promise<boolean> {
  const all = await new Migrator({ db, provider }).getMigrations()
  return all.every((migration) => migration.executedAt !== undefined)
}
