/**
 * Queries over samples, and the bytes that samples take, compared with VictoriaMetrics on the same samples in the same run.
 *
 *   npm run bench -- reads [--servers 20] [--days 7] [--rounds 40] [--page 1000] [--shape all|usual]
 *     [--profile FOLDER]
 *
 * `vedette serve` on an embedded Postgres of its own receives the samples of --servers servers for --days days, ten seconds apart, over
 * HTTP: hour by hour, and those of the last two hours as live agents send them, six in a push. `vedette compact` compacts them.
 * VictoriaMetrics receives the same by remote write. Then both answer the same queries over kept connections, in turns, one server after
 * the other. Times are medians to the last byte of the answer, after 300 rounds that do not count. VictoriaMetrics does not use its
 * cache of answers (`nocache=1`), as Vedette has none, and returns mean and maximum in one query (`aggr_over_time`).
 *
 * Bytes: all tables of samples with indexes, out-of-line storage and empty partitions, without the pushes themselves, which a week that
 * is sent in a minute leaves for two days as a whole; the folder of VictoriaMetrics after a merge. Compaction takes the week in at
 * once, as if it had been sent in time. Then three more hosts send three days late, one after the other, and are compacted each: their
 * bytes are compared with those of the others. Cold reads are not measured.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { encodeId } from '../../backend/src/platform/ids.ts'
import type { SampleColumns } from '../../shared/src/hosts/metrics/block/index.ts'
import { type BenchBackend, compact, registerServers, signIn, startBackend } from '../lib/backend.ts'
import { call, endCalls, type Medians, type Query, queryInTurns } from '../lib/queries.ts'
import { lifeColumns, type Shape } from '../samples/host-samples.ts'
import { sendSamples } from '../samples/send.ts'
import { startVictoria } from '../lib/peers.ts'
import { printFigures } from '../lib/result.ts'

const { values } = parseArgs({
  options: {
    servers: { type: 'string', default: '20' },
    days: { type: 'string', default: '7' },
    rounds: { type: 'string', default: '40' },
    page: { type: 'string', default: '1000' },
    shape: { type: 'string', default: 'all' },
    profile: { type: 'string' },
  },
})
const [servers, days, rounds, page] = [values.servers, values.days, values.rounds, values.page].map(Number) as [
  number,
  number,
  number,
  number,
]
const shape: Shape = values.shape === 'usual' ? 'usual' : 'all'
const LATE_HOSTS = 3
const LATE_DAYS = 3
const HOUR = 3_600_000
const STEP = 10_000
const AT_ONCE = 50
/** All tables of samples but the pushes, of which the partitions without any are counted. */
async function restBytes({ database }: BenchBackend): Promise<{ bytes: number; byTable: Record<string, number> }> {
  await database.query('checkpoint')
  const { rows } = await database.query<{ name: string; bytes: number }>(
    `select coalesce(parent.relname, own.relname) as name, sum(pg_total_relation_size(own.oid))::float8 as bytes
     from pg_class as own left join pg_inherits on inhrelid = own.oid left join pg_class as parent on parent.oid = inhparent
     where own.relkind = 'r' and own.relname like 'metric_%'
       and not (coalesce(parent.relname, '') = 'metric_push' and pg_relation_size(own.oid) > 0) group by 1`,
  )
  return {
    bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0),
    byTable: Object.fromEntries(rows.map(({ name, bytes }) => [name, bytes])),
  }
}

/** Backends run for weeks, so both sides are measured with compiled code. */
const WARM_UP = 300
const inTurns = (ours: Query, theirs?: Query): Promise<Medians> => queryInTurns(ours, theirs, { rounds, warmUp: WARM_UP })

const folder = mkdtempSync(join(tmpdir(), 'vedette-reads-'))
const backend = await startBackend(
  'serve',
  values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`],
)
const victoria = await startVictoria(folder)
try {
  const startedAt = performance.now()
  const tokens = await registerServers(backend, Math.max(page, servers) + LATE_HOSTS)
  const endMs = Date.now()
  const startMs = endMs - days * 24 * HOUR
  let points = 0
  const load = async (host: number, columns: SampleColumns) => {
    await sendSamples({ backend, victoria, endMs }, { name: `bench-${host}`, token: tokens[host] as string }, columns)
    points += columns.values.length
  }
  // Two at once: one is made and encoded while the other is stored.
  for (let host = 0; host < servers; host += 2) {
    const hosts = [host, host + 1].filter((number) => number < servers)
    await Promise.all(
      hosts.map((number) => load(number, lifeColumns(number, startMs, (days * 24 * HOUR) / STEP, undefined, shape))),
    )
  }
  const weekPoints = points
  for (let first = servers; first < page; first += AT_ONCE) {
    const hosts = Array.from({ length: Math.min(AT_ONCE, page - first) }, (_, index) => first + index)
    await Promise.all(hosts.map((host) => load(host, lifeColumns(host, endMs - 6 * STEP, 6))))
  }
  await compact(backend)
  await backend.database.query('analyze')
  if (victoria) {
    await call(`http://127.0.0.1:${victoria.port}/internal/force_flush`)
    await call(`http://127.0.0.1:${victoria.port}/internal/force_merge`)
  }
  const loadSeconds = (performance.now() - startedAt) / 1_000

  const headers = { authorization: `Bearer ${await signIn(backend.url)}` }
  const { rows } = await backend.database.query<{ id: string; hostname: string }>(
    "select id, hostname from server where hostname = any ($1) order by substring(hostname from '[0-9]+')::int",
    [Array.from({ length: servers }, (_, host) => `bench-${host}`)],
  )
  const ids = rows.map(({ id }) => encodeId('server', id))
  const ours = (query: string) => (index: number) =>
    call(`${backend.url}/v1/servers/${ids[index % servers]}/metrics?${query}`, { headers })
  const theirs = (path: string, window: string, group: string, more: () => string) =>
    victoria &&
    ((index: number) => {
      const query = `aggr_over_time(("avg_over_time","max_over_time"),{host="bench-${index % servers}"${group}}[${window}])`
      return call(`http://127.0.0.1:${victoria.port}/api/v1/${path}?nocache=1&query=${encodeURIComponent(query)}&${more()}`)
    })
  const seconds = () => Date.now() / 1_000
  const steps = () => `step=1800&start=${seconds() - days * 24 * 3_600}&end=${seconds()}`
  const week = `from=${new Date(startMs).toISOString()}&to=${new Date(endMs).toISOString()}&points=336`
  const queries: { name: string; goal: number; times: Medians }[] = [
    {
      name: 'mean and maximum of 24 h, all groups',
      goal: 0.4,
      times: await inTurns(
        ours('period=24h'),
        theirs('query', '24h', '', () => `time=${seconds()}`),
      ),
    },
    {
      name: '336 points of the week, all groups',
      goal: 0.3,
      times: await inTurns(ours(week), theirs('query_range', '30m', '', steps)),
    },
    {
      name: '336 points of the week, one group',
      goal: 1,
      times: await inTurns(ours(`${week}&metrics=cpu`), theirs('query_range', '30m', ',group="cpu"', steps)),
    },
  ]
  const list = (query: string) => (index: number) =>
    call(`${backend.url}/v1/servers?limit=100&page=${1 + (index % Math.ceil(page / 100))}&${query}`, { headers })
  const snapshots = (await inTurns(list('include=metrics'))).ms
  const sparklines = (await inTurns(list('include=metrics,sparkline'))).ms
  const atRest = await restBytes(backend)
  const bytesAtRest = atRest.bytes / weekPoints
  const victoriaBytes =
    victoria &&
    Number(
      execFileSync('du', ['-sb', join(folder, 'victoria')])
        .toString()
        .split('\t')[0],
    ) / points
  const lateFromMs = (Math.floor(endMs / (24 * HOUR)) - LATE_DAYS - 1) * 24 * HOUR
  points = 0
  for (let host = tokens.length - LATE_HOSTS; host < tokens.length; host += 1) {
    const columns = lifeColumns(host, lateFromMs, (LATE_DAYS * 24 * HOUR) / STEP, undefined, shape)
    await sendSamples({ backend, endMs }, { name: `bench-${host}`, token: tokens[host] as string }, columns)
    points += columns.values.length
    await compact(backend)
  }
  const lateBytes = ((await restBytes(backend)).bytes - atRest.bytes) / points
  printFigures(
    [
      ...queries.map(({ name, goal, times }) => ({
        name,
        value: times.ms,
        unit: 'ms',
        ...(times.victoriaMs !== undefined && {
          peer: { name: 'VictoriaMetrics', value: times.victoriaMs, goal: { atMost: goal } },
        }),
      })),
      { name: `page of 100 of ${page} servers with snapshots`, value: snapshots, unit: 'ms', goal: { atMost: 10 } },
      { name: 'the same with sparklines', value: sparklines, unit: 'ms' },
      {
        name: `${servers} servers, ${days} days, stored after compaction, with indexes`,
        value: bytesAtRest,
        unit: 'bytes a point',
        goal: { atMost: 0.8 },
        ...(victoriaBytes !== undefined && { peer: { name: 'VictoriaMetrics', value: victoriaBytes, goal: { atMost: 1 } } }),
      },
      {
        name: `${LATE_DAYS} days of ${LATE_HOSTS} servers that came late, with indexes`,
        value: lateBytes,
        unit: 'bytes a point',
        peer: { name: 'the same, received in time', value: bytesAtRest, goal: { atMost: 1.1 } },
      },
    ],
    { points: weekPoints, servers, days, rounds, shape, bytes: atRest.byTable, loadSeconds: Math.round(loadSeconds) },
  )
} finally {
  endCalls()
  await victoria?.stop()
  await backend.stop()
  rmSync(folder, { recursive: true, force: true })
}
