import { sql } from 'kysely'
import { createResourceStore, type Db, type TableRow } from '../../../platform/db/index.ts'

const COLUMNS = [
  'id',
  'name',
  'target_type',
  'target_id',
  'target_tag',
  'starts_at',
  'ends_at',
  'repeat',
  'time_zone',
  'silence',
  'managed',
  'created_at',
  'updated_at',
  'covers_since',
] as const

export type WindowRow = Pick<TableRow<'maintenance_window'>, (typeof COLUMNS)[number]>

/** The definition of a window. */
export type WindowColumns = Omit<WindowRow, 'id' | 'managed' | 'created_at' | 'updated_at' | 'covers_since'>

const windows = createResourceStore('maintenance_window', COLUMNS, ['silence'])

/** Lock what a window refers to before the window. */
export const {
  insert: insertWindow,
  find: findWindow,
  lock: lockWindow,
  update: updateWindow,
  remove: deleteWindow,
  list: listWindows,
  readAll: readWindows,
  deleted: deletedWindows,
} = windows

/** The window covers from now on, and not before. */
export async function coverSince(db: Db, organization: number, id: string, since: Date): Promise<void> {
  await db
    .updateTable('maintenance_window')
    .set({ covers_since: since })
    .where('organization', '=', organization)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .execute()
}

/** The silences of a source, the newest first. */
export const listSourceWindows = (db: Db, organization: number, sourceId: string): Promise<WindowRow[]> =>
  windows
    .rowsOf(db, organization)
    .where('target_type', '=', 'source')
    .where('target_id', '=', sourceId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()

/** Windows that may have an occurrence in [from, to), oldest first. */
export function listWindowsBetween(db: Db, organization: number, from: Date, to: Date): Promise<WindowRow[]> {
  return windows
    .rowsOf(db, organization)
    .where('starts_at', '<', to)
    .where((eb) => eb.or([eb('repeat', 'is not', null), eb('ends_at', '>', from)]))
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** Windows that may be current, oldest first: those that have started and, unless they repeat, have not ended. */
export function listStartedWindows(db: Db, organization: number, at: Date): Promise<WindowRow[]> {
  return windows
    .rowsOf(db, organization)
    .where('starts_at', '<=', at)
    .where((eb) => eb.or([eb('repeat', 'is not', null), eb('ends_at', '>', at)]))
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** What a window covers: its target and when. */
export const COVERAGE = ['target_type', 'target_id', 'target_tag', 'starts_at', 'ends_at', 'repeat', 'time_zone'] as const

/** What a window covered from `since` until `until`, or covers (null). */
export type CoverageRow = Pick<WindowRow, (typeof COVERAGE)[number]> & {
  window_id: string
  /** Null: the window was changed or deleted since. */
  name: string | null
  since: Date
  until: Date | null
}

/** Those with occurrences that may be in [from, to), as windows are now and as they were; the oldest windows first. */
export async function listCoverage(db: Db, organization: number, from: Date, to: Date): Promise<CoverageRow[]> {
  const isBetween = sql`starts_at < ${to} and (repeat is not null or ends_at > ${from})`
  const columns = sql.join(COVERAGE.map((column) => sql.ref(column)))
  const { rows } = await sql<CoverageRow>`
    select id as window_id, name, ${columns}, coalesce(covers_since, created_at) as since, null::timestamptz as until
    from maintenance_window
    where organization = ${organization} and deleted_at is null and ${isBetween}
    union all
    select window_id, null, ${columns}, covers_since, covers_until from maintenance_window_past
    where organization = ${organization} and covers_until > ${from} and covers_since < ${to} and ${isBetween}
    order by since, window_id`.execute(db)
  return rows
}

/** Keeps what a window covered until now, before it is changed or deleted. */
export async function insertPast(db: Db, organization: number, window: WindowRow, until: Date): Promise<void> {
  const coverage = Object.fromEntries(COVERAGE.map((column) => [column, window[column]])) as Pick<
    WindowRow,
    (typeof COVERAGE)[number]
  >
  const span = { covers_since: window.covers_since ?? window.created_at, covers_until: until }
  await db
    .insertInto('maintenance_window_past')
    .values({ organization, window_id: window.id, ...coverage, ...span })
    // A clock that went back.
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Of all organizations. */
export async function deletePastBefore(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('maintenance_window_past').where('covers_until', '<', before).execute()
}
