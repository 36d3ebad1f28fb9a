import { HOUR_MS } from '@vedette/shared'
import { CompiledQuery, sql } from 'kysely'
import { announcementText, type Db, NODE_LIMIT_MS, type Pool, type TableRow } from '../../../platform/db/index.ts'
import { answerColumns, transitionColumns, checkColumns } from './columns.ts'
import type { StatusTransition, AppliedCheck } from './apply.ts'
import { DOWN, INCONCLUSIVE } from './outcome-code.ts'
import type { CompletedCheck } from './completed-check.ts'
import { FIRST_HOURS } from './first-hours.ts'

/** Advisory lock class of an hour: exclusive to compact it, shared to store a late check in it. */
export const HOUR_LOCK = 730_523
/** Advisory lock class of a monitor whose regions are being applied. */
const MONITOR_LOCK = 730_524

/**
 * Locks monitors until the transaction ends: two instances that store results of two regions at once must see each other's. Locks
 * are taken in one order to prevent deadlocks.
 */
export async function lockMonitors(db: Db, monitors: readonly number[]): Promise<void> {
  const ordered = [...new Set(monitors)].sort((left, right) => left - right)
  await sql`select pg_advisory_xact_lock(${MONITOR_LOCK}, monitor) from unnest(${ordered}::int[]) as monitor`.execute(db)
}

export type ScheduleRow = Omit<TableRow<'check_schedule'>, 'lease_until' | 'last_checked_at' | 'certificate_expires_at'> &
  Pick<TableRow<'monitor'>, 'confirmations'> &
  Pick<TableRow<'monitor_status'>, 'status'>

/** Locks and returns all regions of these monitors, so that changes of the monitors wait for the transaction. */
export async function lockSchedule(db: Db, checks: readonly CompletedCheck[]): Promise<ScheduleRow[]> {
  const { rows } = await sql<ScheduleRow>`
    select s.organization, s.monitor, s.region, s.fence, s.due_at, s.anchor, s.interval_seconds, s.last_conclusive_at, s.state,
      s.failures, s.successes, m.confirmations, t.status
    from (
      select distinct organization, monitor
      from unnest(${checks.map((check) => check.organization)}::int[], ${checks.map((check) => check.monitor)}::int[])
        as given (organization, monitor)
    ) as k
    join check_schedule as s on s.organization = k.organization and s.monitor = k.monitor
    join monitor as m on m.organization = k.organization and m.number = k.monitor
    join monitor_status as t on t.organization = k.organization and t.monitor = k.monitor
    order by s.organization, s.monitor, s.region
    for update of s`.execute(db)
  return rows
}

/**
 * Marks the hours of these checks for another compaction. Takes the lock of each hour: waits for a compaction in progress, while
 * a later one will read the checks itself.
 */
export async function markStaleHours(run: RunStatement, checks: readonly AppliedCheck[]): Promise<void> {
  const hours = checks.map(({ checkedAtMs }) => Math.floor(checkedAtMs / HOUR_MS))
  const ordered = [...new Set(hours)].sort((left, right) => left - right)
  await run('lock_hours', `select pg_advisory_xact_lock_shared(${HOUR_LOCK}, hour) from unnest($1::int[]) as hour`, [ordered])
  const monitors = checks.map(({ observed }) => observed.monitor)
  const organizations = checks.map(({ observed }) => observed.organization)
  await run('mark_stale_hours', MARK_STALE_HOURS, [hours, organizations, monitors])
}

const MARK_STALE_HOURS = `
insert into check_hour_stale (hour, organization, monitor)
select distinct * from unnest($1::int[], $2::int[], $3::int[]) on conflict do nothing`

/** Whether the check's hour may already be compacted, which begins ten minutes after its end. */
export const isHourClosing = ({ checkedAtMs }: AppliedCheck, nowMs: number): boolean =>
  nowMs - (Math.floor(checkedAtMs / HOUR_MS) + 1) * HOUR_MS > 240_000

/** Runs a statement on the pool or in a transaction. */
export type RunStatement = <Row>(name: string, text: string, values: readonly unknown[]) => Promise<Row[]>

export const onPool =
  (pool: Pool): RunStatement =>
  async (name, text, values) => {
    const named = pool.namedStatements ? { name } : {}
    return (await pool.pg.query({ ...named, text, values: [...values] })).rows
  }

export const onTransaction =
  (db: Db): RunStatement =>
  async (_, text, values) =>
    (await db.executeQuery<never>(CompiledQuery.raw(text, [...values]))).rows

/**
 * Stores checks, the state of their regions and transitions in one statement; returns the indexes of the stored checks,
 * unordered. A check whose fence differs from the schedule's is not stored, and neither is a transition of a monitor without a
 * stored check. Storing raises the fence, so that repeating the statement after a lost connection changes nothing. At most one
 * check per region and monitor.
 */
export async function storeChecks(
  run: RunStatement,
  checks: readonly AppliedCheck[],
  changes: readonly StatusTransition[],
): Promise<number[]> {
  const columns = [...checkColumns(checks), ...transitionColumns(changes)]
  const answered = answerColumns(checks)
  const rows = await (answered
    ? run<{ n: number }>('store_answered_checks', STORE_ANSWERED_CHECKS, [...columns, ...answered])
    : run<{ n: number }>('store_checks', STORE_CHECKS, columns))
  return rows.map(({ n }) => n - 1)
}

/** As `storeChecks` for a distributed database. Two statements: run it in a transaction. */
export async function storeDistributed(
  run: RunStatement,
  checks: readonly AppliedCheck[],
  changes: readonly StatusTransition[],
): Promise<number[]> {
  const columns = [...checkColumns(checks), ...transitionColumns(changes)]
  const answered = answerColumns(checks)
  const rows = await (answered
    ? run<{ n: number }>('', TAKE_ANSWERED_CHECKS, [...columns, ...answered])
    : run<{ n: number }>('', TAKE_CHECKS, columns))
  const taken = rows.map(({ n }) => n - 1)
  if (taken.length === 0) return taken
  // From here on nodes have to answer.
  await run('', `set local statement_timeout = ${NODE_LIMIT_MS}`, [])
  await run('', INSERT_RESULTS, [...checkColumns(taken.map((index) => checks[index] as AppliedCheck))])
  return taken
}

/** The parameters of the checks as rows of this name. */
const given = (
  name: string,
) => `unnest($1::int4[], $2::int4[], $3::int2[], $4::int8[], $5::int8[], $6::date[], $7::int8[], $8::int8[], $9::text[],
    $10::int2[], $11::int2[], $12::int8[], $13::int2[], $14::int2[], $15::int4[], $16::int4[], $17::int4[], $18::int4[], $19::int4[],
    $20::int4[], $21::text[], $22::text[], $23::text[], $24::boolean[], $25::jsonb[])
    with ordinality as ${name} (organization, monitor, region, fence, at, day, due_at, conclusive_at, state, failures, successes,
      certificate_expires_at, outcome, status_code, response_us, dns_us, connect_us, tls_us, first_byte_us, transfer_us, error_code,
      error_message, address, delayed, facts, n)`

/** From a row source named `i`. */
function insertResults(source: string): string {
  return `
  insert into check_result (at, organization, monitor, response_us, dns_us, connect_us, tls_us, first_byte_us, transfer_us, day,
    region, status_code, outcome, delayed, error_code, error_message, address, facts)
  select i.at, i.organization, i.monitor, i.response_us, i.dns_us, i.connect_us, i.tls_us, i.first_byte_us, i.transfer_us, i.day,
    i.region, i.status_code, i.outcome, i.delayed, i.error_code, i.error_message, i.address, i.facts
  from ${source}
  on conflict do nothing`
}

// Sums of a week with a check of their first hours, a week late, have to be counted again.
//
// A transition is never earlier than the previous one, because clocks of workers may differ. The signal for alert rules is stored
// with it and announced.
const storeStatement = (keeping: string, more = '') => `
with input as materialized (
  select * from ${given('given')}
), taken as (
  update check_schedule as s
  set due_at = i.due_at, lease_until = 0, fence = s.fence + 1, last_checked_at = i.at,
    last_conclusive_at = coalesce(i.conclusive_at, s.last_conclusive_at),
    certificate_expires_at = coalesce(i.certificate_expires_at, s.certificate_expires_at),
    state = i.state, failures = i.failures, successes = i.successes
  from input as i
  where s.organization = i.organization and s.monitor = i.monitor and s.region = i.region and s.fence = i.fence
  returning i.n, i.organization, i.monitor
), counted as (
  update check_week as w
  set checks = w.checks + s.checks, failed = w.failed + s.failed, answered = w.answered + s.answered,
    response_sum_us = w.response_sum_us + s.response_sum_us,
    from_hour = case when s.oldest < (w.from_hour + ${FIRST_HOURS}) * ${HOUR_MS}::int8 then 0 else w.from_hour end
  from (
    select organization, monitor, count(*) as checks, count(*) filter (where outcome = ${DOWN}) as failed,
      count(response_us) as answered, coalesce(sum(response_us), 0) as response_sum_us, min(at) as oldest
    from input join taken using (n, organization, monitor) where outcome <> ${INCONCLUSIVE} group by organization, monitor
  ) as s
  where w.organization = s.organization and w.monitor = s.monitor
), ${keeping} ${more} change as materialized (
  select * from unnest($26::int4[], $27::int4[], $28::uuid[], $29::timestamptz[], $30::text[], $31::text[], $32::text[])
    as given (organization, monitor, id, at, from_status, to_status, reason)
), changed as (
  update monitor_status as t set status = c.to_status, since = greatest(t.since, c.at)
  from change as c
  where t.organization = c.organization and t.monitor = c.monitor and t.status = c.from_status
    and exists (select from taken where taken.organization = c.organization and taken.monitor = c.monitor)
  returning c.organization, c.monitor, t.since, c.id, c.from_status, c.to_status, c.reason
), transition as (
  insert into monitor_transition (organization, monitor, at, id, from_status, to_status, reason)
  select organization, monitor, since, id, from_status, to_status, reason from changed
), signalled as (
  insert into alert_signal (id, organization, key, payload, created_at, next_attempt_at, attempts)
  select id, organization, monitor::text, jsonb_build_object('to_status', to_status, 'reason', reason), since, since, 0 from changed
  returning ${announcementText('alert_signal')}
)
select n::int4 from taken`

/** Also stores the responses of failed checks; a separate statement, so that passed checks cost nothing. */
const ANSWERED = `answered as (
  insert into check_answer (organization, monitor, region, at, status_line, body)
  select i.organization, i.monitor, i.region, i.at, a.status_line, a.body
  from unnest($33::int8[], $34::text[], $35::text[]) as a (n, status_line, body)
  join taken on taken.n = a.n join input as i on i.n = a.n
  on conflict (organization, monitor, region)
    do update set at = excluded.at, status_line = excluded.status_line, body = excluded.body
),`

const INSERTED = `kept as (${insertResults('input as i join taken on taken.n = i.n')}),`
const STORE_CHECKS = storeStatement(INSERTED)
const STORE_ANSWERED_CHECKS = storeStatement(INSERTED, ANSWERED)
/** For a distributed database: Citus cannot write to results on nodes and to tables on the coordinator in one statement. */
const TAKE_CHECKS = storeStatement('')
const TAKE_ANSWERED_CHECKS = storeStatement('', ANSWERED)
const INSERT_RESULTS = insertResults(given('i'))

/** The indexes of checks that an earlier request stored whose response was lost. */
export async function findStoredChecks(db: Db, checks: readonly CompletedCheck[]): Promise<number[]> {
  const at = checks.map(({ result }) => Date.parse(result.checked_at))
  const { rows } = await sql<{ n: number }>`
    select k.n::int4 from unnest(${checks.map((check) => check.organization)}::int[], ${checks.map((check) => check.monitor)}::int[],
      ${checks.map((check) => check.region)}::int[], ${at}::bigint[], ${at.map((ms) => new Date(ms).toISOString().slice(0, 10))}::date[])
      with ordinality as k (organization, monitor, region, at, day, n)
    join check_result as c on c.organization = k.organization and c.monitor = k.monitor and c.at = k.at and c.region = k.region
      and c.day = k.day`.execute(db)
  return rows.map(({ n }) => n - 1)
}

/**
 * Deletes responses that no incident needs any more: the region was checked again, or is not checked. Compares the instant,
 * because a newer response may have replaced the row meanwhile.
 */
export async function deleteStaleAnswers(db: Db): Promise<void> {
  await sql`
    delete from check_answer where (organization, monitor, region, at) in (
      select a.organization, a.monitor, a.region, a.at from check_answer as a where not exists (
        select from check_schedule as s
        where s.organization = a.organization and s.monitor = a.monitor and s.region = a.region and s.last_checked_at = a.at
      )
    )`.execute(db)
}
