import type { Outcome } from '../ingest/submit.ts'

/** How many points are not stored, and why, in words; undefined: all are. Pure. */
export function shortOf(
  { written, overLimit }: Outcome,
  refused: readonly Outcome['refused'][number][],
): { points: number; words: string } | undefined {
  if (refused.length === 0) return undefined
  const points = refused.reduce((sum, one) => sum + one.points, 0)
  const reasons = refused.map((one) => `${one.points} ${one.reason}`)
  const names = overLimit ? ` New series by name: ${namesOf(overLimit.names)}.` : ''
  return { points, words: `${written} samples are stored, and ${points} are not: ${reasons.join('; ')}.${names}` }
}

/** The ten that have most. */
function namesOf(names: readonly [name: string, series: number][]): string {
  const listed = names.slice(0, 10).map(([name, series]) => `${name} ${series}`)
  return [...listed, ...(names.length > 10 ? [`${names.length - 10} more names`] : [])].join(', ')
}
