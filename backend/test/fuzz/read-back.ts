import { expect } from 'vitest'
import type { Answer, TestBackend } from '../harness.ts'
import type { Owner } from '../path-resources.ts'
import type { Description, PublishedRoute } from './published-routes.ts'
import { type Leaf, leavesOf } from './schema-arbitrary.ts'

/** A request as it was sent, and its answer. */
export interface Accepted {
  route: PublishedRoute
  /** With its ids, without its query. */
  url: string
  body: unknown
  answer: Answer
}

/** Compares an accepted request with what the API returns afterwards. Resolves to whether any of it can be read. */
type ReadBack = (owner: Owner, accepted: Accepted) => Promise<boolean>

/** Expects every described field that was sent and can be read to have the value that was sent. `agentId` is the server that reports facts. */
export function createReadBack(backend: TestBackend, { components }: Description, agentId: string): ReadBack {
  return async (owner, accepted) => {
    const { route, body } = accepted
    const sent = route.method === 'GET' || !route.body ? undefined : parsed(body)
    const stored = sent && (await readStored(backend, owner, agentId, accepted))
    if (!sent || !stored) return false
    // The backend ignores fields that the route does not describe, at every level.
    const own = ownPart(
      sent,
      leavesOf(route.body ?? {}, { components: components.schemas }).map(({ path }) => path),
    )
    const readable = Object.entries(own as object).filter(([name]) => Object.hasOwn(stored, name))
    for (const [name, value] of readable) {
      const found = normalized(name, stored[name])
      // The route may complete an object with fields that were not sent.
      if (isObject(value)) expect(found, `${route.name} ${name}`).toMatchObject(value)
      else expect(found, `${route.name} ${name}`).toEqual(normalized(name, value))
    }
    return readable.length > 0
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value without the fields that none of these paths leads to. */
function ownPart(value: unknown, paths: readonly Leaf['path'][]): unknown {
  const below = (step: string | number) => paths.filter(([head]) => head === step).map(([, ...rest]) => rest)
  if (paths.every((path) => path.length === 0)) return value
  if (Array.isArray(value)) return value.map((item) => ownPart(item, below(0)))
  if (typeof value !== 'object' || value === null) return value
  const described = Object.entries(value).filter(([name]) => below(name).length > 0)
  return Object.fromEntries(described.map(([name, part]) => [name, ownPart(part, below(name))]))
}

function parsed(body: unknown): object | undefined {
  const text = typeof body === 'string' ? body.replace(/^\ufeff/, '') : JSON.stringify(body)
  const value: unknown = text ? JSON.parse(text) : undefined
  return typeof value === 'object' && value !== null ? value : undefined
}

/** Makes equal values comparable: instants as milliseconds, e-mail addresses in lower case, sets in one order, and -0 as 0. */
function normalized(name: string, value: unknown): unknown {
  if (typeof value === 'string' && /_(time|at)$/.test(name)) return Date.parse(value)
  if (typeof value === 'string' && name === 'email') return value.toLowerCase()
  if (name === 'burn_alerts' && Array.isArray(value)) return value.map(String).toSorted((a, b) => (a < b ? -1 : 1))
  return value === 0 ? 0 : value
}

type StoredFields = Record<string, unknown>

/** The resource as the API returns it: from its own GET, from its list, or else from the answer. */
async function readStored(backend: TestBackend, owner: Owner, agentId: string, { route, url, answer }: Accepted) {
  const read = async (path: string): Promise<StoredFields | undefined> => {
    const { status, body } = await backend.call('GET', path, { as: owner })
    return status === 200 ? (body as StoredFields) : undefined
  }
  const { headers, body } = answer
  if (route.name === 'POST /v1/agent/register') return read(`/v1/servers/${body.server_id}`)
  if (route.name === 'PUT /v1/agent/facts') return read(`/v1/servers/${agentId}`)
  if (typeof headers['location'] === 'string') return read(headers['location'])
  if (route.method === 'POST') return body as StoredFields | undefined
  if (route.method === 'DELETE') return undefined
  const itself = await read(url)
  if (itself) return itself
  const [list, id] = [url.slice(0, url.lastIndexOf('/')), decodeURIComponent(url.slice(url.lastIndexOf('/') + 1))]
  const items = Object.values((await read(`${list}?limit=100`)) ?? {}).find(Array.isArray) as StoredFields[] | undefined
  return items?.find((item) => item['id'] === id)
}
