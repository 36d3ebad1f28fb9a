import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { OWNER } from './workbench.ts'

/** A request that has no answer by then has none. */
const NO_ANSWER_MS = 40_000

export interface Outcome {
  name: string
  /** 0 without an answer. */
  status: number
  retryAfter: string | null
  ms: number
}

/** One of each kind of request to a backend. */
export interface EveryRequest {
  /** `key` is that of the write, whose repeats create one maintenance window with this name. */
  sendAll(key: string): Promise<Outcome[]>
  /** How long after the call each kind succeeded. */
  healing(key: string): Promise<Outcome[]>
}

export const isSuccess = ({ status }: Outcome): boolean => status >= 200 && status < 300

export function everyRequest(
  url: string,
  owner: { authorization: string },
  server: { server_id: string; token: string },
): EveryRequest {
  const request = (method: string, path: string, headers: object = {}, body?: object): Request => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const init = { method, headers: { ...type, ...headers } as Record<string, string> }
    return new Request(`${url}${path}`, { ...init, ...(body && { body: JSON.stringify(body) }) })
  }
  const requests: Record<string, (key: string) => Request> = {
    read: () => request('GET', `/v1/servers/${server.server_id}`, owner),
    list: () => request('GET', '/v1/servers?sort=-cpu', owner),
    samples: () => request('GET', `/v1/servers/${server.server_id}/metrics?period=1h`, owner),
    write: (key) => {
      const day = { starts_at: '2050-01-01T00:00:00Z', ends_at: '2050-01-02T00:00:00Z' }
      const window = { name: key, target: { type: 'server' }, ...day }
      return request('POST', '/v1/maintenance-windows', { ...owner, 'idempotency-key': key }, window)
    },
    push: () => {
      const at = new Date().toISOString()
      const batch = {
        batch_id: randomUUID(),
        sent_at: at,
        agent_version: '0.1.0',
        samples: [{ at, memory: { used_percent: 1 } }],
      }
      return request('POST', '/v1/agent/metrics', { 'x-api-key': server.token }, batch)
    },
    login: () => request('POST', '/v1/auth/login', {}, OWNER),
    readiness: () => request('GET', '/readyz'),
    stream: () => request('GET', '/v1/events', { ...owner, accept: 'text/event-stream' }),
  }

  async function send(name: string, key: string): Promise<Outcome> {
    const since = performance.now()
    const ending = new AbortController()
    const late = setTimeout(() => ending.abort(), NO_ANSWER_MS)
    try {
      const { status, headers, body } = await fetch((requests[name] as (key: string) => Request)(key), { signal: ending.signal })
      const ms = performance.now() - since
      await body?.cancel()
      return { name, status, retryAfter: headers.get('retry-after'), ms }
    } catch {
      return { name, status: 0, retryAfter: null, ms: performance.now() - since }
    } finally {
      clearTimeout(late)
    }
  }

  return {
    sendAll: (key) => Promise.all(Object.keys(requests).map((name) => send(name, key))),
    healing: (key) => {
      const since = performance.now()
      return Promise.all(
        Object.keys(requests).map(async (name) => {
          for (;;) {
            const outcome = await send(name, key)
            const ms = performance.now() - since
            if (isSuccess(outcome) || ms > NO_ANSWER_MS) return { ...outcome, ms }
            await delay(100)
          }
        }),
      )
    },
  }
}
