import { randomInt } from 'node:crypto'
import { readConfigureGlobal } from 'fast-check'
import { randomFrom } from './random.ts'

/** The dimensions of a matrix, for instance of routes × callers: the route, the caller, and the expected status. */
export interface Dimensions<T> {
  row(one: T): string
  kind(one: T): string
  outcome(one: T): string
}

/** A part of the cases, in their order: each row meets each of its outcomes, and each kind meets each of its outcomes in some row. */
export function deal<T>(cases: readonly T[], { row, kind, outcome }: Dimensions<T>, seed: number): T[] {
  const random = randomFrom(seed)
  const shuffled = cases
    .map((one) => ({ one, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one)
  const uses = new Map<string, number>()
  const dealt = new Set<T>()
  const nameOf = (one: T) => JSON.stringify([kind(one), outcome(one)])
  const usesOf = (one: T) => uses.get(nameOf(one)) ?? 0
  const take = (one: T) => {
    dealt.add(one)
    uses.set(nameOf(one), usesOf(one) + 1)
  }
  const groups = Map.groupBy(shuffled, (one) => JSON.stringify([row(one), outcome(one)]))
  for (const group of groups.values()) take(group.reduce((least, one) => (usesOf(one) < usesOf(least) ? one : least)))
  for (const one of shuffled) if (usesOf(one) === 0) take(one)
  return cases.filter((one) => dealt.has(one))
}

/** As at night. */
export const isWhole = process.env['TEST_MATRICES'] === 'whole'
const seed = readConfigureGlobal()?.seed ?? randomInt(2 ** 31)
if (!isWhole) console.info(`matrices: dealt by TEST_SEED=${seed}`)

/** All cases with `TEST_MATRICES=whole`; else those that `deal` gives, in the gate the same each time. */
export const casesOf = <T>(cases: readonly T[], dimensions: Dimensions<T>): T[] =>
  isWhole ? [...cases] : deal(cases, dimensions, seed)
