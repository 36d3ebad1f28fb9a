import { chown, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { findRunningUrl, makeDataFolder } from '../index.ts'
import { processToken } from '../process-identity.ts'
import { runAs } from '../run-as.ts'
import { makeBench, query, recordLog, waitUntil } from './harness.ts'

const bench = makeBench()
let dataDir: string
beforeAll(async () => {
  dataDir = join(await bench.makeFolder(), 'data')
  await (await bench.start(dataDir)).stop()
})
// The tests follow each other on one cluster: a failed one must not fail the next.
afterEach(() => bench.stopAll())
afterAll(() => bench.cleanUp())

async function runs(pid: number): Promise<boolean> {
  return (await processToken(pid)) !== undefined
}

test('a restart keeps the data, the URL and the process is gone after the stop', async () => {
  const first = await bench.start(dataDir)
  await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer')
  await first.stop()
  expect(await runs(first.pid())).toBe(false)
  const second = await bench.start(dataDir)
  expect(second.url).toBe(first.url)
  expect(await query(second.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }])
  await second.stop()
  await second.stop()
})

test('a killed Postgres comes back by itself, at the same URL, with every acknowledged row [PUSH-02]', async () => {
  let restarts = 0
  const { log, lines } = recordLog()
  const postgres = await bench.start(dataDir, { log, onRestart: () => (restarts += 1) })
  await query(postgres.url, 'CREATE TABLE acknowledged (n integer)')
  const before = postgres.pid()
  const acknowledged = await insertUntilCut(postgres.url, () => process.kill(before, 'SIGKILL'))
  await waitUntil(async () => restarts === 1)
  expect(postgres.pid()).not.toBe(before)
  const [found] = await query(postgres.url, 'SELECT count(*)::integer AS rows FROM acknowledged WHERE n <= $1', [acknowledged])
  expect(found).toEqual({ rows: acknowledged })
  expect(lines.filter((line) => line.level === 'error').map((line) => line.message)).toContain(
    'postgres ended by itself and is started again',
  )

  // A stop while it is being started again: nothing may run after it.
  const ends = () => lines.filter(({ message }) => message === 'postgres ended by itself and is started again').length
  process.kill(postgres.pid(), 'SIGKILL')
  await waitUntil(async () => ends() === 2)
  await postgres.stop()
  expect(await findRunningUrl(dataDir)).toBeUndefined()
  expect(restarts).toBe(1)
})

/** Rows 1, 2, 3 … each in its own transaction; the number of the last one that was acknowledged. */
async function insertUntilCut(url: string, cut: () => void): Promise<number> {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  for (let n = 1; ; n += 1) {
    if (n === 200) cut()
    const isAcknowledged = await client.query('INSERT INTO acknowledged VALUES ($1)', [n]).then(
      () => true,
      () => false,
    )
    if (!isAcknowledged) return n - 1
  }
}

test('a stop is fast though clients are in the middle of something', async () => {
  const postgres = await bench.start(dataDir)
  const cut = query(postgres.url, 'SELECT pg_sleep(60)').catch((error: unknown) => String(error))
  const sleepers = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
  await waitUntil(async () => (await query(postgres.url, sleepers)).length === 1)
  const beganAt = performance.now()
  await postgres.stop()
  expect(performance.now() - beganAt).toBeLessThan(5_000)
  expect(await cut).toMatch(/terminat/)
})

test('a second supervisor is refused while the first lives; after a kill -9 its Postgres is adopted, and stopped', async () => {
  const { child, said } = await bench.startChild(dataDir)
  if ('error' in said) throw new Error(said.error)
  await query(said.url, 'CREATE TABLE of_the_orphan AS SELECT 7 AS n')
  await expect(bench.start(dataDir)).rejects.toThrow(`another Vedette (process ${child.pid}`)
  expect(await findRunningUrl(dataDir)).toBe(said.url)

  child.kill('SIGKILL')
  await waitUntil(async () => child.signalCode !== null)
  let restarts = 0
  const adopted = await bench.start(dataDir, { onRestart: () => (restarts += 1) })
  expect(adopted.pid()).toBe(said.pid)
  expect(adopted.url).toBe(said.url)
  expect(await query(adopted.url, 'SELECT n FROM of_the_orphan')).toEqual([{ n: 7 }])

  // An adopted one is supervised like one of our own.
  process.kill(said.pid, 'SIGKILL')
  await waitUntil(async () => restarts === 1)
  expect(await query(adopted.url, 'SELECT n FROM of_the_orphan')).toEqual([{ n: 7 }])
  await adopted.stop()
  expect(await runs(adopted.pid())).toBe(false)
})

test('an orphan is stopped by the stop of the one who adopted it', async () => {
  const { child, said } = await bench.startChild(dataDir)
  if ('error' in said) throw new Error(said.error)
  child.kill('SIGKILL')
  await waitUntil(async () => child.signalCode !== null)
  const adopted = await bench.start(dataDir)
  expect(adopted.pid()).toBe(said.pid)
  await adopted.stop()
  expect(await runs(said.pid)).toBe(false)
})

test('the id in an old postmaster.pid that is somebody else’s by now does not hinder', async () => {
  const stale = [process.pid, join(dataDir, 'postgres'), 1, 5432, join(dataDir, 'run'), '', '0 0', 'ready   '].join('\n')
  await writeFile(join(dataDir, 'postgres', 'postmaster.pid'), `${stale}\n`)
  const postgres = await bench.start(dataDir)
  expect(postgres.pid()).not.toBe(process.pid)
  await postgres.stop()
})

test('a start that cannot work ends with the reason, and a given up one leaves nothing', async () => {
  const overrides = join(dataDir, 'postgres', 'postgresql.auto.conf')
  await writeFile(overrides, "shared_preload_libraries = 'missing_library'\n")
  const { log, lines } = recordLog()
  const patience = new AbortController()
  const reason = bench.start(dataDir, { log, signal: patience.signal }).then(() => 'it started', String)
  await waitUntil(async () => lines.some((line) => line.message === 'postgres did not start and is tried again'))
  patience.abort()
  expect(await reason).toMatch(/missing_library/)
  await writeFile(overrides, '')
  await expect(bench.start(dataDir, { signal: AbortSignal.abort() })).rejects.toThrow('given up')
  await (await bench.start(dataDir)).stop()
})

test('where no socket fits, loopback serves', async () => {
  const deep = join(await bench.makeFolder(), 'd'.repeat(90))
  const postgres = await bench.start(deep)
  expect(new URL(postgres.url).hostname).toBe('127.0.0.1')
  expect(await query(postgres.url, 'SELECT current_user AS who')).toEqual([{ who: 'vedette' }])
  await postgres.stop()
})

// As root, the life of an ordinary user is led in a child, where that user can read this checkout.
const other = process.getuid?.() === 0 ? { name: 'nobody', ids: { uid: 65_534, gid: 65_534 } } : undefined
const canOtherRead = other !== undefined && (await runAs(other, process.execPath, ['--check', import.meta.filename])).isOk

test.runIf(canOtherRead)(
  'an ordinary user runs it under its own account, and gets an error for data of another user',
  async () => {
    if (!other) return
    const home = await bench.makeFolder()
    const own = join(home, 'own')
    await makeDataFolder(own)
    await chown(own, other.ids.uid, other.ids.gid)
    const { child, said } = await bench.startChild(own, other.ids)
    expect(said).toHaveProperty('url')
    child.kill('SIGTERM')
    await waitUntil(async () => child.exitCode === 0)

    const { said: refused } = await bench.startChild(dataDir, other.ids)
    expect(refused).toEqual({ error: expect.stringContaining('cannot') })
  },
)
