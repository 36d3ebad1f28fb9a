import { DOWN } from '../results/outcome-code.ts'
import { decodeChecks } from './hour-block.ts'
import { type Distribution, ExactTimes, Sketch } from './distribution.ts'
import type { Counts } from './counts.ts'
import type { StatsRow } from './store.ts'

/** Counts of checks with the percentiles of their response times. */
export class Tally implements Counts {
  checks = 0
  failed = 0
  answered = 0
  responseSumUs = 0
  readonly times: Distribution & { addEncoded?: (data: Uint8Array) => void }

  constructor(isExact: boolean) {
    this.times = isExact ? new ExactTimes() : new Sketch()
  }

  add(outcome: number, responseUs: number | null): void {
    this.checks += 1
    if (outcome === DOWN) this.failed += 1
    if (responseUs === null) return
    this.answered += 1
    this.responseSumUs += responseUs
    this.times.add(responseUs)
  }

  /** Takes checks out of uptime; their response times stay. */
  takeOut(checks: number, failed: number): void {
    this.checks -= checks
    this.failed -= failed
  }

  /** Adds a compacted day; only sketches can be merged. */
  addDay({ checks, failed, answered, responseSumUs, data }: StatsRow): void {
    this.checks += checks
    this.failed += failed
    this.answered += answered
    this.responseSumUs += responseSumUs
    if (!this.times.addEncoded || !data) throw new Error('only a sketch can add a compacted day')
    this.times.addEncoded(data)
  }
}

/** The tallies that a check of this instant and region, or a compacted day, belongs to. */
export type TallySelector = (region: number, atMs: number) => readonly Tally[]

/** Adds every check of the rows to its tallies. */
export function tallyRows(pieces: readonly StatsRow[], choose: TallySelector): void {
  for (const piece of pieces) {
    const { kind, region, atMs, data } = piece
    if (kind === 'day') for (const tally of choose(region, atMs)) tally.addDay(piece)
    else if (kind === 'check') for (const tally of choose(region, atMs)) tally.add(piece.outcome, piece.responseUs)
    else
      decodeChecks(atMs, data ?? Buffer.of(), (at, outcome, responseUs) => {
        for (const tally of choose(region, at)) tally.add(outcome, responseUs)
      })
  }
}
