import { contentOf, rateLimitOf } from './answer.ts'
import { noteEtag } from './etag.ts'
import { callOf, countParameters } from './call.ts'
import { VedetteError } from './errors.ts'
import { withRetries } from './retry.ts'
import { type Route, ROUTES } from './routes.ts'
import { type Fetch, send } from './transport.ts'
import type { Client, RateLimit } from './types.ts'

/** The access token of a user, or an API key. */
export type Credentials = { token: string } | { apiKey: string }

type GivenCredentials =
  | { token?: string | undefined; apiKey?: undefined; credentials?: undefined }
  | { apiKey: string; token?: undefined; credentials?: undefined }
  /** Called before each attempt. */
  | { credentials: () => Credentials | undefined | Promise<Credentials | undefined>; token?: undefined; apiKey?: undefined }

export type ClientOptions = GivenCredentials & {
  /** The URL of Vedette, for example `https://vedette.example.com`, with the path prefix of a proxy if there is one. */
  baseUrl: string | URL
  /** The organization of a user's requests; default: the first that the user joined. An API key belongs to one organization. */
  organizationId?: string | undefined
  /** Replaces the global `fetch`. */
  fetch?: Fetch | undefined
  /** Called for each call that fails because credentials are missing, unknown or expired. The call still rejects. */
  onUnauthorized?: ((error: VedetteError) => void) | undefined
  /** Timeout of each attempt, ms; default 30,000. */
  timeoutMs?: number | undefined
  /** Retries of each call that is safe to repeat; default 0. */
  retries?: number | undefined
}

type Method = (...rest: unknown[]) => Promise<unknown>

/** Creates a client of one Vedette installation. It keeps no connection open and needs no closing. */
export function createClient(options: ClientOptions): Client {
  const { origin, pathname } = new URL(options.baseUrl)
  const base = origin + pathname.replace(/\/+$/, '')
  const fetch: Fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init))
  let rateLimit: RateLimit | undefined

  const methodOf =
    (route: Route): Method =>
    async (...rest) => {
      const { path, signal, timeoutMs, retries, ...call } = callOf(route, rest, options)
      try {
        return await withRetries(retries, signal, async () => {
          const headers = { ...call.headers, ...(route.open ? {} : await credentialHeaders(options)) }
          const answer = await send(fetch, { ...call, headers, url: base + path }, timeoutMs, signal)
          rateLimit = rateLimitOf(answer.response) ?? rateLimit
          const content = contentOf(answer, route.texts)
          noteEtag(content, answer.response)
          return route.answer && content
        })
      } catch (error) {
        if (isAboutCredentials(route, error)) options.onUnauthorized?.(error)
        throw error
      }
    }

  const client = mapValues(ROUTES as Readonly<Record<string, Readonly<Record<string, Route>>>>, (routes) => {
    const methods = mapValues(routes, methodOf)
    const { list } = routes
    return list ? { ...methods, all: allOf(list, methodOf(list)) } : methods
  })
  // Types and methods are derived from the same table; the compiler cannot infer that they match.
  return Object.defineProperty(client, 'rateLimit', { enumerable: true, get: () => rateLimit }) as unknown as Client
}

/** The maximum page size, for the fewest requests. */
const ITEMS_A_PAGE = 100

interface Page {
  total: number
  limit: number
  [items: string]: number | { id: string }[]
}

/** Iterates over all items of a list. Skips an item that moves to the next page because of newly inserted items. */
function allOf(route: Route, list: Method) {
  const ids = countParameters(route)
  return async function* all(...rest: unknown[]): AsyncGenerator<{ id: string }, undefined> {
    const seen = new Set<string>()
    for (let page = 1; ; page += 1) {
      const query = { limit: ITEMS_A_PAGE, ...(rest[ids] as object | undefined), page }
      const answer = (await list(...rest.slice(0, ids), query, rest[ids + 1])) as Page
      const items = Object.values(answer).find((value) => Array.isArray(value)) ?? []
      for (const item of items.filter(({ id }) => !seen.has(id))) {
        seen.add(item.id)
        yield item
      }
      if (page * answer.limit >= answer.total) return
    }
  }
}

async function credentialHeaders(given: GivenCredentials): Promise<Record<string, string>> {
  const credentials: { token?: string | undefined; apiKey?: string | undefined } =
    (given.credentials ? await given.credentials() : given) ?? {}
  if (credentials.apiKey !== undefined) return { 'X-API-Key': credentials.apiKey }
  return credentials.token === undefined ? {} : { Authorization: `Bearer ${credentials.token}` }
}

const isAboutCredentials = (route: Route, error: unknown): error is VedetteError =>
  !route.open && !route.secret && error instanceof VedetteError && error.status === 401

function mapValues<From, To>(table: Readonly<Record<string, From>>, change: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(table).map(([name, value]) => [name, change(value)]))
}
