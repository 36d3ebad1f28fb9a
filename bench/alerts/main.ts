/**
 * Alerts of other systems, from their post to the notification.
 *
 *   npm run bench -- alerts [--alerts 5000] [--rounds 5] [--rate 100] [--seconds 10] [--profile FOLDER]
 *
 * `vedette serve` runs as the launcher starts it, on an embedded Postgres of its own, with a webhook that every alert notifies. --alerts
 * alerts come in one post of the webhook of Alertmanager, --rounds times, each time others to a source of their own; the median
 * counts. Then the last ones are sent again as they are, and once with later ends, as Prometheus does each minute. Last, --rate posts a
 * second of one alert each come to several sources for --seconds seconds: of the same alerts, as senders repeat what is open, and of an
 * alert that is over in the next post.
 *
 * Goals: 5,000 alerts in 400 ms, notified 2 s after the post; sent again each minute 1 % of a core; 100 posts a second of alerts that are
 * known 0.3 of a core.
 */
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { post, signIn, startBackend } from '../lib/backend.ts'
import { startChild } from '../lib/child.ts'
import { cpuOf, cpuOfTree, median, round } from '../lib/processes.ts'
import { call, endCalls } from '../lib/queries.ts'
import { printFigures } from '../lib/result.ts'
import { sleep } from '../lib/sleep.ts'
import { startWebhook } from '../test/notified-monitors.ts'
import { bodyOf, type SentAlerts } from './bodies.ts'
import type { Order, Sent } from './load.ts'

const { values } = parseArgs({
  options: {
    alerts: { type: 'string', default: '5000' },
    rounds: { type: 'string', default: '5' },
    rate: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '10' },
    profile: { type: 'string' },
  },
})
const [alerts, rounds, perSecond, seconds] = [values.alerts, values.rounds, values.rate, values.seconds].map(Number) as [
  number,
  number,
  number,
  number,
]
const PROFILE = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`]
const SOURCES = 10
const AGAIN = 5
/** Prometheus gives its alerts four times the interval in which it sends them. */
const ENDS_AFTER_MS = 4 * 60_000

const backend = await startBackend('serve', PROFILE, {
  VEDETTE_LOCAL_AGENT: 'off',
  VEDETTE_ALLOW_PRIVATE_TARGETS: 'all',
})
const webhook = await startWebhook()
const load = await startChild({ args: ['bench/alerts/load.ts'] })

const cpuSeconds = (): number => cpuOf(backend.backendPid) + cpuOfTree(backend.postgresPid)

async function costOf<T>(work: () => Promise<T>): Promise<{ ms: number; cpuMs: number; answer: T }> {
  const [startMs, before] = [performance.now(), cpuSeconds()]
  const answer = await work()
  return { ms: performance.now() - startMs, cpuMs: (cpuSeconds() - before) * 1_000, answer }
}

const sendTo = (path: string, sent: SentAlerts) => call(`${backend.url}${path}`, { method: 'POST', body: bodyOf(sent) })

/** Rows that were written to the tables of incidents: deliveries of earlier rounds are sent meanwhile. */
async function rowsWritten(): Promise<number> {
  // What a session did is shown once it has been idle for a second.
  await sleep(1_500)
  const { rows } = await backend.database.query<{ count: number }>(
    `select sum(n_tup_ins + n_tup_upd + n_tup_del)::int as count from pg_stat_all_tables
    where relname ~ '^(open_incident|incident|live_event)'`,
  )
  return rows[0]?.count ?? 0
}

async function untilNotified(target: string, sinceMs: number): Promise<number> {
  for (;;) {
    const received = webhook.received.find((one) => one.target.startsWith(target))
    if (received) return received.atMs - sinceMs
    if (Date.now() - sinceMs > 30_000) throw new Error(`nobody was notified of ${target}`)
    await sleep(20)
  }
}

try {
  const headers = { authorization: `Bearer ${await signIn(backend.url)}` }
  const sourceOf = async (name: string): Promise<string> => {
    const channel = { name, type: 'webhook', config: { url: webhook.url } }
    // Of its own: further alerts of a channel wait for their group.
    const { id } = (await post(`${backend.url}/v1/channels`, headers, channel)) as { id: string }
    const body = { name, type: 'alertmanager', max_open: 20_000, channel_ids: [id] }
    const source = (await post(`${backend.url}/v1/alert-sources`, headers, body)) as { address: string }
    return new URL(source.address).pathname
  }

  const opened: { ms: number; cpuMs: number; notifiedMs: number }[] = []
  let path = ''
  for (let round = 0; round <= rounds; round += 1) {
    path = await sourceOf(`round ${round}`)
    const sentMs = Date.now()
    const { ms, cpuMs } = await costOf(() => sendTo(path, { set: `${round}`, count: alerts }))
    opened.push({ ms, cpuMs, notifiedMs: await untilNotified(`db-${round}-`, sentMs) })
    // The deliveries of one round do not count in the next.
    await sleep(3_000)
  }
  const again: { ms: number; cpuMs: number }[] = []
  const last = { set: `${rounds}`, count: alerts }
  const before = await rowsWritten()
  for (let index = 0; index < AGAIN; index += 1) again.push(await costOf(() => sendTo(path, last)))
  const written = (await rowsWritten()) - before
  const moved = await costOf(() => sendTo(path, { ...last, endsAt: new Date(Date.now() + ENDS_AFTER_MS) }))
  const over = await costOf(() => sendTo(path, { ...last, status: 'resolved' }))

  const paths = await Promise.all(Array.from({ length: SOURCES }, (_, index) => sourceOf(`sender ${index}`)))
  await sleep(5_000)
  const sustain = async (isChanging: boolean, forSeconds = seconds) => {
    const order: Order = { port: Number(new URL(backend.url).port), paths, perSecond, seconds: forSeconds, isChanging }
    const sustained = await costOf(async () => {
      load.process.send(order)
      return ((await once(load.process, 'message')) as [Sent])[0]
    })
    const { failed, count, p99Ms } = sustained.answer
    if (failed > 0) throw new Error(`${failed} of ${count} posts failed`)
    // Where the machine is too busy the posts take longer than they should: what they cost counts.
    return { p99Ms, cores: sustained.cpuMs / (forSeconds * 1_000) }
  }
  // The first ones open what the others repeat.
  await sustain(false, 1)
  const repeating = await sustain(false)
  const changing = await sustain(true)
  const idle = await costOf(() => sleep(5_000))
  const counted = opened.slice(1)
  const each = `${alerts.toLocaleString('en-US')} alerts in one post`
  printFigures(
    [
      { name: `${each}, all new: answer`, value: median(counted.map(({ ms }) => ms)), unit: 'ms', goal: { atMost: 400 } },
      { name: `${each}, all new: CPU`, value: median(counted.map(({ cpuMs }) => cpuMs)), unit: 'ms' },
      {
        name: `${each}, all new: first notification`,
        value: median(counted.map(({ notifiedMs }) => notifiedMs)),
        unit: 'ms',
        goal: { atMost: 2_000 },
      },
      {
        name: `${each}, sent again each minute`,
        value: (median(again.map(({ cpuMs }) => cpuMs)) / 60_000) * 100,
        unit: '% of a core',
        goal: { atMost: 1 },
      },
      { name: `${each}, sent again: rows written of incidents`, value: written, unit: '', goal: { atMost: 0 } },
      { name: `${each}, sent again with later ends: CPU`, value: moved.cpuMs, unit: 'ms' },
      { name: `${each}, all over: answer`, value: over.ms, unit: 'ms' },
      {
        name: `${perSecond} posts a second of ${SOURCES} sources, of alerts that are known`,
        value: repeating.cores,
        unit: 'cores',
        goal: { atMost: 0.3 },
      },
      { name: `${perSecond} posts a second, of alerts that are known: answer, p99`, value: repeating.p99Ms, unit: 'ms' },
      {
        name: `${perSecond} posts a second of ${SOURCES} sources, each opens or ends an alert that is notified`,
        value: changing.cores,
        unit: 'cores',
      },
      { name: `${perSecond} posts a second, each opens or ends an alert: answer, p99`, value: changing.p99Ms, unit: 'ms' },
    ],
    {
      rounds: opened.map(({ ms, cpuMs, notifiedMs }) => [ms, cpuMs, notifiedMs].map(round)),
      again: again.map(({ ms, cpuMs }) => [ms, cpuMs].map(round)),
      moved: round(moved.ms),
      idle_cores: round(idle.cpuMs / idle.ms),
    },
  )
} finally {
  endCalls()
  webhook.close()
  await load.stop()
  await backend.stop()
}
