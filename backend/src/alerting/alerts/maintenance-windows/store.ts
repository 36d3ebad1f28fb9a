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
] as const

export type WindowRow = Pick<TableRow<'maintenance_window'>, (typeof COLUMNS)[number]>

/** The definition of a window. */
export type WindowColumns = Omit<WindowRow, 'id' | 'managed' | 'created_at' | 'updated_at'>

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
