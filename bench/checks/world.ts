import { once } from 'node:events'
import type pg from 'pg'
import { PROGRAMS } from '../../scripts/launch/programs.mjs'
import type { Arrival } from './targets.ts'
import { type BenchBackend, benchEnvironment, startBackend } from '../lib/backend.ts'
import { type Child, startChild } from '../lib/child.ts'
import type { Certificate } from '../lib/peers.ts'

/** Monitors of one region, targets for them, and workers that check them. */
export interface CheckWorld {
  backend: BenchBackend
  targets: Child
  ports: Record<Scheme | 'dns', number>
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
  /** Every so many of a hundred never answer. */
  hangingPercent?: number
  scheme?: Scheme
}

export type Scheme = 'http' | 'https' | 'grpc' | 'redis'

/** What the API would store as options of each kind. */
const OPTIONS: Record<Scheme, object> = {
  http: {},
  https: {},
  grpc: { verify_tls: true },
  redis: { tls: 'off', verify_tls: true },
}

/** Monitors of another kind at the same targets. */
export interface KindSet {
  type: 'tcp' | 'icmp' | 'dns'
  options: Record<string, unknown>
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

interface MonitorWorld {
  backend: Pick<BenchBackend, 'database'>
  ports: Partial<CheckWorld['ports']>
}

/**
 * Makes the monitors 0 to count − 1, in the schedule for long already and due at even distances from `firstDueMs` on. No two hosts
 * have more than a hundred of them: what is for one host is bounded.
 */
export async function makeMonitors({ backend, ports }: MonitorWorld, set: MonitorSet, firstDueMs: number): Promise<void> {
  const { database } = backend
  const { count, intervalSeconds, timeoutSeconds, hangingPercent = 0, scheme = 'http' } = set
  const type = scheme === 'https' ? 'http' : scheme
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
        follow_redirects, verify_tls, confirmations, tags, options, created_at,
        updated_at)
      select organization.number, ${id}, 'monitor ' || n, $8::text,
        format('%s://127.1.%s.%s:%s/%s', $7::text, n / 100 / 250, n / 100 % 250 + 1, $1::int,
          case when $8 = 'redis' then '' when $8 = 'grpc' then 'm-' || n when n % 100 < $2::int then 'hang/' || n else 'm/' || n end),
        case when $8 = 'http' then 'GET' end, $3, $4, '{local}', '[]', case when $8 = 'http' then true end,
        case when $8 = 'http' then true end, 2, '{}',
        case when $8 = 'redis' then jsonb_build_object('command', 'GET m-' || n) else '{}' end || $9::jsonb, now(), now()
      from organization, generate_series(0, $5::int - 1) as n
      returning organization, number, id
    ), weeks as (
      insert into check_week (organization, monitor, id) select organization, number, id from made
    ), stated as (
      insert into monitor_status (organization, monitor, status, since) select organization, number, 'up', now() from made
    )
    insert into check_schedule (organization, monitor, region, interval_seconds, due_at, anchor, lease_until, fence, last_checked_at,
      failures, successes, state)
    select made.organization, made.number, region.number, $3, due, due, 0, 1, due - $3 * 1000::bigint, 0, 0, 'up'
    from made, region, lateral (select $6::bigint + ('x' || right(made.id::text, 12))::bit(48)::bigint * $3 * 1000 / $5 as due) as at
    where region.id = 'local'`,
    [ports[scheme], hangingPercent, intervalSeconds, timeoutSeconds, count, firstDueMs, scheme, type, OPTIONS[scheme]],
  )
  await database.query('analyze monitor, monitor_status, check_week, check_schedule')
}

/** Monitors of the last `makeMonitors` as those of another kind. */
export async function changeKind({ backend, ports }: CheckWorld, { type, options }: KindSet): Promise<void> {
  await backend.database.query(
    `update monitor set type = $1, options = $2, method = null, follow_redirects = null, verify_tls = null,
       url = case $1 when 'tcp' then 'tcp://' || substring(url from '//([^/]*)')
         when 'icmp' then 'icmp://' || substring(url from '//([^:]*)')
         else 'dns://127.0.0.1:' || $3::int || '/m' || number || '.bench.test?type=A' end`,
    [type, options, ports.dns],
  )
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

/** No more checks; what is under way counts for nothing. */
export async function holdAll({ backend }: CheckWorld): Promise<void> {
  await backend.database.query('update check_schedule set due_at = null, lease_until = 0, fence = fence + 1')
  await wakeWorkers(backend)
}

/** They poll at once. No monitor has this key. */
const wakeWorkers = ({ database }: CheckWorld['backend']) =>
  database.query("select pg_notify('vedette_changes', 'check_schedule 0.0')")

/** All of them due from then on, each in its slot. */
export async function releaseAll({ backend }: CheckWorld, firstDueMs: number): Promise<void> {
  await backend.database.query(
    `update check_schedule set due_at = moved, anchor = moved, last_checked_at = moved - interval_seconds * 1000::bigint
     from (select organization, monitor, region, $1::bigint + (anchor - min(anchor) over ()) as moved from check_schedule) as slot
     where slot.organization = check_schedule.organization and slot.monitor = check_schedule.monitor
       and slot.region = check_schedule.region`,
    [firstDueMs],
  )
  await wakeWorkers(backend)
}

export interface Lateness {
  checks: number
  p99: number
  /** Places on the grid in which no request came. */
  missing: number
}

/**
 * How long after its scheduled instant each request arrived, for instants within [fromMs, toMs). A check that confirms a failure runs
 * outside of the schedule, so only monitors that answer are counted.
 */
export function latenessOf(
  arrivals: readonly Arrival[],
  set: MonitorSet,
  firstDueMs: number,
  fromMs: number,
  toMs: number,
): Lateness {
  const intervalMs = set.intervalSeconds * 1_000
  const late: number[] = []
  const seen = new Set<string>()
  for (const [n, atMs] of arrivals) {
    if (n >= set.count || hangs(n, set)) continue
    const anchorMs = firstDueMs + Math.floor((n * intervalMs) / set.count)
    const slot = Math.round((atMs - anchorMs) / intervalMs)
    const dueMs = anchorMs + slot * intervalMs
    if (dueMs < fromMs || dueMs >= toMs) continue
    seen.add(`${n} ${slot}`)
    late.push(atMs - dueMs)
  }
  let expected = 0
  for (let n = 0; n < set.count; n += 1) {
    if (hangs(n, set)) continue
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
