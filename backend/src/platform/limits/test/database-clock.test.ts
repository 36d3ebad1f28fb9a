import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { createDatabaseClock } from '../database-clock.ts'
import { readDatabaseTime } from '../store.ts'

describe('the clock of the database', () => {
  let backend: TestBackend
  beforeAll(async () => {
    backend = await startTestBackend()
  })
  afterAll(() => backend.close())

  it('is the same on machines whose clocks differ', async () => {
    const read = () => readDatabaseTime(backend.pool)
    const clocks = [0, 90_000, -86_400_000].map((skew) =>
      createDatabaseClock(
        read,
        () => performance.now(),
        () => Date.now() + skew,
      ),
    )
    for (const clock of clocks) await clock.measure()
    const database = await read()
    for (const clock of clocks) expect(Math.abs(clock.now() - database)).toBeLessThan(30_000)
  })

  it('advances with the monotonic clock and uses the measurement with the shortest round trip', async () => {
    let monotonic = 1_000
    // Ways of 100, 2 and 40 ms; the database is 50,000 ms ahead, and answers half-way.
    const ways = [100, 2, 40]
    const clock = createDatabaseClock(
      async () => {
        const way = ways.shift() ?? 0
        monotonic += way
        return monotonic + 50_000 - (way === 2 ? 1 : 0)
      },
      () => monotonic,
      () => 7,
    )
    expect(clock.now()).toBe(7)
    await clock.measure()
    expect(clock.now()).toBe(monotonic + 50_000)
    monotonic += 1_234
    expect(clock.now()).toBe(monotonic + 50_000)
  })
})
