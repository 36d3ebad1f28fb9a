import { sql } from 'kysely'
import type { Db } from '../../../platform/db/index.ts'
import type { Counts } from './counts.ts'
import type { MonitorKey } from './compact-store.ts'

/**
 * Locks some monitors whose sums begin before this hour. Skips those that a check is being added to: waiting for them here could end
 * in a deadlock with the statement that stores it.
 */
export async function lockWeeks(db: Db, fromHour: number, limit: number): Promise<MonitorKey[]> {
  const { rows } = await sql<MonitorKey>`
    select organization, monitor from check_week where from_hour < ${fromHour} and checks > 0
    order by organization, monitor limit ${limit} for update skip locked`.execute(db)
  return rows
}

/** Locks the sums of one monitor. Lock nothing after it in the transaction. */
export async function lockWeek(db: Db, organization: number, monitor: number): Promise<void> {
  await sql`select from check_week where organization = ${organization} and monitor = ${monitor} for update`.execute(db)
}

export interface Week {
  monitor: number
  all: Counts
  /** Of the first two hours. */
  first: Counts
}

export async function updateWeeks(db: Db, organization: number, fromHour: number, weeks: readonly Week[]): Promise<void> {
  const given = weeks.map(({ monitor, all, first }) => ({
    monitor,
    checks: all.checks,
    failed: all.failed,
    answered: all.answered,
    response_sum_us: all.responseSumUs,
    first_checks: first.checks,
    first_failed: first.failed,
    first_answered: first.answered,
    first_response_sum_us: first.responseSumUs,
  }))
  await sql`
    update check_week as week set
      from_hour = ${fromHour}, checks = given.checks, failed = given.failed, answered = given.answered,
      response_sum_us = given.response_sum_us, first_checks = given.first_checks, first_failed = given.first_failed,
      first_answered = given.first_answered, first_response_sum_us = given.first_response_sum_us
    from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as given (
      monitor int, checks int, failed int, answered int, response_sum_us bigint, first_checks int, first_failed int,
      first_answered int, first_response_sum_us bigint
    )
    where week.organization = ${organization} and week.monitor = given.monitor`.execute(db)
}
