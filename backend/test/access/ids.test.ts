import { afterAll, describe, expect, it } from 'vitest'
import type { RouteAccess } from '../../src/access/auth/index.ts'
import type { PublishedRoute } from '../fuzz/published-routes.ts'
import { type Leaf, leavesOf, resolve, type Schema, withValue } from '../fuzz/schema-arbitrary.ts'
import type { Credentials } from '../harness.ts'
import { casesOf } from '../deal.ts'
import { type Ids, OF_USERS, pathWith, type Position, positionsOf } from '../path-resources.ts'
import { type Caller, expectedDecision, named, nameOf, refusal } from './table.ts'
import { startFixture } from './fixture.ts'
import { malformedIds } from './malformed-ids.ts'

const world = await startFixture()
const { backend, guarded, things, own, foreign, callers, foreigners, callRoute, idsFor } = world
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

/** Makes a wrong id, of a right one. */
type MakeWrongId = (right: string) => string | Promise<string>

/** Each is made when it is first needed, for one position. */
function once(make: () => Promise<string>): MakeWrongId {
  let made: Promise<string> | undefined
  return () => (made ??= make())
}

const UNKNOWN = 'of nothing'
const MALFORMED = Object.fromEntries(
  Object.keys(malformedIds('org_01h455vb4pex5vsknk084sn02q')).map((name) => [
    name,
    (right: string) => malformedIds(right)[name] as string,
  ]),
)

/** Valid ids for this position, of resources that the caller may not see. */
function foreignIds({ route: { url }, position: { parameter, noun } }: IdInPath): Record<string, MakeWrongId> {
  const path = url.slice(0, url.indexOf(`:${parameter}`)) + `:${parameter}`
  const at = (ids: Ids) => ids[parameter] as string
  const inOwn = async () => at(await things.chain(path, own))
  const living: Record<string, MakeWrongId> = {
    'of another organization': once(async () => at(await things.chain(path, foreign))),
  }
  if (OF_USERS.has(noun)) living['of a colleague'] = once(inOwn)
  const parents = positionsOf(path).slice(0, -1)
  if (parents.some((parent) => parent.noun !== 'organizations')) living['of another parent'] = once(inOwn)
  // What was deleted comes back.
  if (url.endsWith('/restore') || !things.isRemovable(path)) return living
  const deleted = once(async () => {
    const doomed = noun === 'organizations' ? await backend.organization('Doomed') : own
    const user = await things.owner(doomed)
    const gone = await things.chain(path, doomed, user)
    await things.remove(path, gone, doomed, user)
    return at(gone)
  })
  return { ...living, 'of what was deleted': deleted }
}

/** A caller and a wrong id that is not just unknown. */
interface Case {
  where: IdInPath
  caller: Caller
  kind: string
  wrong: MakeWrongId
}

const expectedOf = ({ where: { route, position }, caller }: Pick<Case, 'where' | 'caller'>) =>
  expectedDecision(route, caller, position.noun !== 'organizations')

const cases = idsInPaths.flatMap((where) => {
  const wrong = Object.entries({ ...foreignIds(where), ...MALFORMED }).filter(([kind]) => kind !== UNKNOWN)
  return callers.flatMap((caller) => wrong.map(([kind, make]): Case => ({ where, caller, kind, wrong: make })))
})
const nameOfPosition = ({ route, position }: IdInPath) => `${nameOf(route)} ${position.parameter}`
const dimensions = { row: ({ where }: Case) => nameOfPosition(where), outcome: (one: Case) => String(expectedOf(one)) }
const byKind = casesOf(cases, { ...dimensions, kind: ({ kind }) => kind })
const byCaller = casesOf(cases, { ...dimensions, kind: ({ caller }) => caller.name })
/** On every route. */
const ofOthers = cases.filter((one) => one.kind === 'of another organization' && one.caller.role === 'owner')
const casesByPosition = Map.groupBy(new Set([...byKind, ...byCaller, ...ofOthers]), ({ where }) => where)

describe.each(idsInPaths.map((idInPath) => [nameOf(idInPath.route), idInPath.position.parameter, idInPath] as const))(
  '%s at :%s',
  (...[, , where]) => {
    const { route, position } = where

    it('gives the same answer for every kind of wrong id as for an unknown id [ACCESS-07, ERROR-09, WIRE-08]', async () => {
      const right = await idsFor(route, 404)
      const at = right[position.parameter] as string
      const byCaller = Map.groupBy(casesByPosition.get(where) ?? [], ({ caller }) => caller)
      for (const [caller, tried] of byCaller) {
        const gate = expectedOf({ where, caller })
        const expected = gate === 'in' ? 404 : gate
        const unknown = await callRoute(route, caller.as, { ...right, [position.parameter]: malformedIds(at)[UNKNOWN] as string })
        expect(unknown.status, `${caller.name}, an id ${UNKNOWN}`).toBe(expected)
        for (const { kind, wrong } of tried) {
          const answer = await callRoute(route, caller.as, { ...right, [position.parameter]: await wrong(at) })
          expect(answer.status, `${caller.name}, an id ${kind}`).toBe(expected)
          expect(refusal(answer), `${caller.name} learns nothing of an id ${kind}`).toBe(refusal(unknown))
        }
      }
    })
  },
)

const withIds = guarded.filter(({ url }) => url.includes(':'))
const ofForeigners = casesOf(
  withIds.flatMap((route) => foreigners.map((caller) => ({ route, caller, expected: expectedDecision(route, caller, false) }))),
  { row: ({ route }) => nameOf(route), kind: ({ caller }) => caller.name, outcome: ({ expected }) => String(expected) },
)
const foreignersByRoute = Map.groupBy(ofForeigners, ({ route }) => route)

describe.each(named(withIds))('%s', (_, route) => {
  it('gives callers of another organization the same answer as for an unknown id [ACCESS-25, ERROR-10]', async () => {
    const owner = await things.owner(own)
    const right = await things.chain(route.url, own, owner)
    const none = Object.fromEntries(Object.entries(right).map(([name, id]) => [name, malformedIds(id)[UNKNOWN] as string]))
    for (const { caller, expected } of foreignersByRoute.get(route) ?? []) {
      const answer = await callRoute(route, caller.as, right)
      expect(answer.status, caller.name).toBe(expected === 'in' ? 404 : expected)
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
const NO_IDS = new Set([
  'machine_id',
  'batch_id',
  'boot_id',
  'worker_id',
  'access_key_id',
  'chat_id',
  'message_thread_id',
  'room_id',
  'client_id',
])
/** `server_id` is of `servers`; an `id` of what the path is about, that of a target of what the least body names. */
function nounOf(field: string, { url }: RouteAccess, path: Leaf['path'] = []): string {
  if (path[0] === 'target') return `${TARGET.type}s`
  if (field === 'escalation_policy_id') return 'escalation-policies'
  return field === 'id' ? (url.split('/')[2] as string) : `${field.replace(/_id$/, '')}s`
}
const TARGET = { type: 'monitor' }

const components = world.description.components.schemas
const fields = guarded.flatMap((route) => {
  // Its ids depend on each other and on the period: backend/src/alerting/replays/test/replays.test.ts has those of another organization.
  if (route.url === '/v1/replays') return []
  // Of alerts of another tool.
  if (route.url === '/v1/alert-sources/:id/history') return []
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

/** Wrong ids of the fields: those of what was deleted are made where it can be deleted. */
const FOREIGN = ['of another organization', 'of what was deleted']
const wrongIds = casesOf(
  fields.flatMap(([name, field, { route, path }]) =>
    [...FOREIGN, ...Object.keys(MALFORMED)]
      .filter(
        (kind) => kind !== 'of what was deleted' || things.isRemovable(`/v1/${nounOf(String(path.at(-1)), route, path)}/:id`),
      )
      .map((kind) => ({ field: `${name} ${field}`, kind })),
  ),
  { row: ({ field }) => field, kind: ({ kind }) => kind, outcome: () => '400' },
)
const admitted = casesOf(
  fields.flatMap(([name, field, { route }]) =>
    callers
      .filter((one) => expectedDecision(route, one) === 'in' && one.kind !== 'server')
      .map((caller) => ({ field: `${name} ${field}`, caller })),
  ),
  { row: ({ field }) => field, kind: ({ caller }) => caller.name, outcome: () => 'in' },
)

describe.each(fields)('%s with %s in its body', (route_, name, { route, path, field }) => {
  it('is the same 400 that names the field for every kind of wrong id', async () => {
    const resourcePath = `/v1/${nounOf(field, route, path)}/:id`
    const right = (await things.chain(resourcePath, own))['id'] as string
    const idOf = async (kind: string): Promise<string> => {
      if (kind === 'of another organization') return (await things.chain(resourcePath, foreign))['id'] as string
      if (kind !== 'of what was deleted') return malformedIds(right)[kind] as string
      const gone = await things.chain(resourcePath, own)
      await things.remove(resourcePath, gone, own)
      return gone['id'] as string
    }
    const kinds = wrongIds.filter((one) => one.field === `${route_} ${name}`).map(({ kind }) => kind)
    const wrong = new Map<string, string>()
    for (const kind of new Set([UNKNOWN, 'of another organization', ...kinds])) wrong.set(kind, await idOf(kind))
    const body = await bodyFor(route, path)
    // A dependency has the type of what it names.
    const least = path.includes('depends_on')
      ? withValue(body, path.slice(0, -1), { type: resourcePath.split('/')[2]?.slice(0, -1) })
      : body
    const ids = await things.chain(route.url, own)
    const send = (as: Credentials, id: unknown) => callRoute(route, as, ids, { body: withValue(least, path, id) })
    for (const { caller } of admitted.filter((one) => one.field === `${route_} ${name}`)) {
      const seen = new Set<string>()
      for (const [way, id] of wrong) {
        const answer = await send(caller.as, id)
        expect([answer.status, answer.body.error.details?.[0].path], `${caller.name}, an id ${way}`).toEqual([400, name])
        seen.add(refusal(answer))
      }
      expect([...seen], `${caller.name} learns nothing of an id`).toHaveLength(1)
      expect((await send(caller.as, right)).body?.error?.details?.[0].path).not.toBe(name)
    }
  })
})
