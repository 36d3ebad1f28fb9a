import { sql } from 'kysely'
import type { Db, ReadSource } from '../../../platform/db/index.ts'
import type { StoredPiece } from '../aggregate/index.ts'
import { pairsOf } from './given-store.ts'
import { type ServerHour, type ServerKey } from './keys.ts'
import { HOUR_MS } from './schedule.ts'
import { dayOf } from '../../../platform/time/day.ts'

/** All pushes of a server for these hours, by first instant. */
export async function readPushesOf(
  db: Db,
  { organization, server }: ServerKey,
  hours: readonly number[],
): Promise<StoredPiece[]> {
  const pushes = await readLatePushes(
    db,
    organization,
    hours.map((hour) => ({ server, hour })),
  )
  return pushes.sort((left, right) => left.t0Ms - right.t0Ms)
}

interface PushColumns {
  t0: number
  t_last: number
  received_at: number
  digest: Buffer
  data: Buffer
}

const pieceOf = (row: PushColumns): StoredPiece => ({
  t0Ms: row.t0,
  tLastMs: row.t_last,
  receivedAtMs: row.received_at,
  digest: row.digest,
  block: row.data,
})

/** The pushes for these hours of these servers, as pairs. */
export async function readLatePushes(
  db: Db,
  organization: number,
  pairs: readonly ServerHour[],
): Promise<(StoredPiece & { server: number })[]> {
  if (pairs.length === 0) return []
  const { rows } = await sql<PushColumns & { server: number }>`
    select found.server, t0, t_last, received_at, int8send(digest) as digest, data from ${pairsOf(pairs)}
    join metric_push as found on organization = ${organization} and found.server = given.server
      and t0 >= given.hour::bigint * ${sql.lit(HOUR_MS)} and t0 < (given.hour + 1)::bigint * ${sql.lit(HOUR_MS)}`.execute(db)
  return rows.map((row) => ({ server: row.server, ...pieceOf(row) }))
}

/** The hour since the epoch of the oldest push that is not before this one. Reads all pushes: for when a gap is to be passed. */
export async function nextPushedHour(db: Db, hour: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('metric_push')
    .select((eb) => eb.fn.min<number | null>('t0').as('oldest'))
    .where('t0', '>=', hour * HOUR_MS)
    .executeTakeFirstOrThrow()
  return row.oldest === null ? undefined : Math.floor(row.oldest / HOUR_MS)
}

/**
 * Per server the rows that may hold its newest sample: those that overlap the row with the latest end. It lies in the hour of the
 * latest beginning, since no row crosses an hour.
 */
export async function readNewestPieces(
  from: ReadSource,
  organization: number,
  servers: readonly number[],
  sinceMs: number,
): Promise<(StoredPiece & { server: number })[]> {
  const rows = await from.queryNamed<PushColumns & { server: number }>({
    sql: NEWEST_PIECES,
    parameters: [organization, servers, dayOf(sinceMs)],
  })
  return rows.map((row) => ({ server: row.server, ...pieceOf(row) }))
}

const NEWEST_PIECES = `
select given.server, piece.t0, piece.t_last, piece.received_at, int8send(piece.digest) as digest, piece.data
from unnest($2::int4[]) as given (server)
cross join lateral (
  select t0, t_last, received_at, digest, data, max(t_last) over () as newest
  from metric_push
  where organization = $1 and metric_push.server = given.server and received_day >= $3
    and t0 >= (
      select t0 / ${HOUR_MS} * ${HOUR_MS} from metric_push as last
      where last.organization = $1 and last.server = given.server and last.received_day >= $3
      order by t0 desc limit 1
    )
) as piece
where piece.t_last = piece.newest`

/** Removes all samples of a server that is deleted. */
export async function deletePushes(db: Db, organization: number, server: number): Promise<void> {
  await db.deleteFrom('metric_push').where('organization', '=', organization).where('server', '=', server).execute()
  await deleteRollups(db, organization, server)
}

/** Removes all samples of an organization that is deleted. */
export async function deleteOrganizationSamples(db: Db, organization: number): Promise<void> {
  await db.deleteFrom('metric_push').where('organization', '=', organization).execute()
  await deleteRollups(db, organization)
}

/** Removes compacted samples of a server, or of a whole organization. */
async function deleteRollups(db: Db, organization: number, server?: number): Promise<void> {
  for (const table of ['metric_hour', 'metric_samples', 'metric_day', 'metric_late', 'metric_dimension'] as const) {
    const all = db.deleteFrom(table).where('organization', '=', organization)
    await (server === undefined ? all : all.where('server', '=', server)).execute()
  }
}
