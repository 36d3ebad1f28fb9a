import { isHalfImported } from '../archive/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import {
  createPool,
  createReader,
  isMigrated,
  migrate,
  type OnMigration,
  type Pool,
  readFrom,
  type Reader,
} from '../../platform/db/index.ts'
import { findRunningUrl, hasDatabase, startEmbeddedPostgres } from '../../platform/db/postgres/index.ts'
import type { Log } from '../../platform/logging/log.ts'
import type { Settings } from '../settings/index.ts'
import { becomeOwner, makeDataDir } from './data-dir.ts'

export interface RunningDatabase {
  pool: Pool
  /** For what only reads: a replica where there is one. */
  reader: Reader
  /** The same database past a pooler: for what is heard of a channel. */
  directUrl: string
  /** Names of the migrations that were applied for this connection. */
  migrated: string[]
  stop(): Promise<void>
}

/** The oldest major version that the statements were tried on. */
const OLDEST_MAJOR = 15

/** The database of the settings, else the embedded one, with its schema brought up to date. */
export async function connectDatabase(
  settings: Settings,
  clock: Clock,
  log: Log,
  announce: (line: string) => void,
  signal: AbortSignal,
): Promise<RunningDatabase> {
  const { databaseUrl, databaseDirectUrl } = settings
  if (databaseUrl === undefined) return connectEmbedded(settings, clock, log, announce, signal)
  announce('database   connecting to the Postgres of DATABASE_URL')
  // Secrets are kept here even so; the embedded one makes its folder itself, for the user that it runs as.
  makeDataDir(settings.dataDir)
  const pool = createPool({ url: databaseUrl, clock, log })
  try {
    await refuseOldServer(pool)
    await refuseHalfImported(pool)
    const migrated = await migrateBy(databaseDirectUrl ?? databaseUrl, clock, log)
    const { reader, end } = readerOf(settings, pool, clock, log)
    const stop = async () => {
      await end()
      await pool.end()
    }
    return { pool, reader, directUrl: databaseDirectUrl ?? databaseUrl, migrated, stop }
  } catch (error) {
    await pool.end()
    throw error
  }
}

/** A replica that does not let in at once is not waited for: the primary reads meanwhile. */
const REPLICA_PATIENCE_MS = 1_000

function readerOf({ databaseReadUrl: url }: Settings, pool: Pool, clock: Clock, log: Log) {
  if (url === undefined) return { reader: readFrom(pool), end: () => Promise.resolve() }
  const replica = createPool({ url, clock, log, patienceMs: REPLICA_PATIENCE_MS })
  return { reader: createReader(pool, replica, clock, log), end: () => replica.end() }
}

interface JoinOptions {
  migrates?: boolean
  leavesSchema?: boolean
  makesDatabase?: boolean
  max?: number
  onMigration?: OnMigration | undefined
}

/**
 * The database for a command that may run next to an instance: the one of the settings, the embedded one of a running instance,
 * otherwise the embedded one, started and migrated for the command. A schema older than this version is refused unless `migrates`.
 * `leavesSchema` accepts any schema, also an empty one or a partial import. Throws where the data folder holds no database,
 * unless `makesDatabase`: a command with the wrong folder must not report on a new, empty installation. Root that has to start the
 * database of another user's data folder becomes that user.
 */
export async function joinDatabase(
  settings: Settings,
  clock: Clock,
  log: Log,
  { migrates = false, leavesSchema = false, makesDatabase = false, max = 2, onMigration }: JoinOptions = {},
): Promise<RunningDatabase> {
  const { databaseUrl, databaseDirectUrl } = settings
  const url = databaseUrl ?? (await findRunningUrl(settings.dataDir))
  if (url === undefined && !makesDatabase && !(await hasDatabase(settings.dataDir)))
    throw new Error(
      `There is no database in ${settings.dataDir}. Run "vedette start" first, name the data folder of the installation by ` +
        'VEDETTE_DATA_DIR, or name the file with its settings by --env-file.',
    )
  if (url === undefined) {
    becomeOwner(settings.dataDir)
    return connectEmbedded(settings, clock, log, () => undefined, new AbortController().signal, leavesSchema, onMigration)
  }
  // No pooler stands before the embedded one.
  const pool = createPool({ url, clock, log, max, namedStatements: databaseUrl === undefined })
  try {
    if (databaseUrl !== undefined) await refuseOldServer(pool)
    const directUrl = databaseUrl === undefined ? url : (databaseDirectUrl ?? url)
    if (leavesSchema) return { pool, reader: readFrom(pool), directUrl, migrated: [], stop: () => pool.end() }
    await refuseHalfImported(pool)
    const migrated = migrates ? await migrateBy(directUrl, clock, log, onMigration) : []
    if (!migrates && !(await isMigrated(pool.db)))
      throw new Error('The schema of the database is older than this program. Run "vedette migrate" first.')
    return { pool, reader: readFrom(pool), directUrl, migrated, stop: () => pool.end() }
  } catch (error) {
    await pool.end()
    throw error
  }
}

async function connectEmbedded(
  settings: Settings,
  clock: Clock,
  log: Log,
  announce: (line: string) => void,
  signal: AbortSignal,
  leavesSchema = false,
  onMigration?: OnMigration,
): Promise<RunningDatabase> {
  announce('database   starting the embedded PostgreSQL')
  const postgres = await startEmbeddedPostgres({ dataDir: settings.dataDir, log, signal })
  announce(`database   PostgreSQL ${postgres.major} is ready`)
  // No pooler stands between: a named statement is planned once, and the statement of the pushes is planned often.
  const pool = createPool({ url: postgres.url, clock, log, namedStatements: true })
  const stop = async () => {
    await pool.end()
    await postgres.stop()
  }
  try {
    if (!leavesSchema) await refuseHalfImported(pool)
    const migrated = leavesSchema ? [] : await migrate(pool.db, log, onMigration)
    return { pool, reader: readFrom(pool), directUrl: postgres.url, migrated, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Before the schema is touched: an import makes it as it was at the export. */
async function refuseHalfImported({ db }: Pool): Promise<void> {
  if (await isHalfImported(db))
    throw new Error(
      'An import into this database was interrupted. Run "vedette import" with the same file again: it continues where it stopped.',
    )
}

async function refuseOldServer(pool: Pool): Promise<void> {
  const { rows } = await pool.pg.query<{ server_version_num: string }>('show server_version_num').catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(
      `The PostgreSQL of DATABASE_URL does not accept the connection: ${reason}. Check that it runs, and its address, user and password.`,
      {
        cause: error,
      },
    )
  })
  const major = Math.floor(Number(rows[0]?.server_version_num) / 10_000)
  if (!(major >= OLDEST_MAJOR))
    throw new Error(`DATABASE_URL leads to PostgreSQL ${major}; Vedette needs ${OLDEST_MAJOR} or newer.`)
}

/** Migrations hold locks over several statements, which a transaction pooler would break: they go by the direct way. */
async function migrateBy(url: string, clock: Clock, log: Log, onMigration?: OnMigration): Promise<string[]> {
  const pool = createPool({ url, clock, log, max: 2 })
  try {
    return await migrate(pool.db, log, onMigration)
  } finally {
    await pool.end()
  }
}
