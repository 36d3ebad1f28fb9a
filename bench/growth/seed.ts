import type pg from 'pg'
import { countAuditDays } from '../../backend/src/access/audit/index.ts'
import { encodeChecks } from '../../backend/src/monitoring/checks/stats/hour-block.ts'
import { keepCheckPartitions } from '../../backend/src/monitoring/checks/results/partitions.ts'
import { recountWeeks } from '../../backend/src/monitoring/checks/stats/week.ts'
import { Sketch } from '../../backend/src/monitoring/checks/stats/distribution.ts'
import { createPool, type Db } from '../../backend/src/platform/db/index.ts'
import { silentLog } from '../../backend/src/platform/logging/log.ts'
import { systemClock } from '../../backend/src/platform/time/clock.ts'
import { seedHosts } from '../fleet/hosts.ts'

/** How much of each there is; everything but `organizations` belongs to the first organization, whose owner sends the requests. */
export interface Size {
  servers: number
  monitors: number
  organizations: number
  members: number
  incidents: number
  audit: number
  /** Of history, of the first hundred monitors. */
  days: number
}

export const NOTHING: Size = { servers: 0, monitors: 0, organizations: 0, members: 0, incidents: 0, audit: 0, days: 0 }

const [DAY_MS, HOUR_MS] = [86_400_000, 3_600_000]
/** Lists show seven days. */
const DAYS_OF_ALL = 7
const WITH_HISTORY = 100

/** For row n an instant of this month, of which there are partitions. */
const THIS_MONTH = "now() - (now() - date_trunc('month', now(), 'UTC')) * ((n * 2654435761::bigint % 1000003) / 1000003.0)"
const FIRST = '(select number from organization order by number limit 1) as own (organization)'

/** Stores by statements what `size` has more than `before`. */
export async function seedGrowth(database: pg.Client, databaseUrl: string, before: Size, size: Size): Promise<void> {
  await seedHosts(database, size.servers - before.servers, before.servers)
  await seedNewest(database)
  const fromTo = (of: keyof Size) => [before[of], size[of]]
  await database.query(
    `insert into audit_event (organization, at, id, actor_kind, actor_id, action, target_type, target_id, ip, details)
    select organization, ${THIS_MONTH}, gen_random_uuid(), 'user', (select id from app_user limit 1),
      (array['server.updated', 'monitor.updated', 'alert_rule.updated'])[1 + n % 3], 'server', gen_random_uuid(), '192.0.2.1', '{}'
    from generate_series($1::int, $2::int - 1) as n, ${FIRST}`,
    fromTo('audit'),
  )
  await database.query(
    `insert into incident (organization, id, at, rule_id, target_type, target_id, target_name, status, severity, summary, silenced,
      resolved_at, evidence)
    select organization, gen_random_uuid(), at, gen_random_uuid(), 'server', gen_random_uuid(), 'host-' || n, 'resolved',
      'warning', 'CPU is 95 %', false, at + interval '5 minutes', '{}'
    from generate_series($1::int, $2::int - 1) as n, ${FIRST}, lateral (select ${THIS_MONTH}) as was (at)`,
    fromTo('incidents'),
  )
  await database.query(
    `with people as (
      insert into app_user (id, email, password_hash, password_changed_at, created_at)
      select gen_random_uuid(), 'member-' || n || '@example.com', '', now(), now() from generate_series($1::int, $2::int - 1) as n
      returning id
    )
    insert into membership (organization, user_id, role, joined_at) select organization, id, 'member', now() from people, ${FIRST}`,
    fromTo('members'),
  )
  await database.query(
    `with made as (
      insert into organization (id, name, plan, created_at)
      select gen_random_uuid(), 'Organization ' || n, 'enterprise', now() from generate_series($1::int, $2::int - 1) as n
      returning number
    )
    insert into membership (organization, user_id, role, joined_at)
    select number, (select user_id from membership where role = 'owner' order by joined_at limit 1), 'owner', now() from made`,
    fromTo('organizations'),
  )
  const pool = createPool({ url: databaseUrl, clock: systemClock, log: silentLog })
  await seedMonitors(database, before.monitors, size.monitors)
  await recountWeeks(pool.db, systemClock)
  await database.query('delete from audit_day')
  await countAuditDays(pool.db, systemClock.now())
  await seedDays(database, pool.db, before.days, size.days)
  await pool.end()
  await database.query('vacuum analyze')
}

/** The last pushes of nine in ten servers, of the last hour. */
async function seedNewest(database: pg.Client): Promise<void> {
  await database.query("update server set registered_at = now() - interval '2 days'")
  await database.query(`
    update server_newest as newest
    set created_at = now() - interval '2 days', last_push_ms = at, sampled_at_ms = at, cpu = random() * 10000,
      memory = random() * 10000, disk = random() * 10000
    from (select id, (date_part('epoch', now() - random() * interval '1 hour') * 1000)::bigint as at from server where number % 10 > 0)
      as pushed
    where pushed.id = newest.id`)
  await database.query("update server_newest set created_at = now() - interval '2 days' where last_push_ms is null")
}

/** With a check a minute in the compacted hours of seven days, all but today and the first as days. One in fifty is down. */
async function seedMonitors(database: pg.Client, from: number, to: number): Promise<void> {
  const nowMs = Date.now()
  const checks = Array.from({ length: 60 }, (_, minute) => ({
    atMs: minute * 60_000,
    outcome: 0,
    responseUs: 80_000 + minute * 997,
  }))
  const sketch = new Sketch()
  for (const { responseUs } of checks) sketch.add(responseUs)
  const [today, hour] = [Math.floor(nowMs / DAY_MS), Math.floor(nowMs / HOUR_MS)]
  await database.query(
    `with made as (
      insert into monitor (organization, id, name, type, url, method, interval_seconds, timeout_seconds, regions, options, assertions,
        follow_redirects, verify_tls, confirmations, tags, created_at, updated_at)
      select organization, gen_random_uuid(), 'monitor-' || n, 'http', 'https://' || n || '.example.com/', 'GET', 60, 10, '{local}', '{}',
        '[]', true, true, 2, '{}', now(), now()
      from generate_series($1::int, $2::int - 1) as n, ${FIRST}
      returning organization, number, id
    ), statuses as (
      insert into monitor_status (organization, monitor, status, since)
      select organization, number, case when number % 50 = 0 then 'down' else 'up' end, now() from made
    ), weeks as (
      insert into check_week (organization, monitor, id, checks) select organization, number, id, 1 from made
    ), schedules as (
      insert into check_schedule (organization, monitor, region, interval_seconds, due_at, anchor, lease_until, fence, failures,
        successes, last_checked_at, state)
      select organization, made.number, region.number, 60, $3, 0, 0, 1, 0, 0, $3, 'up' from made, region where region.id = 'local'
    ), days as (
      insert into check_day (response_sum_us, organization, monitor, checks, failed, answered, day, region, sketch)
      select (1440 * (80000 + random() * 100000))::bigint, organization, made.number, 1440, (random() * 9)::int, 1440,
        date '1970-01-01' + day, region.number, $6
      from made, region, generate_series($4::int - ${DAYS_OF_ALL} + 1, $4::int - 1) as day where region.id = 'local'
    )
    insert into check_hour (response_sum_us, organization, monitor, hour, checks, failed, answered, day, region, data)
    select (60 * (80000 + random() * 100000))::bigint, organization, made.number, hour, 60, 0, 60, date '1970-01-01' + hour / 24,
      region.number, $7
    from made, region,
      (select generate_series($4::int * 24 - 24, $5::int - 2) union all select generate_series($5::int - 24 * 7, $4::int * 24 - 24 * 6 - 1))
        as unit (hour)
    where region.id = 'local'`,
    [from, to, nowMs, today, hour, sketch.encode(), encodeChecks(0, checks)],
  )
  await database.query('delete from check_progress')
  await database.query("insert into check_progress (name, done) values ('day', $1), ('hour', $2)", [today - 1, hour - 2])
}

async function seedDays(database: pg.Client, db: Db, from: number, to: number): Promise<void> {
  const nowMs = Date.now()
  for (let day = to + 1; day >= 0; day -= 14) await keepCheckPartitions(db, silentLog, nowMs - day * DAY_MS)
  const sketch = new Sketch()
  for (let index = 0; index < 1_440; index += 1) sketch.add(80_000 + index * 41)
  await database.query(
    `insert into check_day (response_sum_us, organization, monitor, checks, failed, answered, day, region, sketch)
    select 1440 * 100000, organization, monitor.number, 1440, 1, 1440, date '1970-01-01' + $1::int - day, region.number, $4
    from (select organization, number from monitor order by number limit ${WITH_HISTORY}) as monitor, region,
      generate_series($2::int, $3::int) as day
    where region.id = 'local' on conflict do nothing`,
    [Math.floor(nowMs / DAY_MS), from + 1, to, sketch.encode()],
  )
}
