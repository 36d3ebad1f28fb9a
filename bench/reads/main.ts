/**
 * Queries over samples, and the bytes that samples take, compared with VictoriaMetrics on the same samples in the same run.
 *
 *   npm run bench -- reads [--servers 20] [--days 7] [--rounds 40] [--page 1000]
 *
 * `vedette serve` on an embedded Postgres of its own receives the samples of --servers servers for --days days, ten seconds apart, over
 * HTTP: hour by hour, and those of the last two hours as live agents send them, six in a push. `vedette compact` compacts them.
 * VictoriaMetrics receives the same by remote write. Then both answer the same queries over kept connections, in turns, one server after
 * the other. Times are medians to the last byte of the answer, after 300 rounds that do not count. VictoriaMetrics does not use its
 * cache of answers (`nocache=1`), as Vedette has none, and returns mean and maximum in one query (`aggr_over_time`).
 *
 * Bytes: hour and day rows with all indexes and out-of-line storage; the folder of VictoriaMetrics after a merge. Marks of late samples
 * are removed first, because a week that is sent in a minute is late as a whole. Cold reads are not measured.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { encodeId } from '../../backend/src/platform/ids.ts'
import type { SampleColumns } from '../../shared/src/metrics/block/index.ts'
import { type BenchBackend, compact, registerServers, signIn, startBackend } from '../lib/backend.ts'
import { cut, lifeColumns, toBody } from '../samples/host-samples.ts'
import { startVictoria } from '../lib/peers.ts'
import { median } from '../lib/processes.ts'
import { printFigures } from '../lib/result.ts'
import { toRemoteWrite } from '../samples/remote-write.ts'

const { values } = parseArgs({
  options: {
    servers: { type: 'string', default: '20' },
    days: { type: 'string', default: '7' },
    rounds: { type: 'string', default: '40' },
    page: { type: 'string', default: '1000' },
  },
})
const [servers, days, rounds, page] = [values.servers, values.days, values.rounds, values.page].map(Number) as [
  number,
  number,
  number,
  number,
]
const HOUR = 3_600_000
const STEP = 10_000
const AT_ONCE = 50
const agent = new Agent({ keepAlive: true })

interface Call {
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string | Buffer
}

/** Reads the answer to its end; throws when it is no success. */
function call(url: string, { method = 'GET', headers = {}, body }: Call = {}): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const sent = request(url, { method, headers, agent }, (answer) => {
    const chunks: Buffer[] = []
    answer.on('data', (chunk: Buffer) => void chunks.push(chunk))
    answer.once('error', reject)
    answer.once('end', () => {
      const text = Buffer.concat(chunks).toString('latin1')
      if ((answer.statusCode ?? 500) < 300) resolve(text)
      else reject(new Error(`${method} ${url}: ${answer.statusCode} ${text.slice(0, 300)}`))
    })
  })
  sent.once('error', reject)
  sent.end(body)
  return promise
}

async function push(backend: BenchBackend, token: string, columns: SampleColumns): Promise<void> {
  const body = JSON.stringify({ batches: [toBody(columns)] })
  const headers = { 'content-type': 'application/json', 'x-api-key': token }
  const answer = await call(`${backend.url}/v1/agent/metrics`, { method: 'POST', headers, body })
  if (!answer.includes(`"accepted":${columns.atMs.length},`)) throw new Error(answer.slice(0, 300))
}

/** Where the samples are cut into pushes: at each hour, and in the last two hours after every six. */
function cuts({ atMs }: SampleColumns, endMs: number): [from: number, to: number][] {
  const found: [number, number][] = []
  for (let from = 0; from < atMs.length; ) {
    const at = atMs[from] as number
    const whole = (Math.floor(at / HOUR) + 1) * HOUR
    const untilMs = at < endMs - 2 * HOUR ? whole : Math.min(whole, at + 6 * STEP - 5_000)
    let to = from + 1
    while (to < atMs.length && (atMs[to] as number) < untilMs) to += 1
    found.push([from, to])
    from = to
  }
  return found
}

async function restBytes({ database }: BenchBackend): Promise<number> {
  const { rows } = await database.query<{ bytes: string }>(
    `select sum(pg_total_relation_size(relid)) as bytes
     from (select relid from pg_partition_tree('metric_hour') where isleaf union select relid from pg_partition_tree('metric_day') where isleaf) as all_leaves`,
  )
  return Number(rows[0]?.bytes)
}

interface Medians {
  ms: number
  victoriaMs: number | undefined
}

type Query = (index: number) => Promise<unknown>

/** Runs both queries in turns; the first rounds do not count. */
async function inTurns(ours: Query, theirs?: Query): Promise<Medians> {
  const times: { ours: number[]; theirs: number[] } = { ours: [], theirs: [] }
  const take = async (list: number[], query: Query, index: number) => {
    const start = performance.now()
    await query(index)
    if (index >= WARM_UP) list.push(performance.now() - start)
  }
  for (let index = 0; index < rounds + WARM_UP; index += 1) {
    await take(times.ours, ours, index)
    if (theirs) await take(times.theirs, theirs, index)
  }
  return { ms: median(times.ours), victoriaMs: theirs ? median(times.theirs) : undefined }
}
/** Backends run for weeks, so both sides are measured with compiled code. */
const WARM_UP = 300

const folder = mkdtempSync(join(tmpdir(), 'vedette-reads-'))
const backend = await startBackend('serve')
const victoria = await startVictoria(folder)
try {
  const startedAt = performance.now()
  const tokens = await registerServers(backend, Math.max(page, servers))
  const endMs = Date.now()
  const startMs = endMs - days * 24 * HOUR
  const remoteWrite = (body: Buffer) =>
    call(`http://127.0.0.1:${victoria?.port}/api/v1/write`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' },
      body,
    })
  let points = 0
  const load = async (host: number, columns: SampleColumns) => {
    for (const [from, to] of cuts(columns, endMs)) {
      const part = cut(columns, from, to)
      await Promise.all([
        push(backend, tokens[host] as string, part),
        victoria && remoteWrite(toRemoteWrite(`bench-${host}`, part)),
      ])
    }
    points += columns.values.length
  }
  // Two at once: one is made and encoded while the other is stored.
  for (let host = 0; host < servers; host += 2) {
    const hosts = [host, host + 1].filter((number) => number < servers)
    await Promise.all(hosts.map((number) => load(number, lifeColumns(number, startMs, (days * 24 * HOUR) / STEP))))
  }
  const weekPoints = points
  for (let first = servers; first < page; first += AT_ONCE) {
    const hosts = Array.from({ length: Math.min(AT_ONCE, page - first) }, (_, index) => first + index)
    await Promise.all(hosts.map((host) => load(host, lifeColumns(host, endMs - 6 * STEP, 6))))
  }
  await backend.database.query('delete from metric_late')
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
  const bytesAtRest = (await restBytes(backend)) / weekPoints
  const victoriaBytes =
    victoria &&
    Number(
      execFileSync('du', ['-sb', join(folder, 'victoria')])
        .toString()
        .split('\t')[0],
    ) / points
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
        goal: { atMost: 1.05 },
        ...(victoriaBytes !== undefined && { peer: { name: 'VictoriaMetrics', value: victoriaBytes, goal: { atMost: 1 } } }),
      },
    ],
    { points, servers, days, rounds, loadSeconds: Math.round(loadSeconds) },
  )
} finally {
  agent.destroy()
  await victoria?.stop()
  await backend.stop()
  rmSync(folder, { recursive: true, force: true })
}
