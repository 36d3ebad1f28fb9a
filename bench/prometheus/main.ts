/**
 * A scrape of all hosts by Prometheus.
 *
 *   npm run bench -- prometheus [--hosts 1000] [--rounds 12]
 *
 * `vedette serve` runs as the launcher starts it, on an embedded Postgres of its own, with --hosts hosts that push 44 fields of six
 * samples, two filesystems and an interface. CPU is that of the backend's threads, answer included, for one scrape: when nothing was
 * pushed since the last one, when a sixth of the hosts pushed (a scrape each 10 s, a push each 60 s), and when all of them did; as it
 * is, and with gzip.
 *
 * Goal: 60 ms where a sixth pushed.
 */
import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { signIn, startBackend } from '../lib/backend.ts'
import { cpuOfTree, exactCpuOf, median } from '../lib/processes.ts'
import { printFigures } from '../lib/result.ts'
import { seedHosts } from '../fleet/hosts.ts'
import { SAMPLE, STATE } from '../../backend/src/operating/prometheus/test/world.ts'

const { values } = parseArgs({
  options: { hosts: { type: 'string', default: '1000' }, rounds: { type: 'string', default: '12' } },
})
const [SAMPLES, SAMPLE_MS, AT_ONCE] = [6, 10_000, 50]

const backend = await startBackend('serve', [], { VEDETTE_LOCAL_AGENT: 'off' })
try {
  const tokens = await seedHosts(backend.database, Number(values.hosts))
  const authorization = `Bearer ${await signIn(backend.url)}`
  const scrape = async (encoding: string) => {
    const headers = { authorization, accept: 'text/plain', 'accept-encoding': encoding }
    const answer = await fetch(`${backend.url}/v1/prometheus/hosts`, { headers })
    const text = await answer.text()
    if (!answer.ok) throw new Error(text)
    return text
  }
  await push(tokens)
  const text = await scrape('identity')
  const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length

  let sixth = 0
  const prepare = {
    nothing: async () => {},
    sixth: () => {
      sixth += 1
      return push(tokens.filter((_, index) => index % SAMPLES === sixth % SAMPLES))
    },
    all: () => push(tokens),
  }
  const measure = async (before: () => Promise<void>, encoding: string) => {
    const own: number[] = []
    let postgres = 0
    // Some scrapes compile what the first ones interpret.
    for (let round = -4; round < Number(values.rounds); round += 1) {
      await before()
      const [cpu, database] = [exactCpuOf(backend.backendPid), cpuOfTree(backend.postgresPid)]
      await scrape(encoding)
      if (round < 0) continue
      own.push((exactCpuOf(backend.backendPid) - cpu) * 1_000)
      postgres += cpuOfTree(backend.postgresPid) - database
    }
    return { ms: median(own), least: Math.min(...own), postgresMs: (postgres / own.length) * 1_000 }
  }
  const usual = await measure(prepare.sixth, 'identity')
  const cached = await measure(prepare.nothing, 'identity')
  const fresh = await measure(prepare.all, 'identity')
  const gzip = await measure(prepare.sixth, 'gzip')
  printFigures(
    [
      {
        name: `scrape of ${values.hosts} hosts, a sixth of which pushed since`,
        value: usual.ms,
        unit: 'ms',
        goal: { atMost: 60 },
      },
      { name: 'the same with gzip', value: gzip.ms, unit: 'ms' },
      { name: 'nothing pushed since', value: cached.ms, unit: 'ms' },
      { name: 'all pushed since', value: fresh.ms, unit: 'ms' },
      { name: 'series of a host', value: series / Number(values.hosts), unit: '' },
      { name: 'size of a scrape', value: text.length / 1e6, unit: 'MB' },
    ],
    { ...values, usual, cached, fresh, gzip },
  )
} finally {
  await backend.stop()
}

async function push(tokens: readonly string[]): Promise<void> {
  for (let from = 0; from < tokens.length; from += AT_ONCE)
    await Promise.all(tokens.slice(from, from + AT_ONCE).map(async (token) => pushOne(token)))
}

async function pushOne(token: string): Promise<void> {
  const nowMs = Date.now()
  const samples = Array.from({ length: SAMPLES }, (_, index) => ({
    at: new Date(nowMs - (SAMPLES - 1 - index) * SAMPLE_MS).toISOString(),
    ...SAMPLE,
    cpu: { ...SAMPLE.cpu, percent: Math.round(Math.random() * 10_000) / 100 },
    memory: { ...SAMPLE.memory, used_bytes: Math.round(Math.random() * SAMPLE.memory.total_bytes) },
  }))
  const head = { batch_id: randomUUID(), sent_at: new Date(nowMs).toISOString(), agent_version: '1' }
  const answer = await fetch(`${backend.url}/v1/agent/metrics`, {
    method: 'POST',
    headers: { 'x-api-key': token, 'content-type': 'application/json' },
    body: JSON.stringify({ ...head, samples, ...STATE }),
  })
  if (answer.status !== 202) throw new Error(await answer.text())
  await answer.arrayBuffer()
}
