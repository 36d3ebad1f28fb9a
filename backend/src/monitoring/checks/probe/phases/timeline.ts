import type { EventLoopClock } from '../../../../platform/time/event-loop-clock.ts'

export const PHASES = ['dns', 'connect', 'tls', 'firstByte', 'transfer'] as const
export type Phase = (typeof PHASES)[number]

/** Durations of the phases in µs, added up over redirects. A skipped phase is null. */
export interface Timeline {
  readonly us: Record<Phase, number | null>
  /** The phase in progress; undefined between phases. */
  readonly current: Phase | undefined
  /** What the phase waits for, where its name does not say it. `isOurs`: waiting in vain says nothing of the target. */
  waitsFor: { text: string; isOurs: boolean } | undefined
  /** The part of the durations that may be own delay: see `EventLoopClock`. */
  readonly doubtUs: number
  /** Begins a phase: the target's time runs. */
  begin(phase: Phase): void
  /** Ends the phase with the current I/O callback. */
  endByEvent(): void
  /** Ends the phase as `endByEvent` and begins the next one at the same event. */
  passByEvent(next: Phase): void
  /** Ends the phase in the middle of a callback. */
  endNow(): void
  /** Ends the phase with the event that began it. */
  endAtOnce(): void
  /** Restores the durations of `mark`. */
  rewind(mark: Timeline['us']): void
}

export function createTimeline(watch: EventLoopClock): Timeline {
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
    doubtUs += event.uncertaintyUs
    end(event.atUs)
    return event.atUs
  }
  return {
    us,
    get current() {
      return current
    },
    waitsFor: undefined,
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

/** The sum of the phases, µs. */
export const responseUs = ({ us }: Timeline): number => PHASES.reduce((sum, phase) => sum + (us[phase] ?? 0), 0)
