import { ROLES, type Role } from '@vedette/shared'
import { afterAll, describe, expect, it } from 'vitest'
import { encodeId } from '../../src/platform/ids.ts'
import { insertMembership } from '../../src/members/index.ts'
import { type Caller, expectedDecision, decisionOf, named } from './table.ts'
import { startFixture } from './fixture.ts'

const world = await startFixture()
const { backend, guarded, things, own, foreign, callRoute } = world
afterAll(() => world.close())

/** One user who has a role in each of the two organizations, and joined the own one first. */
async function inBoth(here: Role, there: Role) {
  const user = await backend.member(own, here)
  await insertMembership(backend.pool.db, foreign.number, user.userId, there, new Date(backend.clock.now() + 1))
  return user
}

const asRole = (role: Role): Caller => ({ name: role, kind: 'user', role, as: {} })

describe.each(named(guarded))('%s of who is in two organizations', (_, route) => {
  it('goes by the role in the one that counts: of the path, else of the header, else the one joined first [ACCESS-04, ACCESS-05]', async () => {
    for (const [here, there] of ROLES.flatMap((one) =>
      ROLES.filter((other) => one !== other).map((other) => [one, other] as const),
    )) {
      const ids = (user: Caller['as']) => things.chain(route.url, own, user)
      const user = await inBoth(here, there)
      const plain = await callRoute(route, user, await ids(user))
      expect(decisionOf(route, plain), `${here}, no header`).toBe(expectedDecision(route, asRole(here)))
      const headers = { 'x-organization-id': foreign.id }
      const other = await inBoth(here, there)
      const answer = await callRoute(route, other, await ids(other), { headers })
      // In the other organization the ids of this one are none.
      const isElsewhere = !route.organizationFromPath && route.access !== 'session' && route.url.includes(':')
      const gate = expectedDecision(route, asRole(route.organizationFromPath ? here : there))
      expect(decisionOf(route, answer), `${here}, ${there} in the header`).toBe(gate === 'in' && isElsewhere ? 404 : gate)
    }
  })
})

const forOneself = guarded.filter(({ alsoOneself }) => alsoOneself !== undefined)

describe.each(named(forOneself))('%s of oneself', (_, route) => {
  const at = route.alsoOneself as string

  it('is let in whatever the role, in the own organization only', async () => {
    for (const role of ROLES) {
      const user = await backend.member(own, role)
      const ids = { ...(await things.chain(route.url, own)), [at]: encodeId('user', user.userId) }
      expect((await callRoute(route, user, { ...ids, id: foreign.id })).status, role).toBe(404)
      expect(decisionOf(route, await callRoute(route, user, ids)), role).toBe('in')
    }
  })

  it('is not for keys, which are nobody', async () => {
    const { userId } = await backend.member(own, 'viewer')
    const ids = { ...(await things.chain(route.url, own)), [at]: encodeId('user', userId) }
    expect((await callRoute(route, await backend.apiKey(own, 'read', 'write', 'agent'), ids)).status).toBe(403)
  })
})
