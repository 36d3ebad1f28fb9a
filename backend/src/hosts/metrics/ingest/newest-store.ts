import { announcementOf, binaryArray } from '../../../platform/db/index.ts'
import type { PushRow } from './push-row.ts'

/** Four parameters: CPU, memory and disk of each row's newest sample, and whether it is the newest row of its server. */
export function loadsOf(rows: readonly PushRow[]): Buffer[] {
  // A row of a dead credential must not stand for one that is stored.
  const keyOf = ({ serverId, credential }: PushRow) => serverId + credential.toString('latin1')
  const newest = new Map<string, PushRow>()
  for (const row of rows) {
    const other = newest.get(keyOf(row))
    if (!other || other.piece.tLastMs < row.piece.tLastMs) newest.set(keyOf(row), row)
  }
  return [
    binaryArray.int2(rows.map(({ piece }) => piece.load.cpu)),
    binaryArray.int2(rows.map(({ piece }) => piece.load.memory)),
    binaryArray.int2(rows.map(({ piece }) => piece.load.disk)),
    binaryArray.bool(rows.map((row) => newest.get(keyOf(row)) === row)),
  ]
}

/** Pushes are not exact to the second: one that comes so much before its time is waited for, ms. */
const SLACK_MS = 3_000

/** A push is early where the previous one of its server came after this instant, ms. */
export const earlyAfter = (receivedAtMs: number, pushIntervalSeconds: number): number =>
  receivedAtMs - Math.max(0, pushIntervalSeconds * 1000 - SLACK_MS)

/**
 * Statement that notes the push of each server in `given`, and the values of its newest sample unless a newer one is known. It
 * announces early pushes, which nobody expects: only here the previous push is known, whichever instance received it.
 */
export const updateNewest = (receivedAtMs: string, earlyAfterMs: string, given: string): string => `
  update server_newest as newest
  set last_push_ms = greatest(newest.last_push_ms, ${receivedAtMs}::int8),
    sampled_at_ms = greatest(newest.sampled_at_ms, given.t_last),
    cpu = ${newerOf('cpu')}, memory = ${newerOf('memory')}, disk = ${newerOf('disk')}
  from ${given}
  join server_newest as former on former.organization = given.organization and former.id = given.server_id
  where newest.organization = given.organization and newest.id = given.server_id
  returning case when former.last_push_ms > ${earlyAfterMs}::int8 then ${announcementOf('early_push', 'newest.id')} end`

const newerOf = (column: string): string =>
  `case when given.t_last > newest.sampled_at_ms then nullif(given.${column}, -1) else newest.${column} end`
