import { HOUR_MS } from '@vedette/shared'
import { sql } from 'kysely'
import { binaryArray, type Db, type Pool } from '../../../platform/db/index.ts'

/** What one request brought for one target within one hour. */
export interface PushedSeries {
  organization: number
  target: number
  t0: number
  tLast: number
  /** Of its bytes: the same request again is stored once. */
  digest: Buffer
  data: Buffer
  /** The organizations whose exports it came through. */
  exportPath: string
}

/** Stores them, each once. */
export async function insertPushed(
  { queryNamed }: Pick<Pool, 'queryNamed'>,
  rows: readonly PushedSeries[],
  receivedAtMs: number,
): Promise<void> {
  await queryNamed({
    sql: INSERT,
    parameters: [
      binaryArray.int4(rows.map(({ organization }) => organization)),
      binaryArray.int4(rows.map(({ target }) => target)),
      binaryArray.int8(rows.map(({ t0 }) => t0)),
      binaryArray.int8(rows.map(({ tLast }) => tLast)),
      binaryArray.int8Bytes(rows.map(({ digest }) => digest.toString('latin1'))),
      binaryArray.bytea(rows.map(({ data }) => data)),
      receivedAtMs,
      rows.map(({ exportPath }) => exportPath),
    ],
  })
}

const INSERT = `
insert into series_push (t0, t_last, received_at, digest, organization, target, data, export_path)
select t0, t_last, $7::int8, digest, organization, target, data, export_path
from unnest($1::int4[], $2::int4[], $3::int8[], $4::int8[], $5::int8[], $6::bytea[], $8::text[])
  as given (organization, target, t0, t_last, digest, data, export_path)
on conflict do nothing`

/** What was pushed for these targets and overlaps [fromMs, toMs), as it came. No row crosses an hour. */
export async function readPushed(
  db: Db,
  organization: number,
  targets: readonly number[],
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<Buffer[]> {
  const { rows } = await sql<{ data: Buffer }>`
    select data from series_push
    where organization = ${organization} and target = any(${targets}::int4[]) and not is_compacted
      and t0 > ${fromMs - HOUR_MS}::int8 and t0 < ${toMs}::int8 and t_last >= ${fromMs}::int8
    order by received_at`.execute(db)
  return rows.map(({ data }) => data)
}

export interface PushedHour {
  organization: number
  target: number
  /** Since the epoch. */
  hour: number
}

/**
 * Targets and hours with samples before the instant. Removes what is compacted and was sent by all exports, or was received before
 * `sentBeforeMs`.
 */
export async function listUncompacted(db: Db, beforeMs: number, sentBeforeMs: number): Promise<PushedHour[]> {
  const { rows } = await sql<PushedHour>`
    with sent as (
      delete from series_push as push where is_compacted and (
        received_at < ${sentBeforeMs}::int8 or not exists (
          select from metric_export as export where export.organization = push.organization and 'series' = any(export.samples)
            and export.series_cursor_received_at <= push.received_at
        )
      )
    )
    select distinct organization, target, (t0 / ${HOUR_MS}::int8)::int4 as hour from series_push
    where not is_compacted and t0 < ${beforeMs}::int8`.execute(db)
  return rows
}

/** Takes those away, as they came; what an export has not sent yet stays, marked as compacted. */
export async function takePushed(db: Db, { organization, target, hour }: PushedHour): Promise<Buffer[]> {
  const ofHour = sql`
    organization = ${organization} and target = ${target} and t0 >= ${hour * HOUR_MS}::int8 and t0 < ${(hour + 1) * HOUR_MS}::int8
    and not is_compacted`
  const { rows } = await sql<{ data: Buffer; received_at: number }>`
    with unsent as (
      select min(series_cursor_received_at) as from_ms from metric_export where organization = ${organization} and 'series' = any(samples)
    ), kept as (
      update series_push set is_compacted = true where ${ofHour} and received_at >= (select from_ms from unsent)
      returning received_at, data
    ), gone as (
      delete from series_push where ${ofHour} and (received_at >= (select from_ms from unsent)) is not true returning received_at, data
    )
    select received_at, data from kept union all select received_at, data from gone`.execute(db)
  return rows.sort((one, other) => one.received_at - other.received_at).map(({ data }) => data)
}
