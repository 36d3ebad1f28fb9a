import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type pg from 'pg'
import { OWNER } from '../lib/backend.ts'
import { sleep } from '../lib/sleep.ts'

/** One webhook that arrived. */
export interface ReceivedWebhook {
  atMs: number
  /** Its `webhook-id`. */
  id: string
  type: string
  incident: string
  /** The monitor, by name. */
  target: string
}

export interface Webhook {
  url: string
  received: ReceivedWebhook[]
  close(): void
}

/** A receiver that keeps what it is received, and answers after so many milliseconds. */
export async function startWebhook(answerAfterMs: () => number = () => 0): Promise<Webhook> {
  const received: ReceivedWebhook[] = []
  const server: Server = createServer((request, response) => {
    const atMs = Date.now()
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('error', () => undefined)
    request.on('end', () => {
      const { type, data } = JSON.parse(Buffer.concat(chunks).toString()) as {
        type: string
        data: { incident: { id: string; target: { name: string } } }
      }
      const { id, target } = data.incident
      received.push({ atMs, id: String(request.headers['webhook-id']), type, incident: id, target: target.name })
      setTimeout(() => response.writeHead(204).end(), answerAfterMs())
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}/`, received, close }
}

/** Signs in and makes a channel; the rules of a new organization, which have none, are received by it. */
export async function notifyBy(origin: string, url: string): Promise<(path: string, body: object) => Promise<{ id: string }>> {
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${origin}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    return (await response.json()) as { id: string; token: string }
  }
  const { token } = await post('/v1/auth/login', OWNER)
  const call = (path: string, body: object) => post(path, body, { authorization: `Bearer ${token}` })
  await call('/v1/channels', { name: 'bench', type: 'webhook', config: { url } })
  return call
}

/** Monitors that nothing checks; their surrogates. */
export async function makeIdleMonitors(database: pg.Client, count: number): Promise<number[]> {
  const { rows } = await database.query<{ number: number }>(
    `with made as (
      insert into monitor (organization, id, name, type, url, method, interval_seconds, timeout_seconds, regions, options, assertions,
        follow_redirects, verify_tls, confirmations, tags, created_at, updated_at)
      select organization.number, gen_random_uuid(), 'monitor ' || n, 'http', 'http://192.0.2.1/', 'GET', 60, 10, '{local}', '{}', '[]',
        true, true, 2, '{}', now(), now()
      from organization, generate_series(1, $1::int) as n
      returning organization, number
    ), stated as (
      insert into monitor_status (organization, monitor, status, since) select organization, number, 'up', now() from made
    )
    select number from made order by number`,
    [count],
  )
  return rows.map(({ number }) => number)
}

/** Changes the status of these monitors, with a signal each, as the statement that stores checks does. */
export async function changeStatuses(database: pg.Client, monitors: readonly number[], to: 'down' | 'up'): Promise<void> {
  await database.query(
    `with changed as (
      update monitor_status as s set status = $2, since = clock_timestamp()
      from monitor as m where m.number = s.monitor and s.monitor = any($1::int[])
      returning s.organization, s.monitor, s.since, gen_random_uuid() as id
    ), stored as (
      insert into monitor_transition (organization, monitor, at, id, from_status, to_status, reason)
      select organization, monitor, since, id, case $2 when 'up' then 'down' else 'up' end, $2, 'bench' from changed
    )
    insert into alert_signal (id, organization, key, payload, created_at, next_attempt_at, attempts)
    select id, organization, monitor::text, jsonb_build_object('to_status', $2::text, 'reason', 'bench'), since, since, 0 from changed`,
    [monitors, to],
  )
}

/** Waits until all signals are evaluated and all notifications delivered. */
export async function untilAllNotified(database: pg.Client, limitMs: number): Promise<void> {
  const endMs = Date.now() + limitMs
  for (;;) {
    const { rows } = await database.query<{ left: number }>(
      'select ((select count(*) from alert_signal) + (select count(*) from notification_delivery))::int as left',
    )
    if (rows[0]?.left === 0) return
    if (Date.now() > endMs) throw new Error(`${rows[0]?.left} are left after ${limitMs} ms`)
    await sleep(100)
  }
}

export interface Account {
  /** Steps of incidents that were received. */
  steps: number
  requests: number
  /** Steps that were received under more than one id. */
  underAnotherId: number
}

/** What arrived, by steps of incidents. */
export function accountOf(received: readonly ReceivedWebhook[]): Account {
  const steps = Map.groupBy(received, ({ incident, type }) => `${incident} ${type}`)
  const ids = [...steps.values()].map((requests) => new Set(requests.map(({ id }) => id)).size)
  return { steps: steps.size, requests: received.length, underAnotherId: ids.filter((count) => count > 1).length }
}
