import { EXPORTED_SAMPLES } from '@vedette/shared'
import { type Insertable, sql } from 'kysely'
import { announceChange, type Database, type Db, type PageRequest, readPage, type TableRow } from '../../platform/db/index.ts'
import { CURSOR_COLUMNS } from './cursor-columns.ts'
import type { SampleKind } from './sources/source.ts'

const COLUMNS = [
  'id',
  'name',
  'kind',
  'url',
  'headers_encrypted',
  'samples',
  'enabled',
  'is_managed',
  'created_at',
  'updated_at',
  'cursor_received_at',
  'entity_cursor_received_at',
  'series_cursor_received_at',
  'last_sent_at',
  'last_error',
  'waiting',
  'losses',
  'samples_sent',
  'samples_dropped',
  'samples_skipped',
] as const

const TABLE = 'metric_export'

export type ExportRow = Pick<TableRow<'metric_export'>, (typeof COLUMNS)[number]>
type Editable = Pick<ExportRow, 'name' | 'url' | 'headers_encrypted' | 'samples' | 'enabled'>

const rowsOf = (db: Db, organization: number) =>
  db.selectFrom('metric_export').select(COLUMNS).where('organization', '=', organization)

/** One page, newest first, and the total. */
export const listExports = (db: Db, organization: number, page: PageRequest): Promise<{ total: number; rows: ExportRow[] }> =>
  readPage(db, rowsOf(db, organization), sql`created_at desc, id desc`, page)

/** Undefined across organizations. */
export const findExport = (db: Db, organization: number, id: string): Promise<ExportRow | undefined> =>
  rowsOf(db, organization).where('id', '=', id).executeTakeFirst()

/** Locked until the transaction ends. */
export const lockExport = (db: Db, organization: number, id: string): Promise<ExportRow | undefined> =>
  rowsOf(db, organization).where('id', '=', id).forUpdate().executeTakeFirst()

/** The columns of the cursor of one kind of samples, for what is received from an instant on. */
const cursorAt = (kind: SampleKind, at: Date) => {
  const prefix = CURSOR_COLUMNS[kind]
  return {
    [`${prefix}_received_at`]: at.getTime(),
    [`${prefix}_t0`]: 0,
    [`${prefix}_digest`]: '0',
    [`${prefix}_server`]: 0,
    [`${prefix}_values`]: 0,
  }
}
type Cursors = Pick<
  Insertable<Database['metric_export']>,
  Extract<keyof Database['metric_export'], `${(typeof CURSOR_COLUMNS)[SampleKind]}_${string}`>
>

/** Sends what is received from this instant on. */
export async function insertExport(
  db: Db,
  organization: number,
  row: Editable & Pick<ExportRow, 'id' | 'kind'> & { is_managed?: boolean },
  at: Date,
): Promise<void> {
  const cursors = Object.assign({}, ...EXPORTED_SAMPLES.map((kind) => cursorAt(kind, at))) as Cursors
  const state = { last_sent_at: null, last_error: null, samples_sent: 0, samples_dropped: 0, samples_skipped: 0 }
  await db
    .insertInto('metric_export')
    .values({ organization, ...row, ...cursors, ...state, created_at: at, updated_at: at })
    .execute()
  await announceChange(db, TABLE)
}

const NO_FAULT = { last_error: null, waiting: null, losses: {} } as const

/** Clears its faults: the change may have mended them. Of the kinds of samples that are `added` what is received from now on is sent. */
export async function updateExport(
  db: Db,
  organization: number,
  id: string,
  change: Partial<Editable>,
  added: readonly SampleKind[],
  at: Date,
): Promise<void> {
  await db
    .updateTable('metric_export')
    .set({ ...change, ...Object.assign({}, ...added.map((kind) => cursorAt(kind, at))), ...NO_FAULT, updated_at: at })
    .where('organization', '=', organization)
    .where('id', '=', id)
    .execute()
  await announceChange(db, TABLE)
}

/** Organizations without an export that is made from the setting. */
export async function organizationsWithoutManaged(db: Db, limit: number): Promise<number[]> {
  const { rows } = await sql<{ number: number }>`
    select number from organization
    where not exists (select from metric_export where metric_export.organization = organization.number and is_managed)
    order by number limit ${limit}`.execute(db)
  return rows.map(({ number }) => number)
}

/** Gives those that are made from the setting another URL; without one they are deleted. */
export async function changeManaged(db: Db, url: string | undefined, at: Date): Promise<void> {
  if (url === undefined) await db.deleteFrom('metric_export').where('is_managed', '=', true).execute()
  else
    await db
      .updateTable('metric_export')
      .set({ url, ...NO_FAULT, updated_at: at })
      .where('is_managed', '=', true)
      .where('url', '!=', url)
      .execute()
}

export async function deleteExport(db: Db, organization: number, id: string): Promise<void> {
  await db.deleteFrom('metric_export').where('organization', '=', organization).where('id', '=', id).execute()
}
