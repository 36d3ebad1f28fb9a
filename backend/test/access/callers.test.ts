import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { encodeId } from '../../src/platform/ids.ts'
import { badCredentials } from './bad-credentials.ts'
import { type Caller, gateOf, gateOfAnswer, named, refusal } from './table.ts'
import { startWorld } from './world.ts'

const world = await startWorld()
const { routes, guarded, things, own, foreign, callers, foreigners, owner, ask } = world
afterAll(async () => {
  console.info(`access: ${world.count()} questions about callers`)
  await world.close()
})

it('is asked of every route that is published, and of HEAD', () => {
  const asked = new Set(routes.map((route) => world.publishedAs(route)?.name))
  expect(world.published.map(({ name }) => name).filter((name) => !asked.has(name))).toEqual([])
  expect(routes.filter((route) => route.method !== 'HEAD' && !world.publishedAs(route))).toEqual([])
})

const isUser = ({ kind }: Caller): boolean => kind === 'user'

describe.each(named(guarded))('%s', (_, route) => {
  it('lets in whom the table lets in, and nobody else [ACCESS-08, ACCESS-09, ACCESS-10, ACCESS-11, ACCESS-12, ACCESS-13, ACCESS-14, ACCESS-15, ACCESS-16, ACCESS-17, ACCESS-18, ACCESS-22, ACCESS-23, ERROR-08, ACCESS-19, ACCESS-20, ACCESS-26, PROBE-01]', async () => {
    const shared = await things.chain(route.url, own)
    for (const caller of callers) {
      const gate = gateOf(route, caller)
      // What is let in may delete it, and a session must be the caller's.
      const ids = gate === 'in' ? await things.chain(route.url, own, isUser(caller) ? caller.as : undefined) : shared
      expect(gateOfAnswer(route, await ask(route, caller.as, ids)), caller.name).toBe(gate)
    }
  })

  it('refuses credentials that are none [ERROR-06, ERROR-24]', async () => {
    for (const [name, as] of Object.entries(await credentials)) {
      const { status, body } = await ask(route, as)
      // HEAD has no body.
      expect([status, body?.error.code ?? 'unauthorized'], name).toEqual([401, 'unauthorized'])
    }
  })

  it('refuses an organization that the user does not belong to [ACCESS-06]', async () => {
    const removed = foreigners.find(({ name }) => name === 'a removed owner') as Caller
    const ids = await things.chain(route.url, own)
    for (const [as, id] of [
      [owner, foreign.id],
      [removed.as, own.id],
      [owner, encodeId('organization', randomUUID())],
      [owner, own.id.toUpperCase()],
      [owner, 'nonsense'],
      [owner, ''],
    ] as const) {
      expect((await ask(route, as, ids, { headers: { 'x-organization-id': id } })).status, id).toBe(403)
    }
  })

  it('refuses a user of no organization where it says so [ACCESS-24]', async () => {
    const stranger = await world.stranger()
    const ids = await things.chain(route.url, own, stranger)
    const caller: Caller = { name: 'a stranger', kind: 'user', as: stranger }
    expect(gateOfAnswer(route, await ask(route, stranger, ids))).toBe(gateOf(route, caller))
  })
})

const withBody = guarded.filter((route) => world.publishedAs(route)?.body)

describe.each(named(withBody))('%s with a wrong body', (_, route) => {
  it('is judged after the caller and before what is there [ERROR-24, ERROR-25, ERROR-26]', async () => {
    const body = '"neither an object nor a list"'
    for (const [caller, isTheirs] of [
      ...callers.map((one) => [one, true] as const),
      ...foreigners.map((one) => [one, false] as const),
    ]) {
      const gate = gateOf(route, caller, isTheirs)
      const { status } = await ask(route, caller.as, { id: own.id }, { body })
      expect(status, caller.name).toBe(gate === 'in' || gate === 404 ? 400 : gate)
    }
  })
})

describe.each(named(routes.filter(({ access }) => access === 'open')))('%s (open)', (_, route) => {
  it('answers everybody alike', async () => {
    const answers = new Set<string>()
    for (const { as } of [...callers, ...foreigners]) answers.add(refusal(await ask(route, as)))
    expect(answers.size).toBe(1)
  })
})

const credentials = badCredentials(world)
