import { describe, expect, it } from 'vitest'
import { createSchedule, evaluationOfPushAt, nextEvaluationAt, type TrackedServer } from './server-schedule.ts'

/** A multiple of three seconds, to which evaluations are moved. */
const NOW = 9_999_000
/**
 * In how many seconds a server is evaluated. `receivedAgo`: seconds since its last push; `offlineIn`: seconds until it is offline;
 * `awayFor`: seconds since it would have been without a start of the backend.
 */
const schedule = (receivedAgo: number | undefined, offlineIn: number, awayFor = -offlineIn): number =>
  (nextEvaluationAt(
    {
      receivedMs: receivedAgo === undefined ? undefined : NOW - receivedAgo * 1000,
      offlineMs: NOW + offlineIn * 1000,
      awaySinceMs: NOW - awayFor * 1000,
      pushIntervalMs: 60_000,
      awayEveryMs: 60_000,
    },
    NOW,
  ) -
    NOW) /
  1000

describe('a server is looked at', () => {
  it.each([
    ['when its next push has come', 1, 179, 63],
    ['every few seconds, once it is late', 70, 110, 6],
    ['exactly when it is offline', 177, 3, 3],
    ['every few seconds, when it just was lost', 185, -5, 5],
    ['less often, the longer it is away', 780, -600, 30],
    ['every minute at least', 90_000, -80_000, 60],
    ['soon, where it never sent anything', undefined, 100, 63],
  ] as const)('%s', (_, receivedAgo, offlineIn, expected) => expect(schedule(receivedAgo, offlineIn)).toBe(expected))

  it.each([
    ['when it is offline, where it was away long before the start', 9_000, 30, 8_000, 30],
    ['less often from then on', 9_000, -10, 8_000, 60],
    ['every few seconds, where it was away for a short time', 300, -10, 60, 5],
  ] as const)('%s', (_, receivedAgo, offlineIn, awayFor, expected) =>
    expect(schedule(receivedAgo, offlineIn, awayFor)).toBe(expected),
  )
})

it.each([
  [0, 3_000],
  [1_500, 1_500],
  [1_501, 4_499],
  [2_999, 3_001],
])('a push that comes %i ms after a common instant is evaluated %i ms later', (ms, laterMs) =>
  expect(evaluationOfPushAt(NOW + ms) - NOW - ms).toBe(laterMs),
)

describe('the queue', () => {
  const waited = (id: string, dueMs: number): TrackedServer => ({
    organization: 1,
    server: 1,
    id,
    dueMs,
    evaluatedUntilMs: 0,
    evaluated: [],
  })
  const namesOf = (taken: readonly TrackedServer[]) => taken.map(({ id }) => id).join()

  it('gives what is due, to the millisecond, what waits longest first, and each but once', () => {
    const queue = createSchedule()
    for (const one of [waited('c', NOW + 2), waited('b', NOW + 1), waited('a', NOW - 5_000), waited('d', NOW + 70_000)])
      queue.add(one)
    expect([queue.isDue(NOW - 5_001), queue.isDue(NOW - 5_000)]).toEqual([false, true])
    expect(namesOf(queue.takeDue(NOW + 1))).toBe('a,b')
    expect(queue.isDue(NOW + 1)).toBe(false)
    expect(namesOf(queue.takeDue(NOW + 1))).toBe('')
    expect(namesOf(queue.takeDue(NOW + 60_000))).toBe('c')
    expect(namesOf(queue.takeDue(NOW + 80_000))).toBe('d')
  })

  it('goes by what one says when it is taken, wherever else it was added before', () => {
    const queue = createSchedule()
    const one = waited('a', NOW + 30_000)
    queue.add(one)
    one.dueMs = NOW
    queue.add(one)
    expect(namesOf(queue.takeDue(NOW))).toBe('a')
    one.dueMs = NOW + 40_000
    queue.add(one)
    expect(namesOf(queue.takeDue(NOW + 35_000))).toBe('')
    expect(namesOf(queue.takeDue(NOW + 40_000))).toBe('a')
    expect(namesOf(queue.takeDue(NOW + 90_000))).toBe('')
  })
})
