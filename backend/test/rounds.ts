/**
 * How often a test that searches by repeating tries: once in the gate and in other runs, since one round shows that it works at all;
 * `TEST_ROUNDS=1000` (`npm run test:nightly`) allows so many, and `most` is what the test asks for.
 */
export function roundsOf(most: number, allowed = Number(process.env['TEST_ROUNDS'] ?? 1)): number {
  return Math.max(1, Math.min(most, allowed))
}
