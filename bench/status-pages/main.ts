/**
 * Status pages: answers from the copy, and what it costs to write the copy again.
 *
 *   npm run bench -- status-pages [--monitors 100] [--seconds 8] [--rounds 3] [--connections 32]
 *
 * `vedette serve` runs as the launcher starts it, on an embedded Postgres of its own, with --monitors monitors of 90 days on one
 * page that shows all it can. Debian's wrk requests the page with Brotli, in turns from a bare Node server that sends the same bytes.
 * The page is then read, rendered and compressed again in this process, on the same Postgres.
 *
 * Goals: 3,000 requests a second of a core, p99 of 20 ms, a page of at most 40 kB, 5 ms of CPU to write it again.
 */
import { execFile } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { createPool } from '../../backend/src/platform/db/index.ts'
import { findRunningUrl } from '../../backend/src/platform/db/postgres/index.ts'
import { encodeId } from '../../backend/src/platform/ids.ts'
import { silentLog } from '../../backend/src/platform/logging/log.ts'
import { systemClock } from '../../backend/src/platform/time/clock.ts'
import { toView } from '../../backend/src/pages/status-pages/copies/views.ts'
import type { PageFigures } from '../../backend/src/pages/status-pages/reading/figures.ts'
import { readPage } from '../../backend/src/pages/status-pages/reading/read.ts'
import { renderPage } from '../../backend/src/pages/status-pages/render/html.ts'
import { NOTHING, seedGrowth } from '../growth/seed.ts'
import { post, signIn, startBackend } from '../lib/backend.ts'
import { startChild } from '../lib/child.ts'
import { isInstalled } from '../lib/peers.ts'
import { cpuOf, cpuOfTree, median } from '../lib/processes.ts'
import { printFigures } from '../lib/result.ts'

const { values } = parseArgs({
  options: {
    monitors: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '32' },
  },
})
const run = promisify(execFile)
/** Times that the copy is written again. */
const REWRITES = 50

const backend = await startBackend('serve', [], { VEDETTE_LOCAL_AGENT: 'off' })
const databaseUrl = (await findRunningUrl(backend.dataDir)) as string
const file = join(tmpdir(), `vedette-page-${process.pid}`)
try {
  await seedGrowth(backend.database, databaseUrl, NOTHING, { ...NOTHING, monitors: Number(values.monitors), days: 90 })
  // One day in ten has failed checks; the seed has some on each day.
  await backend.database.query("update check_day set failed = 0 where (monitor + (day - date '1970-01-01')) % 10 > 0")
  const { path, bytes } = await makePage()
  writeFileSync(file, bytes)
  const rewriting = await rewrite()
  const serving = isInstalled('wrk') ? await serve(path) : undefined
  printFigures(
    [
      serving && {
        name: 'CPU of a page from the copy',
        value: serving.us,
        unit: 'µs',
        goal: { atMost: 333 },
        peer: { name: 'a bare Node server with the same bytes', value: serving.bareUs },
      },
      serving && { name: 'pages a second', value: serving.perSecond, unit: '', goal: { atLeast: 3_000 } },
      serving && { name: 'time of a page under this load, p99', value: serving.p99Ms, unit: 'ms', goal: { atMost: 20 } },
      { name: `page of ${values.monitors} monitors, compressed`, value: bytes.length / 1000, unit: 'kB', goal: { atMost: 40 } },
      { name: 'CPU to write the copy again, without Postgres', value: rewriting.usual.ms, unit: 'ms', goal: { atMost: 5 } },
      { name: 'the same with the figures of the past, once a minute', value: rewriting.whole.ms, unit: 'ms' },
    ],
    { ...values, ...rewriting },
  )
} finally {
  rmSync(file, { force: true })
  await backend.stop()
}

async function makePage(): Promise<{ path: string; bytes: Buffer }> {
  const authorization = `Bearer ${await signIn(backend.url)}`
  const { rows } = await backend.database.query('select id from monitor order by number limit $1', [values.monitors])
  const monitors = rows.map(({ id }) => encodeId('monitor', id as string))
  const section = { name: 'Services', monitors, show: ['uptime', 'response', 'regions'] }
  const body = { name: 'bench', slug: 'bench', title: 'Bench status', published: true, sections: [section] }
  await post(`${backend.url}/v1/status-pages`, { authorization }, body)
  const path = '/status/bench'
  for (;;) {
    const answer = await fetch(backend.url + path, { headers: { 'accept-encoding': 'br' } })
    if (answer.ok) return { path, bytes: await readRaw(path) }
  }
}

/** As it is sent: `fetch` decompresses. */
async function readRaw(path: string): Promise<Buffer> {
  const { stdout } = await run('curl', ['-s', '-H', 'Accept-Encoding: br', backend.url + path], { encoding: 'buffer' })
  return stdout
}

async function serve(path: string) {
  const bare = await startChild({ args: ['bench/status-pages/bare.ts', file] })
  const load = async (url: string, pid: number) => {
    const before = cpuOf(pid)
    const flags = ['-t1', `-c${values.connections}`, `-d${values.seconds}s`, '--latency', '-H', 'Accept-Encoding: br', url]
    const { stdout } = await run('wrk', flags)
    const requests = Number(/(\d+) requests in/.exec(stdout)?.[1])
    if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(stdout)
    const [, p99 = '', unit = ''] = /99%\s+([\d.]+)(us|ms|s)/.exec(stdout) ?? []
    const scale = { us: 0.001, ms: 1, s: 1_000 }[unit] as number
    return {
      us: ((cpuOf(pid) - before) / requests) * 1e6,
      perSecond: requests / Number(values.seconds),
      p99Ms: Number(p99) * scale,
    }
  }
  try {
    const rounds: { ours: Awaited<ReturnType<typeof load>>; bare: Awaited<ReturnType<typeof load>> }[] = []
    for (let round = 0; round <= Number(values.rounds); round += 1)
      rounds.push({
        ours: await load(backend.url + path, backend.backendPid),
        bare: await load(`http://127.0.0.1:${bare.ready}/`, bare.pid),
      })
    // The first round warms both up.
    const counted = rounds.slice(1)
    return {
      us: median(counted.map(({ ours }) => ours.us)),
      perSecond: median(counted.map(({ ours }) => ours.perSecond)),
      p99Ms: median(counted.map(({ ours }) => ours.p99Ms)),
      bareUs: median(counted.map((round) => round.bare.us)),
    }
  } finally {
    await bare.stop()
  }
}

async function rewrite() {
  const pool = createPool({ url: databaseUrl, clock: systemClock, log: silentLog })
  const { rows } = await backend.database.query('select organization, id from status_page')
  const { organization, id } = rows[0] as { organization: number; id: string }
  const context = { base: '', url: '', query: '', isBehind: false, takesSubscribers: true }
  let figures: PageFigures | undefined
  const once = async (withFigures: boolean) => {
    const begin = process.cpuUsage()
    const read = await readPage(pool.db, organization, id, Date.now(), figures)
    const readAt = process.cpuUsage(begin)
    if (!read) throw new Error('there is no page')
    figures = withFigures ? undefined : read.figures
    const rendered = renderPage(read.model, context)
    const renderedAt = process.cpuUsage(begin)
    toView(rendered).bytes('br')
    const end = process.cpuUsage(begin)
    const msOf = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000
    return { readMs: msOf(readAt), renderMs: msOf(renderedAt) - msOf(readAt), compressMs: msOf(end) - msOf(renderedAt) }
  }
  const times = async (withFigures: boolean) => {
    // The first ones warm the code up.
    for (let count = 0; count < REWRITES; count += 1) await once(withFigures)
    const postgres = cpuOfTree(backend.postgresPid)
    const all: Awaited<ReturnType<typeof once>>[] = []
    for (let count = 0; count < REWRITES; count += 1) all.push(await once(withFigures))
    const parts = {
      readMs: median(all.map((one) => one.readMs)),
      renderMs: median(all.map((one) => one.renderMs)),
      compressMs: median(all.map((one) => one.compressMs)),
      postgresMs: ((cpuOfTree(backend.postgresPid) - postgres) / REWRITES) * 1000,
    }
    return { ...parts, ms: parts.readMs + parts.renderMs + parts.compressMs }
  }
  const [whole, usual] = [await times(true), await times(false)]
  await pool.end()
  return { whole, usual }
}
