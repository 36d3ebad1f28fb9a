import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

// Doubles of the services, from their public descriptions: no real one can be reached from a test.

export interface ReceivedRequest {
  path: string
  query: URLSearchParams
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** The origin of the double. */
  origin: string
}

export interface Answer {
  status?: number
  headers?: Record<string, string>
  /** A text is sent as it is. */
  body?: unknown
}

export type Respond = (request: ReceivedRequest) => Answer

export interface Double {
  origin: string
  requests: ReceivedRequest[]
  close(): void
}

export async function startDouble(respond: Respond): Promise<Double> {
  const requests: ReceivedRequest[] = []
  const server = createServer((incoming, outgoing) => {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const url = new URL(incoming.url ?? '/', origin)
    const request = { path: decodeURIComponent(url.pathname), query: url.searchParams, headers: incoming.headers, origin }
    requests.push(request)
    const { status = 200, headers = {}, body = '' } = respond(request)
    outgoing.writeHead(status, { 'content-type': 'application/json', ...headers })
    outgoing.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const NOT_FOUND: Answer = { status: 404, body: { message: 'not found' } }

/** The objects of one page, by `offset` and `limit`. */
const pageOf = (all: readonly unknown[], query: URLSearchParams, most: number) => {
  const offset = Number(query.get('offset') ?? 0)
  const limit = Math.min(most, Number(query.get('limit') ?? most))
  return { items: all.slice(offset, offset + limit), offset, limit, isLast: offset + limit >= all.length }
}

/** Answers of an account by path, `lists` of them in pages. */
export interface Account {
  lists: Readonly<Record<string, readonly unknown[]>>
  answers: Readonly<Record<string, unknown>>
}

export const opsgenieDouble =
  ({ lists, answers }: Account, most = 2): Respond =>
  ({ path, query, headers, origin }) => {
    if (headers['authorization'] !== 'GenieKey right') return { status: 401, body: { message: 'Could not authenticate' } }
    const all = lists[path]
    if (all === undefined) return path in answers ? { body: { data: answers[path], took: 0.1 } } : NOT_FOUND
    const { items, offset, isLast } = pageOf(all, query, most)
    const next = new URL(`${origin}${path}`)
    for (const [name, value] of query) next.searchParams.set(name, value)
    next.searchParams.set('offset', String(offset + most))
    return { body: { data: items, ...(!isLast && { paging: { next: next.href } }), totalCount: all.length } }
  }

export const pagerDutyDouble =
  ({ lists, answers }: Account, most = 100): Respond =>
  ({ path, query, headers }) => {
    if (headers['authorization'] !== 'Token token=right') return { status: 401, body: { error: { code: 2006 } } }
    if (headers['accept'] !== 'application/vnd.pagerduty+json;version=2') return { status: 406 }
    const all = lists[path]
    if (all === undefined) return path in answers ? { body: answers[path] } : NOT_FOUND
    const { items, offset, limit, isLast } = pageOf(all, query, most)
    return { body: { [path.slice(1)]: items, limit, offset, more: !isLast, total: null } }
  }

export const grafanaDouble =
  ({ lists, answers }: Account, most = 2): Respond =>
  ({ path, query, headers }) => {
    if (headers['authorization'] !== 'right') return { status: 403, body: { detail: 'Invalid token.' } }
    const all = lists[path]
    if (all === undefined) return path in answers ? { body: answers[path] } : NOT_FOUND
    const page = Number(query.get('page') ?? 1)
    const isLast = page * most >= all.length
    const results = all.slice((page - 1) * most, page * most)
    // The address that it has behind its proxy.
    return { body: { count: all.length, next: isLast ? null : `http://oncall-engine:8080${path}?page=${page + 1}`, results } }
  }

export const splunkDouble =
  ({ answers }: Account): Respond =>
  ({ path, headers }) => {
    if (headers['x-vo-api-id'] !== 'id' || headers['x-vo-api-key'] !== 'right') return { status: 403 }
    return path in answers ? { body: answers[path] } : NOT_FOUND
  }
