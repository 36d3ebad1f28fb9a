import { sql } from 'kysely'
import { announcementText, binaryArray, type Db } from '../db/index.ts'
import { newId } from '../ids.ts'

/** A job as it is leased. */
export interface Job<Payload> {
  id: string
  organization: number
  lane: string | null
  key: string | null
  payload: Payload
  created_at: Date
  /** Attempts that failed. */
  attempts: number
}

export interface NewJob<Payload> {
  /** Default: a new id. */
  id?: string
  organization: number
  /** Jobs of one lane share the limit of jobs under way; see `createLanes`. */
  lane?: string
  /** What the job is about; in an ordered queue jobs of one key are processed one after the other, in the order of insertion. */
  key?: string
  payload: Payload
  /** Default: due at once. */
  notBefore?: Date
}

export interface Lane {
  organization: number
  lane: string
}

/** A table of the columns that `createQueue` of the migrations makes. */
export interface QueueTable<Payload> {
  table: string
  /** Only for the compiler. */
  payload?: Payload
}

export interface LeaseOptions {
  at: Date
  /** Until then no other process gets these jobs; afterwards they are due again. */
  until: Date
  limit: number
  isOrdered: boolean
  lane?: Lane
  /** Only jobs that were stored before. */
  createdBefore?: Date
}

const COLUMNS = sql.raw('job.id, job.organization, job.lane, job.key, job.payload, job.created_at, job.attempts')

/** Stores jobs with the transaction that is passed; `createdAt` begins the day for which they are retried. */
export async function enqueue<Payload>(
  db: Db,
  { table }: QueueTable<Payload>,
  jobs: readonly NewJob<Payload>[],
  createdAt: Date,
): Promise<void> {
  if (jobs.length === 0) return
  const dueAt = jobs.map(({ notBefore }) => notBefore ?? createdAt)
  await sql`
    with stored as (
      insert into ${sql.table(table)} (id, organization, lane, key, payload, created_at, next_attempt_at, attempts)
      select id, organization, lane, key, payload::jsonb, ${createdAt}::timestamptz, next_attempt_at, 0
      from unnest(${binaryArray.uuid(jobs.map(({ id }) => id ?? newId()))}::uuid[],
        ${binaryArray.int4(jobs.map(({ organization }) => organization))}::int[],
        ${binaryArray.text(jobs.map(({ lane }) => lane ?? null))}::text[], ${binaryArray.text(jobs.map(({ key }) => key ?? null))}::text[],
        ${binaryArray.text(jobs.map(({ payload }) => JSON.stringify(payload)))}::text[], ${binaryArray.timestamptz(dueAt)}::timestamptz[])
        as job (id, organization, lane, key, payload, next_attempt_at)
    )
    select ${sql.raw(announcementText(table))}`.execute(db)
}

/** For each list of tables: when their next job is due, also one that is leased or waits behind another; null: there is none. */
export async function findNextDue(db: Db, lists: readonly (readonly string[])[]): Promise<(Date | null)[]> {
  const each = lists.flatMap((tables, list) =>
    tables.map((table) => sql`select ${sql.lit(list)} as list, min(next_attempt_at) as at from ${sql.table(table)}`),
  )
  const { rows } = await sql<{
    at: Date | null
  }>`select min(at) as at from (${sql.join(each, sql` union all `)}) as next group by list order by list`.execute(db)
  return rows.map(({ at }) => at)
}

/**
 * Leases jobs that are due, the longest due first. The part that locks is materialized: as a subquery Postgres may run it once per
 * row of a table that it believes small, and `skip locked` then takes the next rows each time, beyond the limit.
 */
export async function leaseJobs<Payload>(
  db: Db,
  table: string,
  { at, until, limit, isOrdered, lane, createdBefore }: LeaseOptions,
): Promise<Job<Payload>[]> {
  const queue = sql.table(table)
  const inLane = lane ? sql`organization = ${lane.organization} and lane = ${lane.lane}` : sql`true`
  const isOld = createdBefore ? sql`created_at < ${createdBefore}` : sql`true`
  const { rows } = await sql<Job<Payload>>`
    with due as materialized (
      select organization, id from ${queue} as job
      where ${inLane} and next_attempt_at <= ${at} and ${isOld} and ${isOrdered ? isFirstOfKey(table) : sql`true`}
      order by next_attempt_at, position limit ${limit} for update skip locked
    )
    update ${queue} as job set next_attempt_at = ${until} from due
    where job.organization = due.organization and job.id = due.id
    returning ${COLUMNS}`.execute(db)
  return rows
}

/** A job under way, and until when it is leased. */
export interface HeldJob extends JobKey {
  until: Date
}

/** Extends these leases and returns the ids of the jobs; not of those that are done, postponed, leased by another process, or locked. */
export async function extendLeases(db: Db, table: string, jobs: readonly HeldJob[], until: Date): Promise<string[]> {
  const queue = sql.table(table)
  const { rows } = await sql<{ id: string }>`
    with own as materialized (
      select job.organization, job.id from ${queue} as job
      join unnest(${jobs.map(({ organization }) => organization)}::int[], ${jobs.map(({ id }) => id)}::uuid[],
        ${jobs.map((job) => job.until)}::timestamptz[]) as held (organization, id, until)
        on job.organization = held.organization and job.id = held.id and job.next_attempt_at = held.until
      for update of job skip locked
    )
    update ${queue} as job set next_attempt_at = ${until} from own
    where job.organization = own.organization and job.id = own.id
    returning job.id`.execute(db)
  return rows.map(({ id }) => id)
}

const isFirstOfKey = (table: string) => sql`not exists (
  select from ${sql.table(table)} as earlier
  where earlier.organization = job.organization and earlier.key = job.key and earlier.position < job.position
)`

/** Lanes with a job that is due. It steps from lane to lane in the index: a lane with many jobs costs no more than another. */
export async function findDueLanes(db: Db, table: string, at: Date, isOrdered: boolean): Promise<Lane[]> {
  const queue = sql.table(table)
  const { rows } = await sql<Lane>`
    with recursive lanes as (
      (select organization, lane from ${queue} order by organization, lane limit 1)
      union all
      select next.organization, next.lane from lanes, lateral (
        select organization, lane from ${queue} where (organization, lane) > (lanes.organization, lanes.lane)
        order by organization, lane limit 1
      ) as next
    )
    select organization, lane from lanes
    where exists (
      select from ${queue} as job where job.organization = lanes.organization and job.lane = lanes.lane
        and job.next_attempt_at <= ${at} and ${isOrdered ? isFirstOfKey(table) : sql`true`}
    )`.execute(db)
  return rows
}

type JobKey = Pick<Job<unknown>, 'organization' | 'id'>

/** Makes a job due again at an instant. */
export async function postponeJob(
  db: Db,
  table: string,
  { organization, id }: JobKey,
  attempts: number,
  nextAttemptAt: Date,
): Promise<void> {
  await sql`
    update ${sql.table(table)} set attempts = ${attempts}, next_attempt_at = ${nextAttemptAt}
    where organization = ${organization} and id = ${id}`.execute(db)
}

/** Counts an attempt before it is made; false where another process has counted one since the job was leased here. */
export async function claimAttempt(db: Db, { table }: QueueTable<unknown>, job: JobKey & Pick<Job<unknown>, 'attempts'>) {
  const { numAffectedRows } = await sql`
    update ${sql.table(table)} set attempts = attempts + 1
    where organization = ${job.organization} and id = ${job.id} and attempts = ${job.attempts}`.execute(db)
  return numAffectedRows === 1n
}

/** Deletes a job that is done or abandoned; false where another process has done so. Run it in the transaction of its result. */
export async function completeJob(db: Db, { table }: QueueTable<unknown>, { organization, id }: JobKey): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where organization = ${organization} and id = ${id}`.execute(db)
  return numAffectedRows === 1n
}

/** Deletes the jobs of a key (null: those without a key), leased ones too, and returns them in the order of insertion. */
export async function takeJobs<Payload>(
  db: Db,
  table: string,
  organization: number,
  key: string | null,
): Promise<Job<Payload>[]> {
  const { rows } = await sql<Job<Payload>>`
    with job as (
      delete from ${sql.table(table)} as job where organization = ${organization} and key is not distinct from ${key}::text
      returning *
    )
    select ${COLUMNS} from job order by job.position`.execute(db)
  return rows
}

/** Deletes jobs of these keys, or of a lane, or all of an organization; returns how many. */
export async function deleteJobs(
  db: Db,
  table: string,
  organization: number,
  only: { keys?: readonly string[]; lane?: string } = {},
): Promise<number> {
  const ofKeys = only.keys ? sql`key = any(${only.keys}::text[])` : sql`true`
  const ofLane = only.lane === undefined ? sql`true` : sql`lane = ${only.lane}`
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where organization = ${organization} and ${ofKeys} and ${ofLane}`.execute(db)
  return Number(numAffectedRows)
}

/** Which of these keys have a job; none of those is deleted before the transaction ends. */
export async function lockPendingKeys(
  db: Db,
  table: string,
  organization: number,
  keys: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ key: string }>`
    select key from ${sql.table(table)} where organization = ${organization} and key = any(${keys}::text[])
    order by position for key share`.execute(db)
  return new Set(rows.map(({ key }) => key))
}
