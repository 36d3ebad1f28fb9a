import { decodeChecks } from './block.ts'
import { type Distribution, ExactTimes, Sketch } from './distribution.ts'
import type { Counts } from './figures.ts'
import type { Piece } from './store.ts'

/** Counts of some checks, with percentiles of their response times. */
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

  /** A day that is put together; only a sketch takes it. */
  addDay({ checks, failed, answered, responseSumUs, data }: Piece): void {
    this.checks += checks
    this.failed += failed
    this.answered += answered
    this.responseSumUs += responseSumUs
    if (!this.times.addEncoded || !data) throw new Error('a day is added to a sketch only')
    this.times.addEncoded(data)
  }
}

const DOWN = 2

/** Which tallies a check of this instant and region, or a whole day, belongs to. */
export type Choose = (region: number, atMs: number) => readonly Tally[]

/** Adds every check of the pieces to the tallies that are chosen for it. */
export function gather(pieces: readonly Piece[], choose: Choose): void {
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
