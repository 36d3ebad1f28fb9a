import { type Selectable, sql } from 'kysely'
import type { Db, TableRow } from '../../platform/db/index.ts'
import type { Cursor } from './series/batches.ts'
import type { ExportRow } from './store.ts'

export type SendingExport = Pick<
  ExportRow,
  'id' | 'kind' | 'url' | 'headers_encrypted' | 'updated_at' | 'last_error' | 'is_managed'
> & {
  organization: number
  cursor: Cursor
}

/** Exports of all organizations that are enabled. */
export async function listEnabledExports(db: Db): Promise<SendingExport[]> {
  type Row = Selectable<Omit<TableRow<'metric_export'>, 'cursor_digest'>> & { cursor_digest: string }
  const { rows } = await sql<Row>`
    select organization, id, kind, url, headers_encrypted, updated_at, last_error, is_managed, cursor_received_at, cursor_t0,
      cursor_digest::text as cursor_digest, cursor_server, cursor_values
    from metric_export where enabled order by organization, id`.execute(db)
  return rows.map(
    ({ cursor_received_at: receivedAtMs, cursor_t0: t0Ms, cursor_digest: digest, cursor_server: server, ...row }) => ({
      ...row,
      cursor: { receivedAtMs, t0Ms, digest, server, values: row.cursor_values },
    }),
  )
}

export async function hasEnabledExports(db: Db): Promise<boolean> {
  const { rows } = await sql<{ exists: boolean }>`select exists (select from metric_export where enabled)`.execute(db)
  return rows[0]?.exists === true
}

export interface Advance {
  cursor: Cursor
  /** Undefined: nothing was accepted. */
  sentAt?: Date
  sent?: number
  dropped?: number
  skipped?: number
  /** Undefined: it stays. */
  lastError?: string | null
}

/**
 * Moves the cursor and counts. False, and nothing is changed, where another process has moved it, or the export was changed or
 * deleted meanwhile.
 */
export async function advanceExport(
  db: Db,
  { organization, id, cursor, updated_at: updatedAt }: SendingExport,
  advance: Advance,
): Promise<boolean> {
  const { cursor: next, sentAt, sent = 0, dropped = 0, skipped = 0, lastError } = advance
  const { numAffectedRows = 0n } = await sql`
    update metric_export set
      cursor_received_at = ${next.receivedAtMs}::int8, cursor_t0 = ${next.t0Ms}::int8, cursor_digest = ${next.digest}::int8,
      cursor_server = ${next.server}::int4, cursor_values = ${next.values}::int4,
      samples_sent = samples_sent + ${sent}::int8, samples_dropped = samples_dropped + ${dropped}::int8,
      samples_skipped = samples_skipped + ${skipped}::int8
      ${sentAt === undefined ? sql`` : sql`, last_sent_at = ${sentAt}`}
      ${lastError === undefined ? sql`` : sql`, last_error = ${lastError}`}
    where organization = ${organization} and id = ${id} and enabled and updated_at = ${updatedAt}
      and (cursor_received_at, cursor_t0, cursor_digest, cursor_server, cursor_values)
        = (${cursor.receivedAtMs}::int8, ${cursor.t0Ms}::int8, ${cursor.digest}::int8, ${cursor.server}::int4, ${cursor.values}::int4)`.execute(
    db,
  )
  return numAffectedRows > 0n
}
