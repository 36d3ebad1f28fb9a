import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Db, Losses, TableRow } from '../../platform/db/index.ts'
import type { Cursor } from './series/batches.ts'
import { CURSOR_COLUMNS } from './cursor-columns.ts'
import type { SampleKind } from './sources/source.ts'
import type { ExportRow } from './store.ts'

export type SendingExport = Pick<
  ExportRow,
  'id' | 'kind' | 'url' | 'headers_encrypted' | 'updated_at' | 'waiting' | 'losses' | 'is_managed' | 'samples'
> & {
  organization: number
  /** As it is stored, a UUID. */
  organization_id: string
  cursors: Readonly<Record<SampleKind, Cursor>>
}

type CursorRow = { at: number; t0: number; digest: string; server: number; values: number }

const cursorOf = ({ at: receivedAtMs, t0: t0Ms, ...rest }: CursorRow): Cursor => ({ receivedAtMs, t0Ms, ...rest })

/** Digests are numbers of 64 bits: they are read as texts. */
const cursorColumns = (kind: SampleKind): RawBuilder<unknown> => {
  const of = (name: string) => sql.ref(`${CURSOR_COLUMNS[kind]}_${name}`)
  return sql`jsonb_build_object('at', ${of('received_at')}, 't0', ${of('t0')}, 'digest', ${of('digest')}::text, 'server', ${of('server')},
    'values', ${of('values')})`
}

/** Exports of all organizations that are enabled. */
export async function listEnabledExports(db: Db): Promise<SendingExport[]> {
  type Row = Pick<Selectable<TableRow<'metric_export'>>, Exclude<keyof SendingExport, 'organization_id' | 'cursors'>> & {
    organization_id: string
  } & Record<SampleKind, CursorRow>
  const { rows } = await sql<Row>`
    select organization, organization.id as organization_id, metric_export.id, kind, url, headers_encrypted, metric_export.updated_at,
      waiting, losses, is_managed, samples, ${cursorColumns('hosts')} as hosts, ${cursorColumns('entities')} as entities,
      ${cursorColumns('series')} as series
    from metric_export join organization on organization.number = organization
    where enabled order by organization, metric_export.id`.execute(db)
  return rows.map(({ hosts, entities, series, ...row }) => ({
    ...row,
    cursors: { hosts: cursorOf(hosts), entities: cursorOf(entities), series: cursorOf(series) },
  }))
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
  lastError?: string
  waiting?: string | null
  losses?: Losses
}

/**
 * Moves the cursor of one kind of samples and counts. False, and nothing is changed, where another process has moved it, or the export
 * was changed or deleted meanwhile.
 */
export async function advanceExport(
  db: Db,
  { organization, id, cursors, updated_at: updatedAt }: SendingExport,
  kind: SampleKind,
  advance: Advance,
): Promise<boolean> {
  const { cursor: next, sentAt, sent = 0, dropped = 0, skipped = 0, lastError, waiting, losses } = advance
  const cursor = cursors[kind]
  const of = (name: string) => sql.ref(`${CURSOR_COLUMNS[kind]}_${name}`)
  const { numAffectedRows = 0n } = await sql`
    update metric_export set
      ${of('received_at')} = ${next.receivedAtMs}::int8, ${of('t0')} = ${next.t0Ms}::int8, ${of('digest')} = ${next.digest}::int8,
      ${of('server')} = ${next.server}::int4, ${of('values')} = ${next.values}::int4,
      samples_sent = samples_sent + ${sent}::int8, samples_dropped = samples_dropped + ${dropped}::int8,
      samples_skipped = samples_skipped + ${skipped}::int8
      ${sentAt === undefined ? sql`` : sql`, last_sent_at = ${sentAt}`}
      ${lastError === undefined ? sql`` : sql`, last_error = ${lastError}`}
      ${waiting === undefined ? sql`` : sql`, waiting = ${waiting}`}
      ${losses === undefined ? sql`` : sql`, losses = ${JSON.stringify(losses)}::jsonb`}
    where organization = ${organization} and id = ${id} and enabled and updated_at = ${updatedAt}
      and (${of('received_at')}, ${of('t0')}, ${of('digest')}, ${of('server')}, ${of('values')})
        = (${cursor.receivedAtMs}::int8, ${cursor.t0Ms}::int8, ${cursor.digest}::int8, ${cursor.server}::int4, ${cursor.values}::int4)`.execute(
    db,
  )
  return numAffectedRows > 0n
}
