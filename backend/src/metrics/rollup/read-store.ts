import { type RawBuilder, sql } from 'kysely'
import type { Pool } from '../../platform/db/index.ts'
import { groupNumber, type StoredGroup, type StoredPiece } from '../aggregate.ts'
import { HOUR_MS, MAX_AHEAD_MS } from './hour.ts'
import { dateOfDay, dateOfHour, type HourSpan, type LateMark, type Progress, type ServerSet, toDate } from './store.ts'

/** Hours of which the same is read. */
export interface HourPart extends HourSpan {
  /** What they add up to, their samples, or both. */
  reads: 'header' | 'samples' | 'both'
}

/** What one reading takes out of the database. */
export interface Wanted extends ServerSet {
  /** The hours whose late samples matter. */
  hours: HourSpan
  parts: readonly HourPart[]
  /** Days since the epoch; `data` only where it is asked for. */
  days: HourSpan & { data: boolean }
  groups: readonly StoredGroup[]
  /** Pushes with samples in here. */
  open: { fromMs: number; toMs: number } | undefined
  /** Tells of this server as well whether it is there, and what plan its organization has. */
  serverId: string | undefined
}

export interface Found {
  progress: Progress
  late: Pick<LateMark, 'server' | 'hour'>[]
  hours: { server: number; hour: number; header: Buffer | null; data: Buffer | null }[]
  days: { server: number; day: number; header: Buffer; data: Buffer | null }[]
  pushes: (StoredPiece & { server: number })[]
  /** Undefined when it was not asked for, or is gone. */
  server: number | undefined
  plan: string | undefined
}

interface Row {
  kind: 'progress' | 'late' | 'hour' | 'day' | 'push' | 'server' | 'plan'
  server: number
  at: number
  t_last: number
  received_at: number
  head: Buffer | null
  data: Buffer | null
  name: string
}

/** All of it as one statement: it costs one way to the database and back, and is of one instant. */
export async function readStored(pool: Pool, wanted: Wanted): Promise<Found> {
  const parts = [
    sql`select 'progress' as kind, null::int4 as server, done::int8 as at, null::int8 as t_last, null::int8 as received_at,
      null::bytea as head, null::bytea as data, name from metric_progress`,
    selectLate(wanted),
    ...wanted.parts.map((part) => selectHours(wanted, part)),
    ...(wanted.days.from < wanted.days.to ? [selectDays(wanted)] : []),
    ...(wanted.open && wanted.open.fromMs < wanted.open.toMs ? [selectPushes(wanted, wanted.open)] : []),
    ...(wanted.serverId === undefined ? [] : selectProof(wanted, wanted.serverId)),
  ]
  const rows = await pool.ask<Row>(sql`${sql.join(parts, sql` union all `)}`.compile(pool.db))
  return toFound(rows)
}

const owned = ({ organization, servers }: ServerSet) =>
  sql`organization = ${organization}::int4 and server = any (${servers}::int4[])`

const selectLate = (wanted: Wanted): RawBuilder<unknown> =>
  sql`select 'late', server, hour, null, null, null, null, null from metric_late
    where ${owned(wanted)} and hour >= ${wanted.hours.from}::int4 and hour < ${wanted.hours.to}::int4`

const HEAD = { header: sql`header, null`, samples: sql`null, data`, both: sql`header, data` }

/** The days of the partitions go with the hours: the other partitions are not opened. */
const selectHours = (wanted: Wanted, { from, to, reads }: HourPart): RawBuilder<unknown> =>
  sql`select 'hour', server, hour, null, null, ${HEAD[reads]}, null from metric_hour
    where ${owned(wanted)} and hour >= ${from}::int4 and hour < ${to}::int4
      and day >= ${dateOfHour(from)}::date and day <= ${dateOfHour(to - 1)}::date`

const selectDays = (wanted: Wanted): RawBuilder<unknown> =>
  sql`select 'day', server, day - date '1970-01-01', null, null, header, ${wanted.days.data ? sql`data` : sql`null`}, null
    from metric_day where ${owned(wanted)}
      and day >= ${dateOfDay(wanted.days.from)}::date and day < ${dateOfDay(wanted.days.to)}::date
      and metric_group = any (${wanted.groups.map((group) => groupNumber(group))}::int2[])`

const selectPushes = (wanted: Wanted, { fromMs, toMs }: { fromMs: number; toMs: number }): RawBuilder<unknown> =>
  sql`select 'push', server, t0, t_last, received_at, int8send(digest), data, null from metric_push
    where ${owned(wanted)} and t0 > ${fromMs - HOUR_MS}::int8 and t0 < ${toMs}::int8 and t_last >= ${fromMs}::int8
      and received_day >= ${toDate(fromMs - MAX_AHEAD_MS)}::date`

const selectProof = ({ organization }: Wanted, serverId: string): RawBuilder<unknown>[] => [
  sql`select 'server', number, null, null, null, null, null, null from server
    where organization = ${organization}::int4 and id = ${serverId}::uuid`,
  sql`select 'plan', null, null, null, null, null, null, plan from organization where number = ${organization}::int4`,
]

function toFound(rows: readonly Row[]): Found {
  const found: Found = {
    progress: { hour: -1, day: -1 },
    late: [],
    hours: [],
    days: [],
    pushes: [],
    server: undefined,
    plan: undefined,
  }
  for (const row of rows) take(found, row)
  return found
}

function take(found: Found, { kind, server, at, head, data, ...row }: Row): void {
  if (kind === 'progress') found.progress[row.name as keyof Progress] = at
  else if (kind === 'late') found.late.push({ server, hour: at })
  else if (kind === 'hour') found.hours.push({ server, hour: at, header: head, data })
  else if (kind === 'day') found.days.push({ server, day: at, header: head as Buffer, data })
  else if (kind === 'server') found.server = server
  else if (kind === 'plan') found.plan = row.name
  else {
    const digest = head as Buffer
    found.pushes.push({ server, t0Ms: at, tLastMs: row.t_last, receivedAtMs: row.received_at, digest, block: data as Buffer })
  }
}
