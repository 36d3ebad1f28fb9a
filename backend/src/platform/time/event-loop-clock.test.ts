import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createEventLoopClock } from './event-loop-clock.ts'

/** A loop that is played: `active` and `asleep` let time pass, and a turn ends when the real loop has run its immediates. */
function play() {
  let nowUs = 1_000_000
  let idleUs = 0
  let waitedUs = 0
  const watch = createEventLoopClock({ nowUs: () => nowUs, idleUs: () => idleUs, waitedUs: () => waitedUs })
  return {
    watch,
    now: () => nowUs,
    active: (us: number) => void (nowUs += us),
    asleep(us: number) {
      nowUs += us
      idleUs += us
    },
    /** What woke the thread, and then had to wait for a processor: libuv counts both as idle. */
    asleepAndWaiting(us: number, waiting: number) {
      nowUs += us + waiting
      idleUs += us + waiting
      waitedUs += waiting
    },
    endOfTurn: () => nextTurn(),
  }
}

describe('an event', () => {
  test('that woke the loop is known to the microsecond', async () => {
    const { watch, now, active, asleep, endOfTurn } = play()
    watch.eventSince(0)
    const since = now()
    await endOfTurn()
    asleep(20_000)
    expect(watch.eventSince(since)).toEqual({ atUs: now(), uncertaintyUs: 0 })
    await endOfTurn()
    active(40)
    asleep(20_000)
    expect(watch.eventSince(since).uncertaintyUs).toBe(40)
  })

  test('that woke a thread which then waited for a processor happened before that wait', async () => {
    const { watch, now, asleepAndWaiting, endOfTurn } = play()
    watch.eventSince(0)
    const since = now()
    await endOfTurn()
    asleepAndWaiting(20_000, 7_000)
    expect(watch.eventSince(since)).toEqual({ atUs: since + 20_000, uncertaintyUs: 7_000 })
  })

  test('that waited for others of its turn happened before all of them', async () => {
    const { watch, now, active, asleep, endOfTurn } = play()
    watch.eventSince(0)
    const since = now()
    await endOfTurn()
    asleep(20_000)
    const first = watch.eventSince(since)
    active(30_000)
    expect(watch.eventSince(since)).toEqual(first)
  })

  test('that came while the thread was blocked is in doubt by the whole block', async () => {
    const { watch, now, active, endOfTurn } = play()
    watch.eventSince(0)
    const since = now()
    active(100_000)
    await endOfTurn()
    expect(watch.eventSince(since)).toEqual({ atUs: since + 50_000, uncertaintyUs: 100_000 })
  })

  test('that came while a timer ran between two turns is in doubt by the time it ran', async () => {
    const { watch, now, active, asleep, endOfTurn } = play()
    watch.eventSince(0)
    const since = now()
    await endOfTurn()
    asleep(500_000)
    active(8_000)
    const { atUs, uncertaintyUs } = watch.eventSince(since)
    expect(uncertaintyUs).toBe(8_000)
    expect(atUs).toBe(now() - 4_000)
  })

  test('cannot have come before what it answers', async () => {
    const { watch, now, active, endOfTurn } = play()
    watch.eventSince(0)
    active(100_000)
    const since = now()
    active(300)
    await endOfTurn()
    expect(watch.eventSince(since)).toEqual({ atUs: since + 150, uncertaintyUs: 300 })
  })
})
