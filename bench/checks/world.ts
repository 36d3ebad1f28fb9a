import { once } from 'node:events'
import type pg from 'pg'
import { PROGRAMS } from '../../scripts/launch/programs.mjs'
import { type KindName, kindOf, type Ports, type Target } from './kinds.ts'
import type { Arrival } from './targets.ts'
import type { CheckTypeId } from '../../shared/src/index.ts'
import { type BenchBackend, benchEnvironment, startBackend } from '../lib/backend.ts'
import { type Child, startChild } from '../lib/child.ts'
import type { Certificate } from '../lib/peers.ts'

/** Monitors of one region, targets for them, and workers that check them. */
export interface CheckWorld {
  backend: BenchBackend
  targets: Child
  ports: Ports
  /** A process that makes checks and nothing else, on the database of the backend, as the launcher starts it. */
  startWorker(environment?: NodeJS.ProcessEnv, flags?: readonly string[]): Promise<Child>
  /** Requests that the targets have seen since the last call. */
  arrivals(): Promise<Arrival[]>
  stop(): Promise<void>
}

export interface MonitorSet {
  count: number
  intervalSeconds: number
  timeoutSeconds: number
  /** So many of every hundred never answer. */
  hangingPercent?: number
  /** In turns; http without it. */
  kinds?: readonly KindName[]
}

/** With a certificate there are targets over https, and the workers trust it. */
export async function startCheckWorld(certificate?: Certificate): Promise<CheckWorld> {
  const backend = await startBackend('serve')
  const files = certificate ? [certificate.key, certificate.cert] : []
  const targets = await startChild({ args: ['bench/checks/targets.ts', ...files] })
  const { argv, environment: launched } = PROGRAMS.vedette(['work'])
  return {
    backend,
    targets,
    ports: JSON.parse(targets.ready) as CheckWorld['ports'],
    startWorker: (environment = {}, flags = []) =>
      startChild({
        args: [...flags, ...argv],
        environment: {
          ...benchEnvironment(backend.dataDir),
          ...launched,
          VEDETTE_ALLOW_PRIVATE_TARGETS: 'all',
          ...(certificate && { NODE_EXTRA_CA_CERTS: certificate.cert }),
          ...environment,
        },
      }),
    arrivals: async () => {
      targets.process.send('arrivals')
      const [seen] = (await once(targets.process, 'message')) as [Arrival[]]
      return seen
    },
    stop: async () => {
      await targets.stop()
      await backend.stop()
    },
  }
}

/** Of every hundred the first so many hang. */
export const hangs = (n: number, { hangingPercent = 0 }: MonitorSet): boolean => n % 100 < hangingPercent

export const kindNameOf = (n: number, { kinds = ['http'] }: MonitorSet): KindName => kinds[n % kinds.length] ?? 'http'

/** No two hosts have more than a hundred monitors: what is for one host is bounded. */
export const targetOf = (n: number, set: MonitorSet): Target => ({
  host: `127.1.${Math.floor(n / 25_000)}.${(Math.floor(n / 100) % 250) + 1}`,
  name: `${hangs(n, set) ? 'hang' : 'm'}-${n}`,
})

interface MonitorWorld {
  backend: Pick<BenchBackend, 'database'>
  ports: Ports
}

/** Makes the monitors 0 to count − 1, in the schedule for long already and due at even distances from `firstDueMs` on. */
export async function makeMonitors({ backend, ports }: MonitorWorld, set: MonitorSet, firstDueMs: number): Promise<void> {
  const { database } = backend
  const { count, intervalSeconds, timeoutSeconds } = set
  const monitors = Array.from({ length: count }, (_, n) => {
    const [kind, target] = [kindOf(kindNameOf(n, set)), targetOf(n, set)]
    return { n, type: kind.type, url: kind.url(target, ports), options: kind.options?.(target) ?? {} }
  })
  // The first worker makes it, and monitors may come before that: without it they would stand in no schedule.
  await database.query("insert into region (id, name, created_at) values ('local', 'local', now()) on conflict (id) do nothing")
  await database.query('delete from check_schedule')
  await database.query('delete from monitor_status')
  await database.query('delete from check_week')
  await database.query('delete from monitor')
  const id = "('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid"
  await database.query(
    `with made as (
      insert into monitor (organization, id, name, type, url, method, interval_seconds, timeout_seconds, regions, assertions,
        follow_redirects, verify_tls, confirmations, tags, options, created_at, updated_at)
      select organization.number, ${id}, 'monitor ' || n, type, url, case when type = 'http' then 'GET' end, $1, $2, '{local}', '[]',
        case when type = 'http' then true end, case when type = 'http' then true end, 2, '{}', options, now(), now()
      from organization, jsonb_to_recordset($3::jsonb) as one (n int, type text, url text, options jsonb)
      returning organization, number, id
    ), weeks as (
      insert into check_week (organization, monitor, id) select organization, number, id from made
    ), stated as (
      insert into monitor_status (organization, monitor, status, since) select organization, number, 'up', now() from made
    )
    insert into check_schedule (organization, monitor, region, interval_seconds, due_at, anchor, lease_until, fence, last_checked_at,
      failures, successes, state)
    select made.organization, made.number, region.number, $1, due, due, 0, 1, due - $1 * 1000::bigint, 0, 0, 'up'
    from made, region, lateral (select $4::bigint + ('x' || right(made.id::text, 12))::bit(48)::bigint * $1 * 1000 / $5 as due) as at
    where region.id = 'local'`,
    [intervalSeconds, timeoutSeconds, JSON.stringify(monitors), firstDueMs, count],
  )
  await database.query('analyze monitor, monitor_status, check_week, check_schedule')
}

/** Checks of the last set within [fromMs, toMs) that are stored, and how many of them were not up. */
export async function storedChecks({ backend }: CheckWorld, fromMs: number, toMs: number) {
  const { rows } = await backend.database.query<{ all: number; failed: number }>(
    `select count(*)::int as all, count(*) filter (where outcome <> 0)::int as failed
     from check_result where at >= $1 and at < $2`,
    [fromMs, toMs],
  )
  return rows[0] ?? { all: 0, failed: 0 }
}

/** Counts of checks within [fromMs, toMs) of monitors that answer and were not up, and of those that hang and were up. */
export async function wrongOutcomes(
  { backend }: CheckWorld,
  { hangingPercent = 0 }: MonitorSet,
  fromMs: number,
  toMs: number,
): Promise<{ type: string; message: string | null; count: number }[]> {
  const { rows } = await backend.database.query<{ type: string; message: string | null; count: number }>(
    `select type, error_message as message, count(*)::int as count from check_result join monitor
       on monitor.organization = check_result.organization and monitor.number = check_result.monitor
     where at >= $1 and at < $2 and (outcome = 0) = (substring(name from '\\d+')::int % 100 < $3)
     group by type, error_message`,
    [fromMs, toMs, hangingPercent],
  )
  return rows
}

/** When checks of a kind began, as they are stored, from then on: for targets that do not see when they are reached. */
export async function storedBegins({ backend }: CheckWorld, type: CheckTypeId, fromMs: number): Promise<Arrival[]> {
  const { rows } = await backend.database.query<{ n: number; at: string }>(
    `select substring(name from '\\d+')::int as n, at from check_result join monitor
       on monitor.organization = check_result.organization and monitor.number = check_result.monitor
     where monitor.type = $1 and at >= $2`,
    [type, fromMs],
  )
  return rows.map(({ n, at }) => [n, Number(at)])
}

/** No more checks; what is under way counts for nothing. */
export async function holdAll(world: CheckWorld): Promise<void> {
  await changeSchedule(world, 'update check_schedule set due_at = null, lease_until = 0, fence = fence + 1')
}

/** Workers lock rows in an order of their own: a table that nobody else reads for writing cannot deadlock with them. */
async function changeSchedule(world: CheckWorld, update: string, values?: unknown[]): Promise<void> {
  const { database } = world.backend
  await database.query('begin')
  await database.query('lock table check_schedule in exclusive mode')
  await database.query(update, values)
  await database.query('commit')
  await wakeWorkers(world)
}

/** They poll at once. No monitor has this key. */
export const wakeWorkers = ({ backend }: CheckWorld) =>
  backend.database.query("select pg_notify('vedette_changes', 'check_schedule 0.0')")

/** All of them due from then on, each in its slot. */
export async function releaseAll(world: CheckWorld, firstDueMs: number): Promise<void> {
  await changeSchedule(
    world,
    `update check_schedule set due_at = moved, anchor = moved, last_checked_at = moved - interval_seconds * 1000::bigint
     from (select organization, monitor, region, $1::bigint + (anchor - min(anchor) over ()) as moved from check_schedule) as slot
     where slot.organization = check_schedule.organization and slot.monitor = check_schedule.monitor
       and slot.region = check_schedule.region`,
    [firstDueMs],
  )
}

export interface Lateness {
  checks: number
  p99: number
  /** Places on the grid in which no request came. */
  missing: number
}

/** Checks that were due in [fromMs, toMs). */
export interface LatenessWindow {
  firstDueMs: number
  fromMs: number
  toMs: number
}

/**
 * How long after its scheduled instant each request arrived, for all kinds or one. A check that confirms a failure runs outside of the
 * schedule, so only monitors that answer are counted.
 */
export function latenessOf(arrivals: readonly Arrival[], set: MonitorSet, window: LatenessWindow, kind?: KindName): Lateness {
  const { firstDueMs, fromMs, toMs } = window
  const intervalMs = set.intervalSeconds * 1_000
  const counts = (n: number) => n < set.count && !hangs(n, set) && (kind === undefined || kindNameOf(n, set) === kind)
  const late: number[] = []
  const seen = new Set<string>()
  for (const [n, atMs] of arrivals) {
    if (!counts(n)) continue
    const anchorMs = firstDueMs + Math.floor((n * intervalMs) / set.count)
    const slot = Math.round((atMs - anchorMs) / intervalMs)
    const dueMs = anchorMs + slot * intervalMs
    if (dueMs < fromMs || dueMs >= toMs) continue
    seen.add(`${n} ${slot}`)
    late.push(atMs - dueMs)
  }
  let expected = 0
  for (let n = 0; n < set.count; n += 1) {
    if (!counts(n)) continue
    const anchorMs = firstDueMs + Math.floor((n * intervalMs) / set.count)
    const first = anchorMs + Math.ceil((fromMs - anchorMs) / intervalMs) * intervalMs
    expected += Math.max(0, Math.ceil((toMs - first) / intervalMs))
  }
  late.sort((left, right) => left - right)
  const p99 = late[Math.floor(late.length * 0.99)] ?? Number.NaN
  return { checks: late.length, p99, missing: expected - seen.size }
}

/** Checks that could not begin before the next one was due. */
export async function notMade(database: pg.Client): Promise<number> {
  const { rows } = await database.query<{ n: number }>(
    "select count(*)::int as n from check_result where outcome = 3 and error_message like 'the probe was overloaded%'",
  )
  return rows[0]?.n ?? 0
}
