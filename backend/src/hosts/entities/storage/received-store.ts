import type { EntityKindName } from '@vedette/shared'
import { BlockError, type SampleColumns } from '@vedette/shared/metrics/block'
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/index.ts'
import type { PushPlace } from '../../metrics/index.ts'
import { decodeReadings } from './readings.ts'

/** All entities of a server at one instant. */
export interface ReceivedReadings {
  /** Without a digest: there is one for each server and instant. */
  place: PushPlace
  /** By kind, with numbers of entities as `atMs`; none of bytes that are damaged, which the readers of stored ones report. */
  columns: Map<EntityKindName, SampleColumns>
}

/**
 * The first of an organization after a place, received no later than an instant, those that an export has not sent and that are compacted
 * among them. A statement that stores them may commit some seconds after their instant.
 */
export async function readReceivedReadings(
  db: Db,
  organization: number,
  { receivedAtMs, t0Ms, server }: PushPlace,
  untilMs: number,
  limit: number,
): Promise<ReceivedReadings[]> {
  const { rows } = await sql<{ received_at: number; at: number; server: number; data: Buffer }>`
    select received_at, at, server, data from entity_push
    where organization = ${organization} and received_at between ${receivedAtMs}::int8 and ${untilMs}::int8
      and (received_at, at, server) > (${receivedAtMs}::int8, ${t0Ms}::int8, ${server}::int4)
    order by received_at, at, server limit ${limit}`.execute(db)
  return rows.map(({ received_at: receivedAtMs, at: t0Ms, server, data }) => ({
    place: { receivedAtMs, t0Ms, digest: '0', server },
    columns: columnsOf(data),
  }))
}

function columnsOf(data: Buffer): ReceivedReadings['columns'] {
  try {
    return decodeReadings(data)
  } catch (error) {
    if (error instanceof BlockError) return new Map()
    throw error
  }
}
