/**
 * What lists, the overview and memory cost as an installation grows: at ×1, ×10 and ×100 of everything at once.
 *
 *   npm run bench -- growth [--servers 50000] [--monitors 20000] [--organizations 1000] [--members 1000] [--incidents 10000]
 *     [--audit 1000000] [--days 400] [--created 100] [--rounds 15]
 *
 * `vedette serve` runs as the launcher starts it, on an embedded Postgres of its own. What the options number is stored by
 * statements, at first a hundredth of it. Nine in ten servers pushed last within an hour, and nothing is pushed or checked while it is
 * measured. Then each request is sent --rounds times, one at a time over a kept connection; its figure is the median.
 *
 * Goals: 50 ms at ×100. Each request also says how it grows: `flat` at most doubles from ×1 to ×100, `log` at most quadruples (both
 * with 2 ms of tolerance), and `linear` reads a narrow row of everything that it counts or sorts, which must not become 50 ms.
 */
import { parseArgs } from 'node:util'
import { findRunningUrl } from '../../backend/src/platform/db/postgres/index.ts'
import { post, signIn, startBackend } from '../lib/backend.ts'
import { median, memoryOf, round2, treeOf } from '../lib/processes.ts'
import { printFigures } from '../lib/result.ts'
import { NOTHING, seedGrowth, type Size } from './seed.ts'

const { values } = parseArgs({
  options: {
    servers: { type: 'string', default: '50000' },
    monitors: { type: 'string', default: '20000' },
    organizations: { type: 'string', default: '1000' },
    members: { type: 'string', default: '1000' },
    incidents: { type: 'string', default: '10000' },
    audit: { type: 'string', default: '1000000' },
    days: { type: 'string', default: '400' },
    created: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '15' },
  },
})

type Growth = 'flat' | 'log' | 'linear'
const TOLERANCE_MS = 2
const MOST = { flat: 2, log: 4, linear: Number.POSITIVE_INFINITY }

/** Path and growth of each request; `{monitor}` and `{organization}` are ids. */
const REQUESTS: Readonly<Record<string, readonly [path: string, growth: Growth]>> = {
  'servers, newest first': ['/v1/servers', 'linear'],
  'servers by name': ['/v1/servers?sort=name', 'linear'],
  'servers by CPU': ['/v1/servers?sort=-cpu', 'linear'],
  'servers that are offline': ['/v1/servers?status=offline', 'linear'],
  'servers with counts': ['/v1/servers?include=counts', 'linear'],
  'servers by a part of the name': ['/v1/servers?q=host-49', 'linear'],
  'monitors, newest first': ['/v1/monitors', 'linear'],
  'monitors, worst first, as the dashboard shows them': [
    '/v1/monitors?sort=status&limit=100&include=sparkline,uptime,counts',
    'linear',
  ],
  'monitors by uptime': ['/v1/monitors?sort=uptime', 'linear'],
  'monitors by response time': ['/v1/monitors?sort=-response_ms', 'linear'],
  'monitors by a part of the name': ['/v1/monitors?q=monitor-19', 'linear'],
  'a monitor': ['/v1/monitors/{monitor}', 'flat'],
  'checks of a monitor': ['/v1/monitors/{monitor}/checks', 'flat'],
  'changes of status of a monitor': ['/v1/monitors/{monitor}/transitions', 'flat'],
  'deleted monitors': ['/v1/monitors/deleted', 'flat'],
  'statistics of a monitor over 7 days': ['/v1/monitors/{monitor}/stats?period=7d', 'flat'],
  'the overview': ['/v1/overview', 'linear'],
  'the states of all': ['/v1/overview/states', 'linear'],
  'the newest audit events': ['/v1/audit-events', 'linear'],
  'audit events of an action': ['/v1/audit-events?action=server.updated', 'linear'],
  'audit events of an action without any': ['/v1/audit-events?action=member.removed', 'flat'],
  'audit events of an actor without any': ['/v1/audit-events?actor=system', 'flat'],
  'the newest incidents': ['/v1/incidents', 'linear'],
  'open incidents': ['/v1/incidents?status=open', 'flat'],
  'incidents of a server': ['/v1/incidents?q=host-77', 'linear'],
  'the person with all organizations': ['/v1/me', 'linear'],
  organizations: ['/v1/organizations', 'log'],
  'an organization': ['/v1/organizations/{organization}', 'linear'],
  members: ['/v1/organizations/{organization}/members', 'log'],
  invitations: ['/v1/organizations/{organization}/invitations', 'flat'],
  'alert rules': ['/v1/alert-rules', 'flat'],
  channels: ['/v1/channels', 'flat'],
  'maintenance windows': ['/v1/maintenance-windows', 'flat'],
  'API keys': ['/v1/api-keys', 'flat'],
  'enrollment tokens': ['/v1/enrollment-tokens', 'flat'],
  'security events': ['/v1/security-events', 'flat'],
  sessions: ['/v1/auth/sessions', 'flat'],
}

const backend = await startBackend('serve')
const { database, url } = backend

async function timesOf(headers: Record<string, string>, ids: Record<string, string>): Promise<Record<string, number>> {
  const times: Record<string, number> = {}
  for (const [name, [template]] of Object.entries(REQUESTS)) {
    const path = template.replaceAll(/\{(\w+)\}/g, (_, noun: string) => ids[noun] ?? '')
    const each: number[] = []
    for (let round = 0; round < Number(values.rounds); round += 1) {
      const startMs = performance.now()
      const response = await fetch(`${url}${path}`, { headers })
      const body = await response.text()
      each.push(performance.now() - startMs)
      if (!response.ok) throw new Error(`${path} answered ${response.status}: ${body}`)
    }
    times[name] = median(each)
  }
  return times
}

/** One after the other, as a program does that knows no bulk request. */
async function createMonitors(headers: Record<string, string>): Promise<number> {
  const each: number[] = []
  for (let index = 0; index < Number(values.created); index += 1) {
    const startMs = performance.now()
    await post(`${url}/v1/monitors`, headers, { name: `m${index}`, url: 'https://example.com/', interval: 3_600 })
    each.push(performance.now() - startMs)
  }
  return median(each)
}

/** Of the answer that grows by the rows that it shows alone. */
async function bytesOf(path: string, headers: Record<string, string>): Promise<number> {
  const response = await fetch(`${url}${path}`, { headers: { ...headers, 'accept-encoding': 'identity' } })
  return (await response.arrayBuffer()).byteLength
}

try {
  const session = { authorization: `Bearer ${await signIn(url)}` }
  await database.query("insert into region (id, name, created_at) values ('local', 'Here', now()) on conflict do nothing")
  const { organizations } = (await (await fetch(`${url}/v1/me`, { headers: session })).json()) as {
    organizations: { id: string }[]
  }
  const organization = organizations[0]?.id ?? ''
  const headers = { ...session, 'x-organization-id': organization }
  const databaseUrl = (await findRunningUrl(backend.dataDir)) ?? ''
  const bySize: Record<string, number>[] = []
  const memory: { backend: number; postgres: number }[] = []
  let before: Size = NOTHING
  for (const share of [0.01, 0.1, 1]) {
    const size = Object.fromEntries(
      (Object.keys(NOTHING) as (keyof Size)[]).map((name) => [name, Math.round(Number(values[name]) * share)]),
    ) as unknown as Size
    await seedGrowth(database, databaseUrl, before, size)
    before = size
    const { monitors } = (await (await fetch(`${url}/v1/monitors?q=monitor-1&limit=1`, { headers })).json()) as {
      monitors: { id: string }[]
    }
    bySize.push(await timesOf(headers, { monitor: monitors[0]?.id ?? '', organization }))
    memory.push({ backend: memoryOf([backend.backendPid]).pss, postgres: memoryOf(treeOf(backend.postgresPid)).pss })
  }
  const created = await createMonitors(headers)
  const bytes = await bytesOf('/v1/me', headers)
  const details = Object.entries(REQUESTS).map(([name, [, growth]]) => {
    const ms = bySize.map((times) => round2(times[name] ?? Number.NaN))
    const [first = 0, last = 0] = [ms[0], ms.at(-1)]
    return [name, { ms, growth, keeps: last <= first * MOST[growth] + TOLERANCE_MS }] as const
  })
  printFigures(
    [
      ...Object.entries(bySize.at(-1) ?? {}).map(([name, value]) => ({ name, value, unit: 'ms', goal: { atMost: 50 } })),
      {
        name: 'requests that grow more than they should',
        value: details.filter(([, { keeps }]) => !keeps).length,
        unit: '',
        goal: { atMost: 0 },
      },
      {
        name: 'an organization in the answer about the person',
        value: bytes / before.organizations,
        unit: 'bytes',
        goal: { atMost: 450 },
      },
      {
        name: 'memory of the backend, ×100 to ×1 (PSS)',
        value: (memory.at(-1)?.backend ?? Number.NaN) / (memory[0]?.backend ?? Number.NaN),
        unit: '×',
        goal: { atMost: 1.5 },
      },
      { name: 'creating a monitor, one after the other', value: created, unit: 'ms', goal: { atMost: 5 } },
    ],
    { ...Object.fromEntries(details), memory },
  )
} finally {
  await backend.stop()
}
