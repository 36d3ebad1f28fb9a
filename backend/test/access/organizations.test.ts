import { ROLES, type Role } from '@vedette/shared'
import { afterAll, describe, expect, it } from 'vitest'
import { encodeId } from '../../src/platform/ids.ts'
import { insertMembership } from '../../src/access/members/index.ts'
import type { RouteAccess } from '../../src/access/auth/index.ts'
import { casesOf } from '../deal.ts'
import type { Owner } from '../path-resources.ts'
import { type Caller, type Decision, expectedDecision, decisionOf, named, nameOf } from './table.ts'
import { isReading, startFixture } from './fixture.ts'

const world = await startFixture()
const { backend, guarded, things, own, foreign, callRoute, idsFor } = world
afterAll(() => world.close())

/** One user who has a role in each of the two organizations, and joined the own one first. */
async function inBoth(here: Role, there: Role) {
  const user = await backend.member(own, here)
  await insertMembership(backend.pool.db, foreign.number, user.userId, there, new Date(backend.clock.now() + 1))
  return user
}

const asRole = (role: Role): Caller => ({ name: role, kind: 'user', role, as: {} })

const PAIRS = ROLES.flatMap((here) => ROLES.filter((there) => there !== here).map((there) => ({ here, there })))

interface Case {
  route: RouteAccess
  here: Role
  there: Role
  /** Whether the header names the other organization. */
  withHeader: boolean
  expected: Decision
}

function expectedOf(route: RouteAccess, here: Role, there: Role, withHeader: boolean): Decision {
  if (!withHeader) return expectedDecision(route, asRole(here))
  const decision = expectedDecision(route, asRole(route.organizationFromPath ? here : there))
  // In the other organization the ids of this one are none.
  const isElsewhere = !route.organizationFromPath && route.access !== 'session' && route.url.includes(':')
  return decision === 'in' && isElsewhere ? 404 : decision
}

const cases = guarded.flatMap((route) =>
  PAIRS.flatMap(({ here, there }) =>
    [false, true].map(
      (withHeader): Case => ({ route, here, there, withHeader, expected: expectedOf(route, here, there, withHeader) }),
    ),
  ),
)
const dealt = casesOf(cases, {
  row: ({ route, withHeader }) => `${nameOf(route)} ${withHeader}`,
  kind: ({ here, there, withHeader }) => `${here} ${there} ${withHeader}`,
  outcome: ({ expected }) => String(expected),
})
const casesOfRoute = Map.groupBy(dealt, ({ route }) => route)

/** Who is let in to a change may be gone after it; all others are one user for each pair of roles. */
const users = new Map<string, Promise<Owner>>()
function userFor({ route, here, there, expected }: Case): Promise<Owner> {
  if (expected === 'in' && !isReading(route)) return inBoth(here, there)
  const name = `${here} ${there}`
  const user = users.get(name) ?? inBoth(here, there)
  users.set(name, user)
  return user
}

describe.each(named(guarded))('%s of who is in two organizations', (_, route) => {
  it('goes by the role in the one that counts: of the path, else of the header, else the one joined first [ACCESS-04, ACCESS-05]', async () => {
    for (const one of casesOfRoute.get(route) ?? []) {
      const user = await userFor(one)
      const ids = await idsFor(route, one.expected, user)
      const headers: Record<string, string> = one.withHeader ? { 'x-organization-id': foreign.id } : {}
      const decision = decisionOf(route, await callRoute(route, user, ids, { headers }))
      expect(decision, `${one.here}, ${one.withHeader ? `${one.there} in the header` : 'no header'}`).toBe(one.expected)
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
