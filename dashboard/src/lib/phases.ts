export const PHASES = ['dns', 'connect', 'tls', 'first_byte', 'transfer'] as const
export type Phase = (typeof PHASES)[number]
export type PhaseTimes = Readonly<Record<`${Phase}_ms`, number | null>>

/** The start and length of each phase of a check, ms; a phase that did not happen is left out. */
export function spansOf(times: PhaseTimes): { phase: Phase; start: number; length: number }[] {
  let start = 0
  return PHASES.flatMap((phase) => {
    const length = times[`${phase}_ms`]
    if (length === null) return []
    const span = { phase, start, length }
    start += length
    return [span]
  })
}
