/**
 * What lists and the overview cost as an installation grows: the time of a request at ×1, ×10 and ×100.
 *
 *   npm run bench -- growth [--servers 50000] [--audit 1000000] [--incidents 10000] [--monitors 100] [--rounds 15]
 *
 * `vedette serve` runs as the launcher starts it, on an embedded Postgres of its own. Servers, audit events and resolved incidents of one
 * organization are stored by statements, at first a hundredth of the given numbers. Nine in ten servers pushed last within an
 * hour, and none pushes while it is measured. Then each request is sent --rounds times, one at a time over a kept connection;
 * its figure is the median.
 */
import { parseArgs } from 'node:util'
import { seedHosts } from '../fleet/hosts.ts'
import { post, signIn, startBackend } from '../lib/backend.ts'
import { median, round2 } from '../lib/processes.ts'
import { printFigures } from '../lib/result.ts'

const { values } = parseArgs({
  options: {
    servers: { type: 'string', default: '50000' },
    audit: { type: 'string', default: '1000000' },
    incidents: { type: 'string', default: '10000' },
    monitors: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '15' },
  },
})
const [servers, audit, incidents] = [Number(values.servers), Number(values.audit), Number(values.incidents)]

const REQUESTS = {
  'servers by name': '/v1/servers?sort=name',
  'servers by CPU': '/v1/servers?sort=-cpu',
  'servers that are offline': '/v1/servers?status=offline',
  'servers with counts': '/v1/servers?include=counts',
  'servers by a part of the name': '/v1/servers?q=host-49',
  'the overview': '/v1/overview',
  'the states of all': '/v1/overview/states',
  'the newest audit events': '/v1/audit-events',
  'audit events of an action without any': '/v1/audit-events?action=member.removed',
  'audit events of an actor without any': '/v1/audit-events?actor=system',
  'the newest incidents': '/v1/incidents',
  'open incidents': '/v1/incidents?status=open',
} as const

const backend = await startBackend('serve')
const { database, url } = backend

/** For row n an instant of this month, of which there are partitions. */
const THIS_MONTH = "now() - (now() - date_trunc('month', now(), 'UTC')) * ((n * 2654435761::bigint % 1000003) / 1000003.0)"

/** The last pushes of nine in ten servers, of the last hour. */
async function seedNewest(): Promise<void> {
  await database.query(`
    update server_newest as newest
    set created_at = now() - interval '2 days', last_push_ms = at, sampled_at_ms = at, cpu = random() * 10000,
      memory = random() * 10000, disk = random() * 10000
    from (select id, (date_part('epoch', now() - random() * interval '1 hour') * 1000)::bigint as at from server where number % 10 > 0)
      as pushed
    where pushed.id = newest.id`)
  await database.query("update server_newest set created_at = now() - interval '2 days' where last_push_ms is null")
}

async function seedAudit(from: number, to: number): Promise<void> {
  await database.query(
    `insert into audit_event (organization, at, id, actor_kind, actor_id, action, target_type, target_id, ip, details)
    select organization.number, ${THIS_MONTH}, gen_random_uuid(), 'user',
      (select id from app_user limit 1), (array['server.updated', 'monitor.updated', 'alert_rule.updated'])[1 + n % 3], 'server',
      gen_random_uuid(), '192.0.2.1', '{}'
    from generate_series($1::int, $2::int - 1) as n, organization`,
    [from, to],
  )
  await database.query('analyze audit_event')
}

async function seedIncidents(from: number, to: number): Promise<void> {
  await database.query(
    `insert into incident (organization, id, at, rule_id, target_type, target_id, target_name, status, severity, summary, silenced,
      resolved_at, evidence)
    select organization.number, gen_random_uuid(), at, gen_random_uuid(), 'server', gen_random_uuid(), 'host-' || n, 'resolved',
      'warning', 'CPU is 95 %', false, at + interval '5 minutes', '{}'
    from generate_series($1::int, $2::int - 1) as n, organization, lateral (select ${THIS_MONTH}) as was (at)`,
    [from, to],
  )
  await database.query('analyze incident')
}

async function timesOf(token: string): Promise<Record<string, number>> {
  const times: Record<string, number> = {}
  for (const [name, path] of Object.entries(REQUESTS)) {
    const each: number[] = []
    for (let round = 0; round < Number(values.rounds); round += 1) {
      const startMs = performance.now()
      const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })
      const body = await response.text()
      each.push(performance.now() - startMs)
      if (!response.ok) throw new Error(`${path} answered ${response.status}: ${body}`)
    }
    times[name] = median(each)
  }
  return times
}

/** One after the other, as a program does that knows no bulk request. */
async function createMonitors(token: string): Promise<number> {
  const each: number[] = []
  for (let index = 0; index < Number(values.monitors); index += 1) {
    const startMs = performance.now()
    await post(
      `${url}/v1/monitors`,
      { authorization: `Bearer ${token}` },
      { name: `m${index}`, url: 'https://example.com/', interval: 3_600 },
    )
    each.push(performance.now() - startMs)
  }
  return median(each)
}

try {
  const token = await signIn(url)
  await database.query("insert into region (id, name, created_at) values ('local', 'Here', now()) on conflict do nothing")
  const bySize: Record<string, Record<string, number>> = {}
  let before = 0
  for (const share of [0.01, 0.1, 1]) {
    await seedHosts(database, servers * (share - before), servers * before)
    await database.query("update server set registered_at = now() - interval '2 days'")
    await seedNewest()
    await database.query('vacuum analyze server, server_newest')
    await seedAudit(audit * before, audit * share)
    await seedIncidents(incidents * before, incidents * share)
    before = share
    bySize[`×${share * 100}`] = await timesOf(token)
  }
  const created = await createMonitors(token)
  printFigures(
    [
      ...Object.entries(bySize['×100'] ?? {}).map(([name, value]) => ({ name, value, unit: 'ms', goal: { atMost: 50 } })),
      { name: 'creating a monitor, one after the other', value: created, unit: 'ms', goal: { atMost: 5 } },
    ],
    Object.fromEntries(
      Object.keys(REQUESTS).map((name) => [name, Object.values(bySize).map((times) => round2(times[name] ?? Number.NaN))]),
    ),
  )
} finally {
  await backend.stop()
}
