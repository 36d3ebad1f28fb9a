import type { LoopWatch } from '../../platform/loop-watch.ts'

export const PHASES = ['dns', 'connect', 'tls', 'firstByte', 'transfer'] as const
export type Phase = (typeof PHASES)[number]

/** What the phases of a check took, in whole µs; those of several hops add up. A phase that was not gone through is null. */
export interface Timeline {
  readonly us: Record<Phase, number | null>
  /** The phase that is under way, undefined between two. */
  readonly current: Phase | undefined
  /** So much of all that may be our own: see `LoopWatch`. */
  readonly doubtUs: number
  /** The target's turn begins now. */
  begin(phase: Phase): void
  /** The I/O callback that runs now ended the phase. */
  endByEvent(): void
  /** As `endByEvent`, and the next phase began with the same event: the target did not wait for us. */
  passByEvent(next: Phase): void
  /** The phase ended in the middle of a callback, by our own doing. */
  endNow(): void
  /** The phase ended with the event that began it. */
  endAtOnce(): void
  /** Takes the timeline back to where `mark` was taken. */
  rewind(mark: Timeline['us']): void
}

export function createTimeline(watch: LoopWatch): Timeline {
  const us: Timeline['us'] = { dns: null, connect: null, tls: null, firstByte: null, transfer: null }
  let current: Phase | undefined
  let sinceUs = 0
  let doubtUs = 0
  const end = (atUs: number) => {
    if (current !== undefined) us[current] = (us[current] ?? 0) + Math.max(0, atUs - sinceUs)
    current = undefined
  }
  const endByEvent = () => {
    const event = watch.eventSince(sinceUs)
    doubtUs += event.doubtUs
    end(event.atUs)
    return event.atUs
  }
  return {
    us,
    get current() {
      return current
    },
    get doubtUs() {
      return doubtUs
    },
    begin(phase) {
      current = phase
      sinceUs = watch.nowUs()
    },
    endByEvent,
    passByEvent(next) {
      sinceUs = endByEvent()
      current = next
    },
    endNow: () => end(watch.nowUs()),
    endAtOnce: () => end(sinceUs),
    rewind: (mark) => void Object.assign(us, mark),
  }
}
