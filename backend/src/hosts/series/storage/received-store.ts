import { sql } from 'kysely'
import { BlockError } from '@vedette/shared/metrics/block'
import type { Db } from '../../../platform/db/index.ts'
import type { PushPlace } from '../../metrics/index.ts'
import { decodePushed } from './pushed.ts'
import type { SampleList, Samples } from './samples.ts'

/** What one request brought for one target within one hour. */
export interface ReceivedSeriesPush {
  /** `server` is the target. */
  place: PushPlace
  /** The organizations whose exports it came through. */
  exportPath: string
  /** By number of series; none of bytes that are damaged, which the readers of stored samples report. */
  samples: Map<number, Samples>
}

/**
 * The first of an organization after a place, received no later than an instant, those that an export has not sent and that are compacted
 * among them. A statement that stores them may commit some seconds after their instant.
 */
export async function readReceivedSeries(
  db: Db,
  organization: number,
  { receivedAtMs, t0Ms, digest, server }: PushPlace,
  untilMs: number,
  limit: number,
): Promise<ReceivedSeriesPush[]> {
  const { rows } = await sql<{
    received_at: number
    t0: number
    digest: string
    target: number
    export_path: string
    data: Buffer
  }>`
    select received_at, t0, digest::text as digest, target, export_path, data from series_push
    where organization = ${organization} and received_at between ${receivedAtMs}::int8 and ${untilMs}::int8
      and (received_at, t0, series_push.digest, target) > (${receivedAtMs}::int8, ${t0Ms}::int8, ${digest}::int8, ${server}::int4)
    order by received_at, t0, series_push.digest, target limit ${limit}`.execute(db)
  return rows.map((row) => ({
    place: { receivedAtMs: row.received_at, t0Ms: row.t0, digest: row.digest, server: row.target },
    exportPath: row.export_path,
    samples: samplesOf(row.data),
  }))
}

function samplesOf(data: Buffer): Map<number, Samples> {
  const lists = new Map<number, SampleList>()
  try {
    decodePushed(data, lists)
  } catch (error) {
    if (!(error instanceof BlockError)) throw error
  }
  return new Map([...lists].map(([series, list]) => [series, list.toSamples()]))
}
