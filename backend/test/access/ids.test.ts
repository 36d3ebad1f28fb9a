import { afterAll, describe, expect, it } from 'vitest'
import type { RouteAccess } from '../../src/auth/index.ts'
import type { PublishedRoute } from '../fuzz/published-routes.ts'
import { type Leaf, leavesOf, resolve, type Schema, withValue } from '../fuzz/schema-arbitrary.ts'
import type { Credentials } from '../harness.ts'
import { type Ids, pathWith, type Position, positionsOf } from '../path-resources.ts'
import { expectedDecision, named, nameOf, refusal } from './table.ts'
import { startFixture } from './fixture.ts'
import { malformedIds } from './malformed-ids.ts'

const world = await startFixture()
const { backend, guarded, things, own, foreign, callers, foreigners, callRoute } = world
afterAll(async () => {
  console.info(`access: ${world.count()} questions about ids`)
  await world.close()
})

interface IdInPath {
  route: RouteAccess
  position: Position
}

const idsInPaths: IdInPath[] = guarded.flatMap((route) => positionsOf(route.url).map((position) => ({ route, position })))

it('these tests request more than 500 combinations of a route and a wrong id', () => {
  const ways = Object.keys(malformedIds('org_01h455vb4pex5vsknk084sn02q')).length
  expect(idsInPaths.length * callers.length * ways).toBeGreaterThan(500)
})

it('ids of an unknown kind fail with a message that says where to define them', async () => {
  await expect(things.chain('/v1/gadgets/:id', own)).rejects.toThrow(
    'Define how to create gadgets in backend/test/path-resources.ts: no POST /v1/gadgets creates them.',
  )
})

/** Valid ids for this position, of resources that the caller may not see. */
async function foreignIds({ route: { url }, position: { parameter, noun } }: IdInPath): Promise<Record<string, string>> {
  const path = url.slice(0, url.indexOf(`:${parameter}`)) + `:${parameter}`
  const at = (ids: Ids) => ids[parameter] as string
  const living = { 'of another organization': at(await things.chain(path, foreign)) }
  // They are of a user, not of an organization.
  if (['sessions', 'passkeys', 'push-subscriptions', 'contact-methods', 'chat-accounts'].includes(noun))
    Object.assign(living, { 'of a colleague': at(await things.chain(path, own)) })
  const parents = positionsOf(path).slice(0, -1)
  if (parents.some((parent) => parent.noun !== 'organizations'))
    Object.assign(living, { 'of another parent': at(await things.chain(path, own)) })
  // What was deleted comes back.
  if (url.endsWith('/restore')) return living
  const doomed = noun === 'organizations' ? await backend.organization('Doomed') : own
  const user = await things.owner(doomed)
  const gone = await things.chain(path, doomed, user)
  return (await things.remove(path, gone, doomed, user)) ? { ...living, 'of what was deleted': at(gone) } : living
}

describe.each(idsInPaths.map((idInPath) => [nameOf(idInPath.route), idInPath.position.parameter, idInPath] as const))(
  '%s at :%s',
  (...[, , idInPath]) => {
    const { route, position } = idInPath

    it('gives the same answer for every kind of wrong id as for an unknown id [ACCESS-07, ERROR-09, WIRE-08]', async () => {
      const right = await things.chain(route.url, own)
      const wrong = { ...(await foreignIds(idInPath)), ...malformedIds(right[position.parameter] as string) }
      for (const caller of callers) {
        const gate = expectedDecision(route, caller, position.noun !== 'organizations')
        const seen = new Set<string>()
        for (const [name, id] of Object.entries(wrong)) {
          const answer = await callRoute(route, caller.as, { ...right, [position.parameter]: id })
          expect(answer.status, `${caller.name}, an id ${name}`).toBe(gate === 'in' ? 404 : gate)
          seen.add(refusal(answer))
        }
        expect([...seen], `${caller.name} learns nothing of an id`).toHaveLength(1)
      }
    })
  },
)

describe.each(named(guarded.filter(({ url }) => url.includes(':'))))('%s', (_, route) => {
  it('gives callers of another organization the same answer as for an unknown id [ACCESS-25, ERROR-10]', async () => {
    const owner = await things.owner(own)
    const right = await things.chain(route.url, own, owner)
    const none = Object.fromEntries(Object.entries(right).map(([name, id]) => [name, malformedIds(id)['of nothing'] as string]))
    for (const caller of foreigners) {
      const gate = expectedDecision(route, caller, false)
      const answer = await callRoute(route, caller.as, right)
      expect(answer.status, caller.name).toBe(gate === 'in' ? 404 : gate)
      expect(refusal(answer), caller.name).toBe(refusal(await callRoute(route, caller.as, none)))
    }
    expect(await isThere(route, right, owner), 'and it is still there').toBe(true)
  })
})

/** Whether what a path names can still be read: by its own GET, or in its list. */
async function isThere({ url }: RouteAccess, ids: Ids, as: Credentials): Promise<boolean> {
  const { list, parameter } = positionsOf(url).at(-1) as Position
  const read = (path: string) => backend.call('GET', pathWith(path, ids), { as })
  if ((await read(`${list}/:${parameter}`)).status === 200) return true
  // Or in the thing that it is a part of.
  for (const path of [`${list}?limit=100`, list.slice(0, list.lastIndexOf('/'))]) {
    const { body } = await read(path)
    const items = Object.values(body as object).filter(Array.isArray) as { id?: string }[][]
    if (items.flat().some(({ id }) => id === ids[parameter])) return true
  }
  return false
}

/** Names that end like those of ids and are none of ours. */
const NO_IDS = new Set(['machine_id', 'batch_id', 'boot_id', 'worker_id', 'access_key_id', 'chat_id', 'room_id', 'client_id'])
/** `server_id` is of `servers`; an `id` of what the path is about, that of a target of what the least body names. */
function nounOf(field: string, { url }: RouteAccess, path: Leaf['path'] = []): string {
  if (path[0] === 'target') return `${TARGET.type}s`
  if (field === 'escalation_policy_id') return 'escalation-policies'
  return field === 'id' ? (url.split('/')[2] as string) : `${field.replace(/_id$/, '')}s`
}
const TARGET = { type: 'monitor' }

const components = world.description.components.schemas
const fields = guarded.flatMap((route) => {
  // Its ids depend on each other and on the period: backend/src/replays/test/replays.test.ts has those of another organization.
  if (route.url === '/v1/replays') return []
  const published = world.publishedAs(route)
  const leaves = published?.body ? leavesOf(published.body, { components }) : []
  const paths = new Map(leaves.map(({ path }) => [path.join('.'), path]))
  return [...paths].flatMap(([name, path]) => {
    const field = String(path.at(-1))
    return /(^|_)id$/.test(field) && !NO_IDS.has(field) ? [[nameOf(route), name, { route, path, field }] as const] : []
  })
})

it('the fields of bodies that take an id are found', () =>
  expect(fields.map(([name, field]) => `${name} ${field}`)).toEqual(
    expect.arrayContaining(['POST /v1/agent/metrics server_id', 'POST /v1/monitors/bulk update.0.id']),
  ))

/** The least body of a route; where the path leads into a list, with the least item, which names a living thing. */
async function bodyFor(route: RouteAccess, path: Leaf['path']): Promise<unknown> {
  const published = world.publishedAs(route)
  const shortest = world.leastBody(published) as object
  // The schema allows an SLO without a target; the route refuses it.
  const least = nameOf(route) === 'POST /v1/slos' ? { ...shortest, target: { tag: 'prod' } } : shortest
  // The target of an SLO has no type: it is always a monitor.
  if (path[0] === 'target') return { ...least, target: route.url.startsWith('/v1/slos') ? {} : TARGET }
  const [list, first, ...rest] = path
  if (first !== 0 || list === undefined || rest.length === 0) return least
  const { items } = resolve((resolve(published?.body as Schema, { components }).properties ?? {})[list] as Schema, { components })
  const item = world.leastBody({ ...(published as PublishedRoute), body: items as Schema }) as object
  const id = 'id' in item ? { id: (await things.chain(`/v1/${nounOf('id', route)}/:id`, own))['id'] } : {}
  return { ...least, [list]: [{ ...item, ...id }] }
}

describe.each(fields)('%s with %s in its body', (_, name, { route, path, field }) => {
  it('is the same 400 that names the field for every kind of wrong id', async () => {
    const resourcePath = `/v1/${nounOf(field, route, path)}/:id`
    const right = await things.chain(resourcePath, own)
    const gone = await things.chain(resourcePath, own)
    const wrong = {
      'of another organization': (await things.chain(resourcePath, foreign))['id'],
      ...((await things.remove(resourcePath, gone, own)) && { 'of what was deleted': gone['id'] }),
      ...malformedIds(right['id'] as string),
    }
    const body = await bodyFor(route, path)
    // A dependency has the type of what it names.
    const least = path.includes('depends_on')
      ? withValue(body, path.slice(0, -1), { type: resourcePath.split('/')[2]?.slice(0, -1) })
      : body
    const ids = await things.chain(route.url, own)
    const send = (as: Credentials, id: unknown) => callRoute(route, as, ids, { body: withValue(least, path, id) })
    for (const caller of callers.filter((one) => expectedDecision(route, one) === 'in' && one.kind !== 'server')) {
      const seen = new Set<string>()
      for (const [way, id] of Object.entries(wrong)) {
        const answer = await send(caller.as, id)
        expect([answer.status, answer.body.error.details?.[0].path], `${caller.name}, an id ${way}`).toEqual([400, name])
        seen.add(refusal(answer))
      }
      expect([...seen], `${caller.name} learns nothing of an id`).toHaveLength(1)
      expect((await send(caller.as, right['id'])).body?.error?.details?.[0].path).not.toBe(name)
    }
  })
})
