import type { SourceFiles } from './files.ts'
import { instantOf, objectOf } from './json.ts'

/** A time in which somebody is on duty. */
export interface DutyEntry {
  fromMs: number
  toMs: number
  email: string
}

/** The entry of a period of the source; none where its times are no instants. */
export function entryOf(from: unknown, to: unknown, email: string): DutyEntry[] {
  const [fromMs, toMs] = [instantOf(from), instantOf(to)]
  return fromMs === undefined || toMs === undefined ? [] : [{ fromMs, toMs, email }]
}

/** What a fetch saved, and which time it rendered. */
export const FETCHED_FILE = 'fetched.json'

/** The time whose shifts a fetch saved; undefined: the files were saved in another way, and nobody says which time they are of. Pure. */
export function savedRange(files: SourceFiles): { fromMs: number; toMs: number } | undefined {
  const { from, to } = objectOf(files.get(FETCHED_FILE))
  const [fromMs, toMs] = [instantOf(from), instantOf(to)]
  return fromMs === undefined || toMs === undefined ? undefined : { fromMs, toMs }
}

/** A time in which two tools have other people on duty. */
export interface DutyDifference {
  fromMs: number
  toMs: number
  theirs: string[]
  ours: string[]
}

/** The times of a range in which others are on duty, joined where they follow each other. Pure. */
export function differencesOf(
  theirs: readonly DutyEntry[],
  ours: readonly DutyEntry[],
  range: { fromMs: number; toMs: number },
): DutyDifference[] {
  const sides = [theirs, ours].map((entries) => sortedEdges(entries, range))
  const edges = [...new Set([range.fromMs, range.toMs, ...sides.flatMap((side) => side.map(({ atMs }) => atMs))])].toSorted(
    (one, other) => one - other,
  )
  const [their, our] = sides.map(createSweep) as [(atMs: number) => string[], (atMs: number) => string[]]
  const found: DutyDifference[] = []
  for (const [index, fromMs] of edges.slice(0, -1).entries()) {
    const toMs = edges[index + 1] as number
    const difference = { fromMs, toMs, theirs: their(fromMs), ours: our(fromMs) }
    if (difference.theirs.join() === difference.ours.join()) continue
    const last = found.at(-1)
    const isSame =
      last?.toMs === fromMs && last.theirs.join() === difference.theirs.join() && last.ours.join() === difference.ours.join()
    if (last && isSame) last.toMs = toMs
    else found.push(difference)
  }
  return found
}

interface Edge {
  atMs: number
  email: string
  by: 1 | -1
}

const sortedEdges = (entries: readonly DutyEntry[], range: { fromMs: number; toMs: number }): Edge[] =>
  entries
    .map(({ fromMs, toMs, email }) => ({
      fromMs: Math.max(fromMs, range.fromMs),
      toMs: Math.min(toMs, range.toMs),
      email: email.trim().toLowerCase(),
    }))
    .filter(({ fromMs, toMs }) => fromMs < toMs)
    .flatMap(({ fromMs, toMs, email }): Edge[] => [
      { atMs: fromMs, email, by: 1 },
      { atMs: toMs, email, by: -1 },
    ])
    .toSorted((one, other) => one.atMs - other.atMs)

/** Who is on duty at instants that only grow. */
function createSweep(edges: readonly Edge[]): (atMs: number) => string[] {
  const counts = new Map<string, number>()
  let next = 0
  return (atMs) => {
    for (; next < edges.length && (edges[next] as Edge).atMs <= atMs; next += 1) {
      const { email, by } = edges[next] as Edge
      counts.set(email, (counts.get(email) ?? 0) + by)
    }
    return [...counts].flatMap(([email, count]) => (count > 0 ? [email] : [])).toSorted()
  }
}
