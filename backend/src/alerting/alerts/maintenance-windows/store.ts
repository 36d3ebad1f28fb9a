import { sql } from 'kysely'
import { type Db, type PageRequest, readPage, type TableRow } from '../../../platform/db/index.ts'

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
  'created_at',
  'updated_at',
] as const

export type WindowRow = Pick<TableRow<'maintenance_window'>, (typeof COLUMNS)[number]>

/** The definition of a window. */
export type WindowColumns = Omit<WindowRow, 'id' | 'created_at' | 'updated_at'>

export async function insertWindow(
  db: Db,
  organization: number,
  window: WindowColumns & { id: string },
  at: Date,
): Promise<void> {
  await db
    .insertInto('maintenance_window')
    .values({ ...window, organization, created_at: at, updated_at: at })
    .execute()
}

export function findWindow(db: Db, organization: number, id: string): Promise<WindowRow | undefined> {
  return windowsOf(db, organization).where('id', '=', id).executeTakeFirst()
}

const windowsOf = (db: Db, organization: number) =>
  db.selectFrom('maintenance_window').select(COLUMNS).where('organization', '=', organization)

/** Locked until the transaction ends. Lock what the window refers to before. */
export function lockWindow(db: Db, organization: number, id: string): Promise<WindowRow | undefined> {
  return windowsOf(db, organization).where('id', '=', id).forUpdate().executeTakeFirst()
}

export async function updateWindow(
  db: Db,
  organization: number,
  id: string,
  change: Partial<WindowColumns>,
  at: Date,
): Promise<void> {
  await db
    .updateTable('maintenance_window')
    .set({ ...change, updated_at: at })
    .where('organization', '=', organization)
    .where('id', '=', id)
    .execute()
}

export async function deleteWindow(db: Db, organization: number, id: string): Promise<void> {
  await db.deleteFrom('maintenance_window').where('organization', '=', organization).where('id', '=', id).execute()
}

/** One page, newest first, and the total. */
export function listWindows(db: Db, organization: number, page: PageRequest): Promise<{ total: number; rows: WindowRow[] }> {
  return readPage(db, windowsOf(db, organization), sql`created_at desc, id desc`, page)
}

/** Windows that may have an occurrence in [from, to), oldest first. */
export function listWindowsBetween(db: Db, organization: number, from: Date, to: Date): Promise<WindowRow[]> {
  return windowsOf(db, organization)
    .where('starts_at', '<', to)
    .where((eb) => eb.or([eb('repeat', 'is not', null), eb('ends_at', '>', from)]))
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** Windows that may be current, oldest first: those that have started and, unless they repeat, have not ended. */
export function listStartedWindows(db: Db, organization: number, at: Date): Promise<WindowRow[]> {
  return windowsOf(db, organization)
    .where('starts_at', '<=', at)
    .where((eb) => eb.or([eb('repeat', 'is not', null), eb('ends_at', '>', at)]))
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}
