import { afterAll, describe, expect, it } from 'vitest'
import { type Answer } from '../harness.ts'
import { type Ids, positionsOf } from '../path-resources.ts'
import { named } from './table.ts'
import { startFixture } from './fixture.ts'

const world = await startFixture()
const { backend, guarded, published, things } = world
afterAll(() => world.close())

const lists = guarded.filter((route) => {
  const isNarrow = positionsOf(route.url).every(({ noun }) => noun === 'organizations')
  const names = world.publishedAs(route)?.parameters.map(({ name }) => name) ?? []
  return route.method === 'GET' && isNarrow && names.includes('page') && names.includes('limit')
})

it('the published lists are found by their pages', () => expect(lists.length).toBeGreaterThan(5))

/** Paths that end in an id: one thing of every kind stands at the end of one of them. */
const paths = [...new Set(published.map(({ path }) => path).filter((path) => path.endsWith('}')))]

/** The answers of all lists, in three moments: things of every kind are made between them. */
interface Moments {
  before: Answer['body'][]
  afterOthers: Answer['body'][]
  afterOwn: Answer['body'][]
}

const moments = (async (): Promise<Moments> => {
  const lonely = await backend.organization('Lonely')
  const other = await backend.organization('Other')
  const as = await things.owner(lonely)
  const { userId: _userId, ...session } = as
  const ids = new Map<string, Ids>()
  for (const { url } of lists) ids.set(url, await things.chain(url, lonely))
  const listAll = async () => {
    const bodies: Answer['body'][] = []
    // With one and the same session: a new one would be listed.
    for (const route of lists) bodies.push((await world.callRoute(route, session, ids.get(route.url))).body)
    return bodies
  }
  const before = await listAll()
  for (const path of paths) await things.chain(path, other)
  const afterOthers = await listAll()
  for (const path of paths) await things.chain(path, lonely, as)
  for (const { url } of lists.filter((list) => list.url.endsWith('/deleted'))) {
    const path = url.replace(/deleted$/, '{id}')
    await things.remove(path, await things.chain(path, lonely, as), lonely, as)
  }
  await backend.call('POST', '/v1/organizations', { as, body: { name: 'Another' } })
  await backend.call('POST', '/v1/annotations', { as, body: { text: 'deployed' } })
  await world.sessionOf(as.userId)
  return { before, afterOthers, afterOwn: await listAll() }
})()

describe.each(named(lists))('%s', (_, route) => {
  it('counts and lists nothing of other organizations and users [ACCESS-25]', async () => {
    const { before, afterOthers, afterOwn } = await moments
    const index = lists.indexOf(route)
    expect(afterOthers[index]).toEqual(before[index])
    expect(afterOwn[index].total, 'what comes into this list must be made here').toBeGreaterThan(before[index].total)
  })
})

const byId = lists.flatMap((route) =>
  (world.publishedAs(route)?.parameters ?? []).flatMap(({ in: location, name, schema }) =>
    location === 'query' && schema.pattern?.includes('_[0-7]') ? [{ ...route, name, pattern: new RegExp(schema.pattern) }] : [],
  ),
)

const foreignIds = (async () => {
  const ids: string[] = []
  for (const path of paths) ids.push(...Object.values(await things.chain(path, world.foreign)))
  return ids
})()

it('the lists that are filtered by an id are found', () => expect(byId.length).toBeGreaterThan(0))

describe.each(byId)('$method $url?$name', (route) => {
  it('finds and counts nothing for an id of another organization', async () => {
    const fitting = (await foreignIds).filter((id) => route.pattern.test(id))
    expect(fitting.length).toBeGreaterThan(0)
    for (const id of fitting) {
      const query = { ...route, url: `${route.url}?${route.name}=${id}` }
      const { body } = await world.callRoute(query, world.owner, await things.chain(route.url, world.own))
      expect([body.total, Object.values(body).find(Array.isArray)], id).toEqual([0, []])
    }
  })
})
