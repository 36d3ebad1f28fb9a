import { type MigrationProvider, type MigrationResultSet, Migrator } from 'kysely/migration'
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
export const migrate = (db: Db, log: Log): Promise<string[]> => apply(db, log, (migrator) => migrator.migrateToLatest())

/** The same up to and with this migration: the schema of an older version. Never goes back. */
export async function migrateTo(db: Db, log: Log, name: string): Promise<string[]> {
  const { applied } = await listMigrations(db)
  return applied.includes(name) ? [] : apply(db, log, (migrator) => migrator.migrateTo(name))
}

async function apply(db: Db, log: Log, change: (migrator: Migrator) => Promise<MigrationResultSet>): Promise<string[]> {
  const { error, results } = await change(new Migrator({ db, provider }))
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
  const { applied, known } = await listMigrations(db)
  return applied.length === known.length
}

/** The migrations that this version knows and those of them that the database has, in their order. */
export async function listMigrations(db: Db): Promise<{ known: string[]; applied: string[] }> {
  const all = await new Migrator({ db, provider }).getMigrations()
  const applied = all.filter(({ executedAt }) => executedAt !== undefined)
  return { known: all.map(({ name }) => name), applied: applied.map(({ name }) => name) }
}
