import { sql } from 'kysely'
import { type MigrationProvider, type MigrationResultSet, Migrator } from 'kysely/migration'
import { MIGRATIONS } from '../../../migrations/index.ts'
import type { Log } from '../logging/log.ts'
import type { Db } from './pool.ts'
import { withLongStatements } from './statement-limit.ts'

const provider: MigrationProvider = { getMigrations: () => Promise.resolve(MIGRATIONS) }

/** Thrown when the schema cannot be brought up to date; the message says what to do. */
class MigrationError extends Error {}

/**
 * Applies all pending migrations and returns their names. Safe to call from several instances at once: one migrates, the others wait.
 * Throws when a newer version has migrated the database, or a build that this version does not follow.
 */
export const migrate = (db: Db, log: Log, onMigration: OnMigration = () => undefined): Promise<string[]> =>
  apply(db, log, (migrator) => migrator.migrateToLatest(), onMigration)

/** Called before each migration with its place in the list of all. */
export type OnMigration = (index: number, of: number, name: string) => void

/** The migrations of this version; each reports that it begins. */
function reporting(onMigration: OnMigration): MigrationProvider {
  const all = Object.entries(MIGRATIONS)
  const wrapped = all.map(([name, migration], index) => {
    const up: typeof migration.up = (db) => {
      onMigration(index, all.length, name)
      return migration.up(db)
    }
    return [name, { ...migration, up }] as const
  })
  return { getMigrations: () => Promise.resolve(Object.fromEntries(wrapped)) }
}

/** Migrates up to and including this migration: the schema of an older version. Never migrates down. */
export async function migrateTo(db: Db, log: Log, name: string): Promise<string[]> {
  const { applied } = await listMigrations(db)
  return applied.includes(name) ? [] : apply(db, log, (migrator) => migrator.migrateTo(name))
}

async function apply(
  db: Db,
  log: Log,
  change: (migrator: Migrator) => Promise<MigrationResultSet>,
  onMigration: OnMigration = () => undefined,
): Promise<string[]> {
  const migrator = new Migrator({ db, provider: reporting(onMigration) })
  const { error, results } = await withLongStatements(() => change(migrator))
  const migrations = (results ?? []).filter(({ status }) => status === 'Success').map(({ migrationName }) => migrationName)
  if (migrations.length > 0) log.info({ migrations }, 'database migrated')
  if (!error) return migrations
  if (error instanceof Error && /missing|corrupted/.test(error.message)) {
    const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
    const origin = originOf(rows.map(({ name }) => name))
    throw new MigrationError(origin === 'unknown' ? OF_ANOTHER_BUILD : OF_A_NEWER_ONE, { cause: error })
  }
  throw error instanceof Error ? error : new MigrationError('The migration failed.', { cause: error })
}

const OF_A_NEWER_ONE =
  'The database was migrated by a newer version of Vedette. Start that version or a newer one; going back is not possible.'
const OF_ANOTHER_BUILD =
  'The database was migrated by a build of Vedette that this version does not follow. Start the build that made it, or use a new database.'

/** Of what made a schema with these migrations: this version or one before it, a newer one, or a build that this one does not follow. Pure. */
export function originOf(
  migrations: readonly string[],
  known: readonly string[] = Object.keys(MIGRATIONS),
): 'known' | 'newer' | 'unknown' {
  const first = migrations.findIndex((name, index) => name !== known[index])
  if (first === -1) return 'known'
  return first === known.length ? 'newer' : 'unknown'
}

/** Whether every migration of this version has been applied. */
export async function isMigrated(db: Db): Promise<boolean> {
  const { applied, available } = await listMigrations(db)
  return applied.length === available.length
}

/** The migrations of this version, and those that the database has applied, in their order. */
export async function listMigrations(db: Db): Promise<{ available: string[]; applied: string[] }> {
  const all = await new Migrator({ db, provider }).getMigrations()
  const applied = all.filter(({ executedAt }) => executedAt !== undefined)
  return { available: all.map(({ name }) => name), applied: applied.map(({ name }) => name) }
}
