import { randomInt } from 'node:crypto'
import { readConfigureGlobal } from 'fast-check'

/** How much tests that kill, cut and repeat do: 1 shows that it works at all; `npm run test:nightly` allows 1,000. */
const ALLOWED = Number(process.env['TEST_ROUNDS'] ?? 1)

/** Rounds of a test that asks for `most`. */
export function roundsOf(most: number, allowed = ALLOWED): number {
  return Math.max(1, Math.min(most, allowed))
}

/** As many of a test's slow cases as rounds are allowed, in their order: in the gate the same each time, elsewhere others each time. */
export function someOf<T>(
  cases: readonly T[],
  allowed = ALLOWED,
  seed = readConfigureGlobal()?.seed ?? randomInt(2 ** 31),
): readonly T[] {
  const count = roundsOf(cases.length, allowed)
  const first = seed % cases.length
  return cases.filter((_, index) => (index - first + cases.length) % cases.length < count)
}
