import { sql } from 'kysely'
import type { Assertion, MonitorStatus, RegionState } from '@vedette/shared'
import type { Db } from '../../../platform/db/index.ts'
import { CATCH_UP_MS, LAPSE_MS, LATE_MS } from './grid.ts'

/** A check under one claim. */
export interface ClaimKey {
  organization: number
  /** The monitor's surrogate. */
  monitor: number
  fence: number
}

/** A claimed check with everything needed to run and evaluate it. Times are ms. */
export interface ClaimRow extends ClaimKey {
  region: number
  due_at: number
  anchor: number
  lease_until: number
  interval_seconds: number
  last_conclusive_at: number | null
  state: RegionState | null
  failures: number
  successes: number
  /** Of the monitor. */
  id: string
  type: string
  url: string
  method: string | null
  timeout_seconds: number
  request_encrypted: Buffer | null
  options: Record<string, unknown>
  assertions: Assertion[]
  follow_redirects: boolean | null
  verify_tls: boolean | null
  confirmations: number
  status: MonitorStatus
  /** True when no other region checks this monitor. */
  has_one_region: boolean
}

export interface ClaimRequest {
  region: number
  nowMs: number
  /** Claims checks that are due within this time. */
  aheadMs: number
  /** Checks that are due within this time are claimed without regard to `share`, in case the other worker is gone. */
  nearMs: number
  /** A claim that is not renewed expires this long after the check was due. */
  leaseMs: number
  /** Adds the check's timeout to the lease, for a caller that cannot renew it. */
  includesTimeout: boolean
  /**
   * This worker's index among the workers of the region, from 0, and their number. Checks that are not near are divided by it.
   */
  share: { index: number; count: number }
  limit: number
}

/**
 * Claims due checks of a region until their leases end; the new fence invalidates earlier claims. A check that was missed for
 * longer than LATE_MS is moved to its next slot, and is claimed once that slot is near.
 *
 * First checks, repeats and checks after a resume are due off the grid; they run however late they are. So does a check whose
 * first claim has just expired because its worker is gone. The other missed checks are spread by their offset in the interval:
 * all run within one interval (CATCH_UP_MS of a longer one), and never more at once than usual.
 *
 * What is due after the active hours of its monitor is not claimed, also before its status has followed them.
 */
export async function claimChecks(db: Db, request: ClaimRequest): Promise<ClaimRow[]> {
  const { region, nowMs, aheadMs, nearMs, leaseMs, includesTimeout, share, limit } = request
  const now = sql`${nowMs}::bigint`
  const spread = sql`least(s.interval_seconds * 1000::bigint, ${CATCH_UP_MS}::bigint)`
  const { rows } = await sql<ClaimRow>`
    with due as materialized (
      select s.organization, s.monitor, s.region,
        case
          when s.due_at >= ${now} - ${LATE_MS}::bigint or s.last_checked_at is null
            or (s.due_at - s.anchor) % (s.interval_seconds * 1000::bigint) <> 0
            or (s.lease_until >= ${now} - ${LAPSE_MS}::bigint and s.due_at >= ${now} - ${leaseMs + LAPSE_MS}::bigint) then s.due_at
          else ${now} + (${spread} - (${now} - s.anchor) % ${spread}) % ${spread}
        end as due_at
      from check_schedule as s
      where s.region = ${region} and s.due_at <= ${now} + ${aheadMs}::bigint and s.lease_until <= ${now}
        and (s.due_at <= ${now} + ${nearMs}::bigint or s.monitor % ${share.count}::int = ${share.index}::int)
      order by s.due_at
      limit ${limit}
      for update skip locked
    )
    update check_schedule as s
    set due_at = due.due_at, fence = s.fence + 1,
      lease_until = case when due.due_at <= ${now} + ${aheadMs}::bigint
        then greatest(due.due_at, ${now}) + ${leaseMs}::bigint + ${includesTimeout ? 1000 : 0}::bigint * m.timeout_seconds else 0 end
    from due
    join monitor as m on m.organization = due.organization and m.number = due.monitor
      and (m.hours_change_at is null or due.due_at < extract(epoch from m.hours_change_at) * 1000)
    join monitor_status as t on t.organization = due.organization and t.monitor = due.monitor
    where s.organization = due.organization and s.monitor = due.monitor and s.region = due.region
    returning s.organization, s.monitor, s.region, s.fence, s.due_at, s.anchor, s.lease_until, s.interval_seconds,
      s.last_conclusive_at, s.state, s.failures, s.successes, m.id, m.type, m.url, m.method, m.timeout_seconds, m.request_encrypted,
      m.options, m.assertions, m.follow_redirects, m.verify_tls, m.confirmations, t.status, cardinality(m.regions) = 1 as has_one_region`.execute(
    db,
  )
  return rows.filter(({ lease_until: leaseUntil }) => leaseUntil > 0)
}

/** When the next check of a region is due, ms, also one that is claimed; undefined: there is none. */
export async function findNextCheck(db: Db, region: number): Promise<number | undefined> {
  const { rows } = await sql<{ due_at: number | null }>`
    select min(due_at) as due_at from check_schedule where region = ${region}`.execute(db)
  return rows[0]?.due_at ?? undefined
}

/** Claims that are no longer valid: the monitor was changed, paused or deleted, or another worker claimed the check. */
export async function findLostClaims(db: Db, region: number, keys: readonly ClaimKey[]): Promise<ClaimKey[]> {
  const { rows } = await sql<ClaimKey>`
    select k.organization, k.monitor, k.fence from ${claims(keys)}
    left join check_schedule as s on s.organization = k.organization and s.monitor = k.monitor and s.region = ${region}
    where s.fence is distinct from k.fence`.execute(db)
  return rows
}

/**
 * Extends the leases of these claims and returns those that were extended. Skips locked rows: a check that is being stored needs
 * its claim no more, and waiting could deadlock because the storing transaction locks in another order.
 */
export async function renewClaims(db: Db, region: number, keys: readonly ClaimKey[], leaseUntilMs: number): Promise<ClaimKey[]> {
  const { rows } = await sql<ClaimKey>`
    with kept as materialized (
      select s.organization, s.monitor from ${claims(keys)}
      join check_schedule as s on s.organization = k.organization and s.monitor = k.monitor and s.region = ${region} and s.fence = k.fence
      for update of s skip locked
    )
    update check_schedule as s set lease_until = ${leaseUntilMs} from kept
    where s.organization = kept.organization and s.monitor = kept.monitor and s.region = ${region}
    returning s.organization, s.monitor, s.fence`.execute(db)
  return rows
}

/** Releases claims so that another worker can claim the checks at once. Results under the old fence are refused from then on. */
export async function releaseClaims(db: Db, region: number, keys: readonly ClaimKey[]): Promise<void> {
  await sql`
    update check_schedule as s set lease_until = 0, fence = s.fence + 1 from ${claims(keys)}
    where s.organization = k.organization and s.monitor = k.monitor and s.region = ${region} and s.fence = k.fence`.execute(db)
}

const claims = (keys: readonly ClaimKey[]) => sql`unnest(
  ${keys.map(({ organization }) => organization)}::int[], ${keys.map(({ monitor }) => monitor)}::int[],
  ${keys.map(({ fence }) => fence)}::bigint[]) as k (organization, monitor, fence)`

/**
 * The number of checks in flight when every target of the region hangs: the sum of timeout / interval over its monitors (Little's
 * law).
 */
export async function readHangingLoad(db: Db, region: number): Promise<number> {
  const { rows } = await sql<{ load: number }>`
    select coalesce(sum(m.timeout_seconds::float8 / m.interval_seconds), 0) as load
    from check_schedule as s join monitor as m on m.organization = s.organization and m.number = s.monitor
    where s.region = ${region} and s.due_at is not null`.execute(db)
  return rows[0]?.load ?? 0
}
