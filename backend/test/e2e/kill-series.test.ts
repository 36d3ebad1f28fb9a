import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { roundsOf } from '../../../scripts/test-rounds.ts'
import { compactSeries, decodeChunk } from '../../src/hosts/series/index.ts'
import { writeRequest } from '../write-request.ts'
import { createPool } from '../../src/platform/db/index.ts'
import { findRunningUrl } from '../../src/platform/db/postgres/index.ts'
import { silentLog } from '../../src/platform/logging/log.ts'
import { systemClock } from '../../src/platform/time/clock.ts'
import { ADMIN, call, isAlive, makeWorkbench, pidOf, type Program, type RunningVedette, signIn, until } from './workbench.ts'

const DAY_MS = 86_400_000
/** Of each kind of kill. */
const ROUNDS = roundsOf(100)
const SENDERS = 4
const SERIES = 6
/** Instants of one request: where many rounds are wanted, as many as make ten million samples in a hundred of each kind. */
const [INSTANTS, STEP_MS] = ROUNDS > 10 ? [250, 50] : [4, 2_000]
/** One request in so many is an earlier one, sent again. */
const REPEATED = 10
const [LEAST_MS, MOST_MS] = [200, 1_500]

const bench = makeWorkbench()
const dataDir = join(bench.makeFolder(), 'data')
const environment = { ...ADMIN, VEDETTE_LOCAL_AGENT: 'off', VEDETTE_RATE_LIMITS: 'off' }

let vedette: RunningVedette
let key: string
let compaction: Program
/** A lost database may end it. */
const stopCompaction = async () => {
  if (isAlive(compaction.pid)) process.kill(compaction.pid, 'SIGKILL')
  await compaction.ended
}
const startCompaction = () =>
  void (compaction = bench.run([process.execPath, join(import.meta.dirname, 'compact-series.ts'), dataDir]))

/**
 * What was sent of each series: at each step from the start the number of steps before it, so many. All of it is acknowledged once the
 * senders have ended.
 */
const sent = new Map<string, { startMs: number; count: number }>()
const counts = { requests: 0, failures: 0, kills: 0 }
const statuses = new Set<number>()
const ending = { isOn: false }
let senders: Promise<void>[] = []

beforeAll(async () => {
  vedette = await bench.start({ dataDir, environment, byLauncher: true })
  const owner = await signIn(vedette.url)
  key = (await call(vedette.url, 'POST', '/v1/api-keys', owner, { name: 'senders', scopes: ['ingest'] })).body.key
  startCompaction()
  senders = Array.from({ length: SENDERS }, (_, index) => sendWithoutPause(index))
  await until(() => counts.requests > SENDERS && compaction.output().includes('compacted'), 60_000)
})
afterAll(async () => {
  ending.isOn = true
  await bench.cleanUp()
})

/** Requests of sequential values, one after the other, each until it is acknowledged. The first ones cross a midnight. */
async function sendWithoutPause(sender: number): Promise<void> {
  const startMs = Math.floor(Date.now() / DAY_MS) * DAY_MS - (1 + (sender % 3)) * DAY_MS - 20 * INSTANTS * STEP_MS
  let first = Buffer.alloc(0)
  for (let request = 0; !ending.isOn; request++) {
    const values = Array.from({ length: INSTANTS }, (_, index) => request * INSTANTS + index)
    const series = Array.from({ length: SERIES }, (_, index) => ({
      // Senders share the targets, of which each request has two.
      labels: { __name__: 'kept_total', job: 'kills', instance: `target-${index % 2}`, series: `${sender}-${index}` },
      samples: values.map((value) => [startMs + value * STEP_MS, value] as const),
    }))
    const body = writeRequest(series)
    if (request === 0) first = body
    for (const { labels } of series) sent.set(labels.series, { startMs, count: (request + 1) * INSTANTS })
    await untilAcknowledged(body)
    if (request % REPEATED === REPEATED - 1) await untilAcknowledged(first)
  }
}

async function untilAcknowledged(body: Buffer): Promise<void> {
  const headers = {
    'content-type': 'application/x-protobuf',
    'content-encoding': 'snappy',
    'x-prometheus-remote-write-version': '0.1.0',
    'x-api-key': key,
  }
  for (;;) {
    const status = await fetch(`${vedette.url}/v1/prometheus/api/v1/write`, { method: 'POST', headers, body }).then(
      (answer) => answer.status,
      () => 0,
    )
    if (status === 204) break
    counts.failures += 1
    if (status !== 0) statuses.add(status)
    await pause(20)
  }
  counts.requests += 1
}

const nextRequests = async () => {
  const before = counts.requests
  await until(() => counts.requests > before + 2 * SENDERS, 60_000)
}

const KILLS = {
  backend: async () => {
    process.kill(pidOf.backend(dataDir), 'SIGKILL')
    await Promise.all([vedette.ended, stopCompaction()])
    vedette = await bench.start({ dataDir, environment, byLauncher: true })
    startCompaction()
  },
  postgres: async () => {
    const before = pidOf.postgres(dataDir)
    process.kill(before, 'SIGKILL')
    await until(() => ![before, 0].includes(pidOf.postgres(dataDir)), 60_000)
    await stopCompaction()
    startCompaction()
  },
}

test.each(Object.keys(KILLS) as (keyof typeof KILLS)[])(
  'senders go on after a killed %s, and drop nothing of what they sent',
  { timeout: ROUNDS * 60_000 + 120_000 },
  async (killed) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await pause(randomInt(LEAST_MS, MOST_MS))
      await KILLS[killed]()
      counts.kills += 1
      await nextRequests()
    }
    expect([...statuses].filter((status) => status !== 503)).toEqual([])
  },
)

type Samples = readonly (readonly [atMs: number, value: number])[]

/** Takes the samples of each series in their order, and requires that each was sent and comes once. */
function createReader() {
  const counts = new Map<string, number>()
  return {
    counts,
    take(series: string, samples: Samples): void {
      const { startMs } = sent.get(series) as { startMs: number }
      let count = counts.get(series) ?? 0
      for (const [at, value] of samples) {
        // A million comparisons by `expect` take minutes.
        if (value !== count || at !== startMs + count * STEP_MS)
          throw new Error(`${series}: ${value} at ${at} is read in place of ${count} at ${startMs + count * STEP_MS}`)
        count += 1
      }
      counts.set(series, count)
    },
  }
}

const countsOf = (): Map<string, number> => new Map([...sent].map(([series, { count }]) => [series, count]))

/** Of one read: a response is bounded. */
const READ_SAMPLES = 50_000

/** How many samples of each series PromQL reads. */
async function readAll(): Promise<Map<string, number>> {
  const owner = await signIn(vedette.url)
  const reader = createReader()
  const rangeMs = READ_SAMPLES * STEP_MS
  for (const [series, { startMs, count }] of sent)
    for (let endMs = startMs + rangeMs - 1; endMs < startMs + count * STEP_MS + rangeMs; endMs += rangeMs) {
      // From the first instant on, without the one that is the range before its end.
      const query = `kept_total{series="${series}"}[${rangeMs}ms]`
      const search = new URLSearchParams({ query, time: String(endMs / 1_000) }).toString()
      const { status, body } = await call(vedette.url, 'GET', `/v1/prometheus/api/v1/query?${search}`, owner)
      expect([status, body.error]).toEqual([200, undefined])
      const found = body.data.result as { values: [number, string][] }[]
      for (const { values } of found)
        reader.take(
          series,
          values.map(([at, value]) => [Math.round(at * 1_000), Number(value)]),
        )
    }
  return reader.counts
}

/** The same of the rows of days, and how many rows are no such ones. */
async function readStored(client: pg.Client) {
  const others = await client.query<{ rows: number }>(
    'select ((select count(*) from series_push) + (select count(*) from series_chunk where not is_merged))::int as rows',
  )
  const { rows } = await client.query<{ series: string; data: Buffer }>(
    `select labels ->> 'series' as series, data from series_chunk join received_series on number = series
     where name = 'kept_total' order by t_first`,
  )
  const reader = createReader()
  for (const { series, data } of rows) {
    const { atMs, values } = decodeChunk(data)
    reader.take(
      series,
      [...atMs].map((at, index) => [at, values[index] as number]),
    )
  }
  return { found: reader.counts, others: others.rows[0]?.rows }
}

test('every acknowledged sample is read exactly once, with its value', { timeout: 180_000 + ROUNDS * 10_000 }, async () => {
  ending.isOn = true
  await Promise.all(senders)
  const expected = countsOf()
  // Some as they were pushed, some by hour, some by day.
  expect(await readAll()).toEqual(expected)
  await stopCompaction()
  const url = (await findRunningUrl(dataDir)) as string
  const pool = createPool({ url, clock: systemClock, log: silentLog, max: 2 })
  // All days have ended then.
  await compactSeries(pool.db, { ...systemClock, now: () => Date.now() + 2 * DAY_MS })
  await pool.end()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { found, others } = await readStored(client)
  await client.end()
  expect(others).toBe(0)
  expect(found).toEqual(expected)
  expect(await readAll()).toEqual(expected)
  const samples = [...expected.values()].reduce((sum, count) => sum + count, 0)
  console.info(
    `figure: ${samples} samples of ${counts.requests} requests acknowledged, ${counts.kills} kills, ${counts.failures} requests cut or refused`,
  )
})
