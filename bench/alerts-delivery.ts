/**
 * How fast and how surely incidents are told, one JSON line each:
 *
 *   npm run bench:telling -- [--only latency|flood] [--monitors 30] [--seconds 60] [--transitions 10000]
 *
 * latency  Monitors with a check each 10 s go down one after the other. From the answer that turns a monitor down (confirmations 1)
 *          to the request at a webhook on this machine. Goal: `maxMs` ≤ 1,000.
 * flood    So many changes of status in so many seconds, evenly: every one is told (`missing` 0), none under two ids
 *          (`underAnotherId` 0), and the memory of the backend is flat: the median of its last third is at most 20 MB above that of its
 *          second (`growthMb`).
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { accountOf, changeStatuses, makeIdleMonitors, startWebhook, tellBy, untilTold } from './alerts-world.ts'
import { type BenchBackend, startBackend } from './backend.ts'
import { cpuOf, cpuOfTree, median, memoryOf, round, round2 } from './processes.ts'
import { sleep } from './sleep.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    monitors: { type: 'string', default: '30' },
    seconds: { type: 'string', default: '60' },
    transitions: { type: 'string', default: '10000' },
  },
})
const tell = (what: object) => console.log(JSON.stringify(what))

async function withBackend(run: (backend: BenchBackend) => Promise<void>): Promise<void> {
  const backend = await startBackend('start', [], { VEDETTE_ALLOW_PRIVATE_TARGETS: 'all', VEDETTE_LOCAL_AGENT: 'off' })
  try {
    await run(backend)
  } finally {
    await backend.stop()
  }
}

async function latency(backend: BenchBackend): Promise<void> {
  const count = Number(values.monitors)
  const webhook = await startWebhook()
  const isDown = new Set<string>()
  const turnedMs = new Map<string, number>()
  const seen = new Set<string>()
  const target = createServer((request, response) => {
    const name = String(request.url).slice(1)
    seen.add(name)
    if (isDown.has(name) && !turnedMs.has(name)) turnedMs.set(name, Date.now())
    response.writeHead(isDown.has(name) ? 500 : 200).end()
  })
  await new Promise<void>((resolve) => void target.listen(0, '127.0.0.1', resolve))
  const { port } = target.address() as AddressInfo
  const call = await tellBy(backend.url, webhook.url)
  for (let n = 0; n < count; n += 1) {
    const url = `http://127.0.0.1:${port}/${n}`
    await call('/v1/monitors', { name: String(n), url, interval: 10, timeout: 5, confirmations: 1 })
  }
  while (seen.size < count) await sleep(100)
  for (let n = 0; n < count; n += 1) isDown.add(String(n))
  while (webhook.told.length < count) await sleep(100)
  const ms = webhook.told.map(({ atMs, target: name }) => atMs - (turnedMs.get(name) ?? 0)).sort((a, b) => a - b)
  tell({
    bench: 'latency',
    monitors: count,
    medianMs: median(ms),
    maxMs: ms.at(-1),
    goal: 'maxMs <= 1000',
    met: (ms.at(-1) ?? 0) <= 1_000,
  })
  target.closeAllConnections()
  target.close()
  webhook.close()
}

async function flood(backend: BenchBackend): Promise<void> {
  const [transitions, seconds] = [Number(values.transitions), Number(values.seconds)]
  const perTick = Math.ceil(transitions / seconds / 10)
  const webhook = await startWebhook()
  await tellBy(backend.url, webhook.url)
  const { database, backendPid, postgresPid } = backend
  const monitors = await makeIdleMonitors(database, perTick * 50)
  const cpu = () => ({ backend: cpuOf(backendPid), postgres: cpuOfTree(postgresPid) })
  const before = cpu()
  const startMs = Date.now()
  const memory: number[] = []
  let made = 0
  for (let tick = 0; made < transitions; tick += 1) {
    const batch = Math.min(perTick, transitions - made)
    const from = (tick % 50) * perTick
    await changeStatuses(database, monitors.slice(from, from + batch), Math.floor(tick / 50) % 2 === 0 ? 'down' : 'up')
    made += batch
    if (tick % 10 === 0) memory.push(memoryOf([backendPid]).rss)
    await sleep(startMs + (tick + 1) * 100 - Date.now())
  }
  const fedSeconds = (Date.now() - startMs) / 1_000
  await untilTold(database, 60_000)
  const after = cpu()
  const third = Math.floor(memory.length / 3)
  const growthMb = round(median(memory.slice(-third)) - median(memory.slice(third, 2 * third)))
  const { steps, requests, underAnotherId } = accountOf(webhook.told)
  const missing = transitions - steps
  tell({
    bench: 'flood',
    transitions,
    fedSeconds: round2(fedSeconds),
    toldAfterSeconds: round2((Math.max(...webhook.told.map(({ atMs }) => atMs)) - startMs) / 1_000),
    missing,
    requests,
    underAnotherId,
    growthMb,
    rssMb: [memory[0], memory.at(-1)],
    cpuMsEach: {
      backend: round2(((after.backend - before.backend) * 1_000) / transitions),
      postgres: round2(((after.postgres - before.postgres) * 1_000) / transitions),
    },
    goal: 'missing 0, underAnotherId 0, growthMb <= 20',
    met: missing === 0 && underAnotherId === 0 && growthMb <= 20,
  })
  webhook.close()
}

for (const [name, run] of Object.entries({ latency, flood }))
  if (values.only === undefined || values.only === name) await withBackend(run)
