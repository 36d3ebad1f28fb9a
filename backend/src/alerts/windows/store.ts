import type { AlertTargetType } from '@vedette/shared'
import { sql } from 'kysely'
import { type Db, type PageRequest, readPage } from '../../platform/db/index.ts'

/** The definition of a window. */
export interface WindowColumns {
  name: string
  target_type: AlertTargetType
  target_id: string | null
  target_tag: string | null
  starts_at: Date
  ends_at: Date
  repeat: string | null
  time_zone: string
}

export interface WindowRow extends WindowColumns {
  id: string
  created_at: Date
  updated_at: Date
}

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
  return db
    .selectFrom('maintenance_window')
    .select(COLUMNS)
    .where('organization', '=', organization)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Locked until the transaction ends. Lock what the window refers to before. */
export function lockWindow(db: Db, organization: number, id: string): Promise<WindowRow | undefined> {
  return db
    .selectFrom('maintenance_window')
    .select(COLUMNS)
    .where('organization', '=', organization)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
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
  const query = db.selectFrom('maintenance_window').select(COLUMNS).where('organization', '=', organization)
  return readPage(db, query, sql`created_at desc, id desc`, page)
}

/** Windows that may be current, oldest first: those that have started and, unless they repeat, have not ended. */
export function listStartedWindows(db: Db, organization: number, at: Date): Promise<WindowRow[]> {
  return db
    .selectFrom('maintenance_window')
    .select(COLUMNS)
    .where('organization', '=', organization)
    .where('starts_at', '<=', at)
    .where((eb) => eb.or([eb('repeat', 'is not', null), eb('ends_at', '>', at)]))
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** Deletes the windows that apply only to these targets, which are deleted. */
export async function deleteWindowsOf(
  db: Db,
  organization: number,
  type: AlertTargetType,
  ids: readonly string[],
): Promise<void> {
  await db
    .deleteFrom('maintenance_window')
    .where('organization', '=', organization)
    .where('target_type', '=', type)
    .where('target_id', 'in', ids)
    .execute()
}
