/**
 * What one durable push over HTTP costs, backend and Postgres together, beside a Fastify that says hello: one JSON line.
 *
 *   npm run bench:push -- [--rounds 12] [--seconds 2] [--connections 64] [--profile FOLDER]
 *
 * Three processes: `vedette serve` on an embedded Postgres of its own (fsync on, no rate limits), the hello of `hello.ts`, and
 * the clients of `load.ts`, which drive both in turn at the same concurrency. A push is what our agent sends: six samples of
 * all fields by columns, of the minute that just ended, with the first instant of no other push. Beside it stand, as `others`, the
 * same by rows, and by columns of days ago, as an agent sends them after an outage.
 *
 * CPU time of whole processes counts (/proc), never the clock: `ratio` is the median over the rounds of
 * (backend + Postgres per push) / (hello per request) and must be ≤ 7. Postgres is its first process and all of its children,
 * those that ended included. `ratioWithCheckpoint` counts also what Postgres did between the rounds, and a checkpoint at the end.
 * Throughput and latency are told, not judged: clients and servers share the machine.
 */
import { parseArgs } from 'node:util'
import { ALL_FIELDS } from '../shared/src/index.ts'
import { type BenchBackend, registerServers, startBackend } from './backend.ts'
import { type Child, startChild } from './child.ts'
import { order } from './driving.ts'
import type { Order, Result } from './load.ts'
import { cpuOf, cpuOfTree, median, memoryOf, round, round2 } from './processes.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '12' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '64' },
    profile: { type: 'string' },
  },
})
const rounds = Number(values.rounds)
const seconds = Number(values.seconds)
const connections = Number(values.connections)

interface Measured {
  result: Result
  /** µs of CPU per request. */
  us: number
  postgresUs: number
}

async function measure(load: Child, what: Order, pid: number, postgresPid?: number): Promise<Measured> {
  const cpu = () => ({ own: cpuOf(pid), postgres: postgresPid === undefined ? 0 : cpuOfTree(postgresPid) })
  const before = cpu()
  const result = await order(load, what)
  const after = cpu()
  const perRequest = (cpuSeconds: number) => (cpuSeconds / result.requests) * 1e6
  return { result, us: perRequest(after.own - before.own), postgresUs: perRequest(after.postgres - before.postgres) }
}

async function walBytes({ database }: BenchBackend): Promise<number> {
  const { rows } = await database.query<{ bytes: string }>("select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes")
  return Number(rows[0]?.bytes)
}

/** Rows and bytes of all partitions with their indexes. */
async function storedSize({ database }: BenchBackend): Promise<{ rows: number; heap: number; indexes: number }> {
  const { rows } = await database.query<{ rows: string; heap: string; indexes: string }>(
    `select (select count(*) from metric_push) as rows, sum(pg_table_size(relid)) as heap, sum(pg_indexes_size(relid)) as indexes
     from pg_partition_tree('metric_push') where isleaf`,
  )
  const [row] = rows
  return { rows: Number(row?.rows), heap: Number(row?.heap), indexes: Number(row?.indexes) }
}

/** How often the statement of the pushes ran: a flush is one statement. */
async function flushCount({ database }: BenchBackend): Promise<number> {
  const { rows } = await database.query<{ calls: string }>(
    "select sum(calls) as calls from pg_stat_statements where query like '%insert into metric_push%' and query not like '%pg_stat%'",
  )
  return Number(rows[0]?.calls)
}

/** µs of CPU of a push of another form, backend and Postgres. */
async function formUs(load: Child, what: Order, pid: number, postgresPid: number): Promise<{ us: number; bodyBytes: number }> {
  await order(load, what)
  const measured: Measured[] = []
  for (let index = 0; index < 3; index += 1) measured.push(await measure(load, what, pid, postgresPid))
  const us = round(median(measured.map((one) => one.us + one.postgresUs)))
  return { us, bodyBytes: measured[0]?.result.bodyBytes ?? 0 }
}

const flags = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`]
const backend = await startBackend('serve', flags)
const hello = await startChild({ args: ['bench/hello.ts'] })
const load = await startChild({ args: ['bench/load.ts'] })
try {
  const tokens = await registerServers(backend, connections)
  const helloOrder: Order = { port: Number(hello.ready), seconds, connections }
  const pushOrder: Order = { port: Number(new URL(backend.url).port), seconds, connections, tokens }
  // Until V8 has compiled what is hot on both sides, and every host's boot is known.
  await order(load, { ...helloOrder, seconds: 2 })
  await order(load, { ...pushOrder, seconds: 5 })

  const rssBefore = memoryOf([backend.backendPid]).rss
  const postgresBefore = cpuOfTree(backend.postgresPid)
  const backendBefore = cpuOf(backend.backendPid)
  const walBefore = await walBytes(backend)
  const flushesBefore = await flushCount(backend)
  const sizeBefore = await storedSize(backend)
  const measured: { hello: Measured; push: Measured }[] = []
  for (let index = 0; index < rounds; index += 1) {
    const helloRound = await measure(load, helloOrder, hello.pid)
    const pushRound = await measure(load, pushOrder, backend.backendPid, backend.postgresPid)
    measured.push({ hello: helloRound, push: pushRound })
  }
  const walAfter = await walBytes(backend)
  await backend.database.query('checkpoint')
  const pushes = measured.reduce((sum, { push }) => sum + push.result.requests, 0)
  const postgresAllUs = ((cpuOfTree(backend.postgresPid) - postgresBefore) / pushes) * 1e6
  const backendAllUs = ((cpuOf(backend.backendPid) - backendBefore) / pushes) * 1e6
  const flushes = (await flushCount(backend)) - flushesBefore
  const size = await storedSize(backend)
  const rows = size.rows - sizeBefore.rows
  const formOf = (form: Pick<Order, 'rows' | 'late'>) =>
    formUs(load, { ...pushOrder, ...form }, backend.backendPid, backend.postgresPid)
  const others = { rows: await formOf({ rows: true }), late: await formOf({ late: true }) }
  const points = pushes * 6 * ALL_FIELDS.length
  const ratios = measured.map(({ hello, push }) => (push.us + push.postgresUs) / hello.us)
  const over = (pick: (round: (typeof measured)[number]) => number) => median(measured.map(pick))
  console.log(
    JSON.stringify({
      ratio: round2(median(ratios)),
      ratios: ratios.map(round2),
      ratioWithCheckpoint: round2((backendAllUs + postgresAllUs) / over(({ hello }) => hello.us)),
      helloUs: round(over(({ hello }) => hello.us)),
      backendUs: round(over(({ push }) => push.us)),
      postgresUs: round(over(({ push }) => push.postgresUs)),
      postgresUsWithCheckpoint: round(postgresAllUs),
      pushesPerSecond: Math.round(over(({ push }) => push.result.requests / push.result.seconds)),
      p50Ms: round(over(({ push }) => push.result.p50Ms)),
      p99Ms: round(over(({ push }) => push.result.p99Ms)),
      bodyBytes: measured[0]?.push.result.bodyBytes,
      pushesPerFlush: round(pushes / flushes),
      rowsPerPush: round2(rows / pushes),
      walBytesPerPush: Math.round((walAfter - walBefore) / pushes),
      walBytesPerPoint: round2((walAfter - walBefore) / points),
      heapBytesPerPoint: round2((size.heap - sizeBefore.heap) / points),
      indexBytesPerPoint: round2((size.indexes - sizeBefore.indexes) / points),
      backendRssMb: [rssBefore, memoryOf([backend.backendPid]).rss],
      connections,
      pushes,
      others,
    }),
  )
} finally {
  await load.stop()
  await hello.stop()
  await backend.stop()
}
