import { round2 } from './processes.ts'

/** A bound that a figure promises to stay within, itself included. */
export type Goal = { atMost: number } | { atLeast: number }

/** One measured figure. */
export interface Figure {
  name: string
  value: number
  unit: string
  goal?: Goal
  /** The same figure of another program in the same run; its goal bounds the ratio, ours to theirs. */
  peer?: { name: string; value: number; goal?: Goal }
}

/** A figure with what follows from it. */
export interface ReportedFigure extends Figure {
  /** Ours to the peer's. */
  ratio?: number
  /** Whether all goals hold; absent without a goal. */
  met?: boolean
}

/** What `npm run bench` prints as its last line, and what `results.json` keeps of the last saved run. */
export interface BenchResult {
  bench: string
  at: string
  commit: string
  machine: string
  /** Load average of the last minute at the end. */
  load: number
  figures: ReportedFigure[]
}

const holds = (value: number, goal: Goal): boolean => ('atMost' in goal ? value <= goal.atMost : value >= goal.atLeast)

/** Adds the ratio to the peer and whether the goals hold. */
export function toReported(figure: Figure): ReportedFigure {
  const { value, goal, peer } = figure
  const ratio = peer && round2(value / peer.value)
  const results = [...(goal ? [holds(value, goal)] : []), ...(peer?.goal && ratio !== undefined ? [holds(ratio, peer.goal)] : [])]
  return {
    ...figure,
    value: round2(value),
    ...(peer && { peer: { ...peer, value: round2(peer.value) }, ratio: ratio as number }),
    ...(results.length > 0 && { met: results.every(Boolean) }),
  }
}

/**
 * Prints what a bench measured as its last line. Figures that could not be measured are left out; `details` help to explain the
 * others. Throws for a value that is no number, which JSON would turn to null and a goal count as 0.
 */
export function printFigures(figures: readonly (Figure | undefined)[], details: object = {}): void {
  for (const { name, value, peer } of figures.filter((figure) => figure !== undefined))
    if (!Number.isFinite(value) || (peer && !Number.isFinite(peer.value))) throw new Error(`no figure was measured: ${name}`)
  console.log(JSON.stringify({ figures: figures.filter((figure) => figure !== undefined), details }))
}
