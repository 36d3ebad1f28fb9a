import { CHECK_PHASES, type CheckPhase } from '@vedette/shared/tables'

export type PhaseTimes = Readonly<Record<`${CheckPhase}_ms`, number | null>>

/** The start and length of each phase of a check, ms; a phase that did not happen is left out. */
export function spansOf(times: PhaseTimes): { phase: CheckPhase; start: number; length: number }[] {
  let start = 0
  return CHECK_PHASES.flatMap((phase) => {
    const length = times[`${phase}_ms`]
    if (length === null) return []
    const span = { phase, start, length }
    start += length
    return [span]
  })
}
