import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deal, type Dimensions } from './deal.ts'

interface Case {
  route: number
  caller: number
  status: number
}
const dimensions: Dimensions<Case> = {
  row: ({ route }) => String(route),
  kind: ({ caller }) => String(caller),
  outcome: ({ status }) => String(status),
}
/** A matrix of routes and callers, some of which are not possible, with any status in each cell. */
const matrices = fc
  .tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 8 }))
  .chain(([routes, callers]) =>
    fc
      .array(fc.option(fc.constantFrom(200, 401, 403, 404)), { minLength: routes * callers, maxLength: routes * callers })
      .map((statuses) =>
        statuses.flatMap((status, index): Case[] =>
          status === null ? [] : [{ route: Math.floor(index / callers), caller: index % callers, status }],
        ),
      ),
  )
const namesOf = (cases: readonly Case[], ...parts: (keyof Case)[]): Set<string> =>
  new Set(cases.map((one) => parts.map((part) => one[part]).join()))

describe('the cases that are dealt of a matrix', () => {
  it('have each route with each of its outcomes, and each caller with each of theirs', () => {
    fc.assert(
      fc.property(matrices, fc.integer(), (cases, seed) => {
        const dealt = deal(cases, dimensions, seed)
        expect(namesOf(dealt, 'route', 'status')).toEqual(namesOf(cases, 'route', 'status'))
        expect(namesOf(dealt, 'caller', 'status')).toEqual(namesOf(cases, 'caller', 'status'))
      }),
    )
  })

  it('are cases of the matrix in its order, each once, and the same for the same seed', () => {
    fc.assert(
      fc.property(matrices, fc.integer(), (cases, seed) => {
        const dealt = deal(cases, dimensions, seed)
        expect(dealt).toEqual(cases.filter((one) => dealt.includes(one)))
        expect(deal(cases, dimensions, seed)).toEqual(dealt)
      }),
    )
  })

  it('are no more than the routes with their outcomes and the callers with theirs', () => {
    fc.assert(
      fc.property(matrices, fc.integer(), (cases, seed) => {
        const most = namesOf(cases, 'route', 'status').size + namesOf(cases, 'caller', 'status').size
        expect(deal(cases, dimensions, seed).length).toBeLessThanOrEqual(most)
      }),
    )
  })

  it('use each caller about as often as any other, and others for another seed', () => {
    const cases = Array.from({ length: 200 }, (_, index) => ({ route: Math.floor(index / 10), caller: index % 10, status: 403 }))
    const used = deal(cases, dimensions, 1)
    expect(used).toHaveLength(20)
    for (let caller = 0; caller < 10; caller += 1) expect(used.filter((one) => one.caller === caller)).toHaveLength(2)
    expect(deal(cases, dimensions, 2)).not.toEqual(used)
  })
})
