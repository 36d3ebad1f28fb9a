import { sql } from 'kysely'
import { queryByOrganization, type Db } from '../../../platform/db/index.ts'
import { DAY_MS, HOUR_MS, MAX_AHEAD_MS } from '../storage/schedule.ts'
import { dayOf } from '../../../platform/time/day.ts'

/** A server in the tables of samples. */
export interface MeasuredServer {
  organization: number
  server: number
}

export interface RecentPush {
  t0Ms: number
  tLastMs: number
  receivedAtMs: number
  digest: Buffer
  /** Left out of what was received before it was asked for. */
  block: Uint8Array | null
}

interface PushRow {
  n: number
  t0: number
  t_last: number
  received_at: number
  digest: Buffer
  data: Buffer | null
}

const toPush = ({ t0, t_last, received_at, digest, data }: PushRow): RecentPush => ({
  t0Ms: t0,
  tLastMs: t_last,
  receivedAtMs: received_at,
  digest,
  block: data,
})

/**
 * Of each server the pushes with the newest samples, at most `limit`, newest first, in the order of the servers; the samples
 * themselves only of those received after `sinceMs`. Of the last day; older than some minutes before the earliest `sinceMs` only where
 * one of them is 0. What a clock stored that was ahead of ours hides no newer push.
 * Undefined where the node with the server's pushes is away.
 */
export function readNewestPushes(
  db: Db,
  servers: readonly NewestOf[],
  limit: number,
  nowMs: number,
): Promise<(RecentPush[] | undefined)[]> {
  return queryByOrganization(db, servers, (own, some, organization) => queryNewest(own, some, organization, limit, nowMs))
}

/** Before a push that is known: its predecessor gives the interval. Fewer partitions are read. */
const FORMER_MS = 5 * 60_000

type NewestOf = MeasuredServer & { sinceMs: number }

/** In place of the column where all questions are of one. */
const ownedBy = (organization: number | undefined) => (organization === undefined ? sql`q.organization` : sql`${organization}`)

async function queryNewest(
  db: Db,
  servers: readonly NewestOf[],
  one: number | undefined,
  limit: number,
  nowMs: number,
): Promise<RecentPush[][]> {
  const sinceMs = Math.min(...servers.map((server) => server.sinceMs || nowMs - DAY_MS)) - FORMER_MS
  const fromMs = Math.max(sinceMs, nowMs - DAY_MS)
  const { rows } = await sql<PushRow>`
    select q.n::int4, p.t0, p.t_last, p.received_at, int8send(p.digest) as digest,
      case when p.received_at > q.since then p.data end as data
    from unnest(${servers.map(({ organization }) => organization)}::int[], ${servers.map(({ server }) => server)}::int[],
      ${servers.map(({ sinceMs }) => sinceMs)}::bigint[]) with ordinality as q (organization, server, since, n)
    cross join lateral (
      select t0, t_last, received_at, digest, data from metric_push
      where organization = ${ownedBy(one)} and server = q.server
        and received_day between ${dayOf(fromMs)}::date and ${dayOf(nowMs + MAX_AHEAD_MS)}::date
        and t0 <= ${nowMs + MAX_AHEAD_MS}
      order by t0 desc limit ${limit}
    ) as p`.execute(db)
  const pushes = servers.map((): RecentPush[] => [])
  for (const row of rows) pushes[row.n - 1]?.push(toPush(row))
  return pushes
}

/** The pushes of a server that may hold samples of [fromMs, toMs], the oldest first. */
export async function readPushesOf(
  db: Db,
  { organization, server }: MeasuredServer,
  fromMs: number,
  toMs: number,
): Promise<RecentPush[]> {
  const { rows } = await sql<PushRow>`
    select 0 as n, t0, t_last, received_at, int8send(digest) as digest, data from metric_push
    where organization = ${organization} and server = ${server} and t0 > ${fromMs - HOUR_MS} and t0 <= ${toMs} and t_last >= ${fromMs}
      and received_day between ${dayOf(fromMs)}::date and ${dayOf(toMs + DAY_MS)}::date
    order by t0`.execute(db)
  return rows.map(toPush)
}

/** Which pushes there are, in short. */
export interface PushMarks {
  count: number
  /** Exclusive or of their digests, the upper and the lower half as signed numbers. */
  upper: number
  lower: number
}

/** Of which pushes is asked: those that `readPushesOf` would read. */
export interface MarksQuestion extends MeasuredServer {
  fromMs: number
  toMs: number
}

/** Returns marks in the order of the questions, undefined where their node is away. A cached window compares them with its own to detect missing pushes. */
export async function readPushMarks(db: Db, questions: readonly MarksQuestion[]): Promise<(PushMarks | undefined)[]> {
  if (questions.length === 0) return []
  return queryByOrganization(db, questions, queryMarks)
}

async function queryMarks(db: Db, questions: readonly MarksQuestion[], one: number | undefined): Promise<PushMarks[]> {
  const column = <T>(pick: (question: MarksQuestion) => T) => questions.map(pick)
  const { rows } = await sql<{ count: number; digests: Buffer | null }>`
    select marks.count::int4, int8send(marks.digests) as digests
    from unnest(${column(({ organization }) => organization)}::int[], ${column(({ server }) => server)}::int[],
      ${column(({ fromMs }) => fromMs)}::bigint[], ${column(({ toMs }) => toMs)}::bigint[],
      ${column(({ fromMs }) => dayOf(fromMs))}::date[], ${column(({ toMs }) => dayOf(toMs + DAY_MS))}::date[])
      with ordinality as q (organization, server, from_ms, to_ms, from_day, to_day, n)
    cross join lateral (
      select count(*) as count, bit_xor(digest) as digests from metric_push
      where organization = ${ownedBy(one)} and server = q.server
        and t0 > q.from_ms - ${HOUR_MS} and t0 <= q.to_ms and t_last >= q.from_ms
        and received_day between q.from_day and q.to_day
    ) as marks
    order by q.n`.execute(db)
  return rows.map(({ count, digests }) => ({
    count,
    upper: digests?.readInt32BE(0) ?? 0,
    lower: digests?.readInt32BE(4) ?? 0,
  }))
}
