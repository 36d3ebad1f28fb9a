import { expect } from 'vitest'
import type { Answer, TestBackend } from '../harness.ts'
import type { Owner } from '../things.ts'
import type { Description, PublishedRoute } from './published.ts'
import { type Leaf, leavesOf } from './schema-arbitrary.ts'

/** What was asked, as it went out, and what came back. */
export interface Accepted {
  route: PublishedRoute
  /** With its ids, without its query. */
  url: string
  body: unknown
  answer: Answer
}

/** Holds what was accepted to what is told afterwards; whether any of it can be read. */
type Keeping = (owner: Owner, accepted: Accepted) => Promise<boolean>

/** Every field of the route's own that was sent and can be read is what it was. `agentId` is the server that tells facts. */
export function createKeeping(backend: TestBackend, { components }: Description, agentId: string): Keeping {
  return async (owner, accepted) => {
    const { route, body } = accepted
    const sent = route.method === 'GET' || !route.body ? undefined : parsed(body)
    const kept = sent && (await readKept(backend, owner, agentId, accepted))
    if (!sent || !kept) return false
    // What is not the route's own was ignored, also within what is.
    const own = ownPart(
      sent,
      leavesOf(route.body ?? {}, { components: components.schemas }).map(({ path }) => path),
    )
    const readable = Object.entries(own as object).filter(([name]) => Object.hasOwn(kept, name))
    for (const [name, value] of readable) {
      const found = asKept(name, kept[name])
      // What an object leaves out the route may complete.
      if (isObject(value)) expect(found, `${route.name} ${name}`).toMatchObject(value)
      else expect(found, `${route.name} ${name}`).toEqual(asKept(name, value))
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
  const known = Object.entries(value).filter(([name]) => below(name).length > 0)
  return Object.fromEntries(known.map(([name, part]) => [name, ownPart(part, below(name))]))
}

function parsed(body: unknown): object | undefined {
  const text = typeof body === 'string' ? body.replace(/^\ufeff/, '') : JSON.stringify(body)
  const value: unknown = text ? JSON.parse(text) : undefined
  return typeof value === 'object' && value !== null ? value : undefined
}

/** An instant however it is written, an e-mail in lower case, and no number that is less than nothing. */
function asKept(name: string, value: unknown): unknown {
  if (typeof value === 'string' && /_(time|at)$/.test(name)) return Date.parse(value)
  if (typeof value === 'string' && name === 'email') return value.toLowerCase()
  return value === 0 ? 0 : value
}

type Kept = Record<string, unknown>

/** What the API tells of the thing: by its own GET, in its list, else the answer itself. */
async function readKept(backend: TestBackend, owner: Owner, agentId: string, { route, url, answer }: Accepted) {
  const read = async (path: string): Promise<Kept | undefined> => {
    const { status, body } = await backend.call('GET', path, { as: owner })
    return status === 200 ? (body as Kept) : undefined
  }
  const { headers, body } = answer
  if (route.name === 'POST /v1/agent/register') return read(`/v1/servers/${body.server_id}`)
  if (route.name === 'PUT /v1/agent/facts') return read(`/v1/servers/${agentId}`)
  if (typeof headers['location'] === 'string') return read(headers['location'])
  if (route.method === 'POST') return body as Kept | undefined
  if (route.method === 'DELETE') return undefined
  const itself = await read(url)
  if (itself) return itself
  const [list, id] = [url.slice(0, url.lastIndexOf('/')), decodeURIComponent(url.slice(url.lastIndexOf('/') + 1))]
  const items = Object.values((await read(`${list}?limit=100`)) ?? {}).find(Array.isArray) as Kept[] | undefined
  return items?.find((item) => item['id'] === id)
}
