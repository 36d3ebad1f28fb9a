/**
 * Containers of a host: what they take at rest, and what reads of them cost.
 *
 *   npm run bench -- entities [--containers 100] [--hours 24] [--short 10000] [--rounds 20]
 *
 * `vedette serve` runs as the launcher starts it. A host pushes --containers containers each minute of --hours past hours, with figures
 * that wander as real ones do, which are then compacted. Two fifths of the containers are idle. The same reads are measured again after
 * --short containers that lived a minute each.
 *
 * Goals: 1.2 bytes a point with names, indexes and all; reads at most twice as dear after the short-lived ones.
 */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { compactEntities, ENTITY_CHUNKS } from '../../backend/src/hosts/entities/index.ts'
import { createPool, keepTables, withLongStatements } from '../../backend/src/platform/db/index.ts'
import { findRunningUrl } from '../../backend/src/platform/db/postgres/index.ts'
import { silentLog } from '../../backend/src/platform/logging/log.ts'
import { systemClock } from '../../backend/src/platform/time/clock.ts'
import { post, readWhenThere, register, signIn, startBackend } from '../lib/backend.ts'
import { median } from '../lib/processes.ts'
import { printFigures } from '../lib/result.ts'

const { values } = parseArgs({
  options: {
    containers: { type: 'string', default: '100' },
    hours: { type: 'string', default: '24' },
    short: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '20' },
  },
})
const [containers, hours, short, rounds] = [values.containers, values.hours, values.short, values.rounds].map(Number) as [
  number,
  number,
  number,
  number,
]
const [MINUTE_MS, DAY_MS] = [60_000, 86_400_000]
/** Of a push with short-lived containers. */
const SHORT_AT_ONCE = 500
/** Points of one reading of a container. */
const FIELDS = 11

/** The same numbers in each run (mulberry32). */
let state = 20_261_125
function random(): number {
  state = (state + 0x6d2b79f5) | 0
  let value = Math.imul(state ^ (state >>> 15), 1 | state)
  value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
  return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32
}

/** Whole days that have ended. */
const startMs = (Math.floor(Date.now() / DAY_MS) - Math.ceil(hours / 24)) * DAY_MS
const endMs = startMs + hours * 60 * MINUTE_MS

const hosts = Array.from({ length: containers }, (_, index) => ({
  name: `project-${index % 12}/service-${index}`,
  isIdle: index % 5 < 2,
  cpu: 5 * random(),
  memory: Math.floor(2e8 * (0.1 + random())),
}))

function entitiesAt(isFirst: boolean): object[] {
  return hosts.map((host, index) => {
    host.cpu = host.isIdle ? 0.02 + 0.02 * random() : Math.min(90, Math.max(0.1, host.cpu * (0.8 + 0.4 * random())))
    host.memory = host.isIdle ? host.memory : Math.max(4_096, host.memory + 4_096 * Math.floor(400 * (random() - 0.5)))
    const rate = (of: number) => (host.isIdle ? 0 : Math.round(of * random() * 1_000) / 1_000)
    return {
      kind: 'container',
      name: host.name,
      ...(isFirst && { attributes: { engine: 'docker', image: `registry.example.com/shop:${index}`, state: 'running' } }),
      values: {
        cpu_percent: Math.round(host.cpu * 100) / 100,
        memory_bytes: host.memory,
        memory_percent: Math.round((host.memory / 8e9) * 10_000) / 100,
        network_rx_bytes_per_sec: rate(50_000),
        network_tx_bytes_per_sec: rate(80_000),
        read_bytes_per_sec: rate(2_000),
        write_bytes_per_sec: rate(9_000),
        running: 1,
        restarts: 0,
        deaths: 0,
        oom_kills: 0,
      },
    }
  })
}

const backend = await startBackend('serve', [], { VEDETTE_LOCAL_AGENT: 'off' })
const databaseUrl = (await findRunningUrl(backend.dataDir)) as string
const pool = createPool({ url: databaseUrl, clock: systemClock, log: silentLog })
try {
  await keepTables(pool.db, silentLog, [{ ...ENTITY_CHUNKS, retentionMs: Number.POSITIVE_INFINITY }], Date.now())
  const key = (await readWhenThere(join(backend.dataDir, 'bench.key'))).trim()
  const { server_id: server, token } = await register(backend.url, key, 'docker-1')
  const authorization = `Bearer ${await signIn(backend.url)}`
  for (let minute = 0; minute < hours * 60; minute++) await push(token, startMs + minute * MINUTE_MS, entitiesAt(minute === 0))
  await push(token, endMs, entitiesAt(false))
  const compactMs = await compactAll()
  const bytes = await sizeOf()
  const points = containers * FIELDS * hours * 60
  const before = await measure(server, authorization)
  for (let made = 0; made < short; made += SHORT_AT_ONCE) {
    const entities = Array.from({ length: Math.min(SHORT_AT_ONCE, short - made) }, (_, index) => ({
      kind: 'container',
      name: `ci-${made + index}`,
      attributes: { image: 'builder:1', state: 'running' },
      values: { cpu_percent: 50, memory_bytes: 1e8, running: 1 },
    }))
    await push(token, startMs + 30_000 + (made / SHORT_AT_ONCE) * MINUTE_MS, entities)
  }
  await compactAll()
  const after = await measure(server, authorization)
  printFigures(
    [
      { name: 'bytes a point', value: bytes / points, unit: 'B', goal: { atMost: 1.2 } },
      { name: 'compaction of a reading of a container', value: (1_000 * compactMs) / (containers * hours * 60), unit: 'µs' },
      { name: `list of ${containers} containers`, value: before.list, unit: 'ms' },
      { name: `one container over ${hours} h, 200 points`, value: before.history, unit: 'ms' },
      {
        name: `list after ${short} short-lived ones, to before`,
        value: after.list / before.list,
        unit: '×',
        goal: { atMost: 2 },
      },
      {
        name: `one container after ${short} short-lived ones, to before`,
        value: after.history / before.history,
        unit: '×',
        goal: { atMost: 2 },
      },
    ],
    { ...values, bytes, points, before, after },
  )
} finally {
  await pool.end()
  await backend.stop()
}

/** As the job does when two days have passed; ms of CPU. */
async function compactAll(): Promise<number> {
  const now = () => endMs + 2 * DAY_MS
  const { user, system } = process.cpuUsage()
  await withLongStatements(() => compactEntities(pool.db, { ...systemClock, now }))
  const used = process.cpuUsage({ user, system })
  return (used.user + used.system) / 1_000
}

async function push(token: string, atMs: number, entities: readonly object[]): Promise<void> {
  const at = new Date(atMs).toISOString()
  const samples = [{ at, cpu: { percent: 1 } }]
  const batch = { batch_id: randomUUID(), sent_at: at, agent_version: '1', samples, entities, entities_at: at }
  await post(`${backend.url}/v1/agent/metrics`, { 'x-api-key': token }, batch)
}

/** Of all tables of entities with their indexes, vacuumed. */
async function sizeOf(): Promise<number> {
  const { rows: chunks } = await backend.database.query<{ name: string }>(
    `select relid::text as name from pg_partition_tree('entity_chunk') where isleaf`,
  )
  // What was replaced by merged days is free for what comes.
  for (const table of ['entity_push', ...chunks.map(({ name }) => name)]) await backend.database.query(`vacuum full ${table}`)
  const { rows } = await backend.database.query<{ bytes: string }>(
    `select sum(pg_total_relation_size(c.oid)) as bytes from pg_class as c
     where relkind = 'r' and (relname in ('entity', 'entity_push', 'entity_event') or relname like 'entity_chunk%')`,
  )
  return Number(rows[0]?.bytes)
}

/** Medians of ms. */
async function measure(server: string, authorization: string): Promise<{ list: number; history: number }> {
  const read = async (path: string) => {
    const answer = await fetch(backend.url + path, { headers: { authorization } })
    const body = (await answer.json()) as { entities?: { id: string }[] }
    if (!answer.ok) throw new Error(JSON.stringify(body))
    return body
  }
  const list = `/v1/servers/${server}/entities?kind=container&limit=100`
  const { entities = [] } = await read(list)
  const range = `from=${new Date(endMs - hours * 60 * MINUTE_MS).toISOString()}&to=${new Date(endMs).toISOString()}&points=200`
  const history = `/v1/servers/${server}/entities/${entities[0]?.id}/metrics?${range}`
  const timed = async (path: string) => {
    const times: number[] = []
    for (let round = 0; round < rounds; round++) {
      const beganMs = performance.now()
      await read(path)
      times.push(performance.now() - beganMs)
    }
    return median(times)
  }
  return { list: await timed(list), history: await timed(history) }
}
