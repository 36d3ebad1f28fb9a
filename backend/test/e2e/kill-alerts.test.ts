import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import pg from 'pg'
import { roundsOf } from '../../../scripts/test-rounds.ts'
import { findRunningUrl } from '../../src/platform/db/postgres/index.ts'
import { ADMIN, call, makeWorkbench, pidOf, type RunningVedette, signIn, until } from './workbench.ts'

const ROUNDS = roundsOf(50)
const SENDERS = 4
/** Alerts of one request. */
const ALERTS = 20
const [LEAST_MS, MOST_MS] = [100, 1_000]

const bench = makeWorkbench()
const dataDir = `${bench.makeFolder()}/data`
const environment = { ...ADMIN, VEDETTE_LOCAL_AGENT: 'off', VEDETTE_RATE_LIMITS: 'off' }
let vedette: RunningVedette
let token: string
const counts = { acknowledged: 0, cut: 0 }
const ending = { isOn: false }
let senders: Promise<void>[] = []

beforeAll(async () => {
  vedette = await bench.start({ dataDir, environment, byLauncher: true })
  const owner = await signIn(vedette.url)
  const source = { name: 'Prometheus', type: 'alertmanager', max_open: 20_000 }
  token = (await call(vedette.url, 'POST', '/v1/alert-sources', owner, source)).body.token
  senders = Array.from({ length: SENDERS }, (_, index) => sendWithoutPause(index))
})
afterAll(async () => {
  ending.isOn = true
  await bench.cleanUp()
})

/** Alerts that fire, and those of the request before that end, each request until it is acknowledged, as Alertmanager does. */
async function sendWithoutPause(sender: number): Promise<void> {
  const alertsOf = (request: number, status: string) =>
    Array.from({ length: ALERTS }, (_, index) => ({ status, labels: { alertname: `${sender} ${request} ${index}` } }))
  let request = 0
  for (; !ending.isOn; request += 1)
    await untilAcknowledged([...alertsOf(request, 'firing'), ...(request > 0 ? alertsOf(request - 1, 'resolved') : [])])
  await untilAcknowledged(alertsOf(request - 1, 'resolved'))
}

async function untilAcknowledged(alerts: object[]): Promise<void> {
  for (;;) {
    const status = await fetch(`${vedette.url}/v1/in/${token}`, { method: 'POST', body: JSON.stringify({ alerts }) }).then(
      (answer) => answer.status,
      () => 0,
    )
    if (status === 200) break
    if (status !== 0 && status !== 503) throw new Error(`alerts were answered with ${status}`)
    counts.cut += 1
    await pause(20)
  }
  counts.acknowledged += 1
}

test('a backend that is killed between receipt and answer loses no alert and doubles none', {
  timeout: ROUNDS * 60_000 + 120_000,
}, async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = counts.acknowledged
    await until(() => counts.acknowledged > before + SENDERS, 60_000)
    await pause(randomInt(LEAST_MS, MOST_MS))
    process.kill(pidOf.backend(dataDir), 'SIGKILL')
    await vedette.ended
    vedette = await bench.start({ dataDir, environment, byLauncher: true })
  }
  ending.isOn = true
  await Promise.all(senders)
  const client = new pg.Client({ connectionString: (await findRunningUrl(dataDir)) as string })
  await client.connect()
  const { rows } = await client.query(`
    select count(*)::int as incidents, count(distinct series)::int as alerts, bool_and(status = 'resolved') as are_over,
      (select count(*)::int from open_incident) as open, (select count(*)::int from incident_event where type = 'opened') as openings,
      (select count(*)::int from incident_event where type = 'resolved') as ends
    from incident where external is not null`)
  await client.end()
  const sent = rows[0].alerts
  expect(rows).toEqual([{ incidents: sent, alerts: sent, are_over: true, open: 0, openings: sent, ends: sent }])
  expect(sent % ALERTS).toBe(0)
  expect(sent).toBeGreaterThan(0)
  console.info(
    `figure: ${sent} alerts of ${counts.acknowledged} requests, ${ROUNDS} kills, ${counts.cut} requests cut or refused`,
  )
})
