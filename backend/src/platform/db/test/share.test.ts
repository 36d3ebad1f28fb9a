import { afterAll, beforeAll, expect, it } from 'vitest'
import { announcements, NO_ANNOUNCEMENTS } from '../../../../test/changes.ts'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { createShare } from '../share.ts'
import { SLICES } from '../slices.ts'

let backend: TestBackend
beforeAll(async () => {
  backend = await startTestBackend({ startMs: Date.now() })
})
afterAll(() => backend.close())

const HOLD_MS = 4_000
const nothing = async () => undefined

/** Processes that share work of this name, and the number of their statements. */
function sharing(name: string, changes = NO_ANNOUNCEMENTS) {
  const counted = { statements: 0 }
  const db = backend.pool.db.withPlugin({
    transformQuery: ({ node }) => {
      counted.statements += 1
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const join = (dueMs = () => 0) =>
    createShare({ db, clock: backend.clock, changes }, name, { holdMs: HOLD_MS, dueMs, wokenBy: ['alert_rule'] })
  return { counted, join }
}

const ids = (share: ReturnType<typeof createShare>) => share.slices().ids
const isDue = (share: ReturnType<typeof createShare>) => share.dueMs() <= backend.clock.now()
const missing = (...shares: ReturnType<typeof createShare>[]) => SLICES - new Set(shares.flatMap(ids)).size

it('a process that joins takes its slices from the others, which learn it within two seconds', async () => {
  const { join } = sharing('joining')
  const [one, other] = [join(), join()]
  expect(ids(one)).toEqual([])
  await one.run(nothing)
  expect(ids(one)).toHaveLength(SLICES)
  await other.run(nothing)
  expect(ids(other).length).toBeGreaterThan(0)
  backend.clock.advance(HOLD_MS / 2)
  expect(isDue(one)).toBe(true)
  await one.run(nothing)
  expect([ids(one).length + ids(other).length, missing(one, other)]).toEqual([SLICES, 0])
})

it('the slices of a process that died pass to the others after its share has expired, and not before', async () => {
  const { join } = sharing('dying')
  const [one, other] = [join(), join()]
  for (const each of [one, other]) await each.run(nothing)
  backend.clock.advance(HOLD_MS / 2)
  await one.run(nothing)
  const before = ids(one)
  expect(before.length).toBeLessThan(SLICES)
  for (let ms = HOLD_MS / 2 + 500; ms < HOLD_MS; ms += 500) {
    backend.clock.advance(500)
    await one.run(nothing)
    expect(ids(one)).toEqual(before)
  }
  backend.clock.advance(500)
  expect(isDue(one)).toBe(true)
  await one.run(nothing)
  expect(ids(one)).toHaveLength(SLICES)
})

it('the slices of a process that ends pass to the others when that is announced', async () => {
  const { changes, announce } = announcements()
  const { join } = sharing('ending', changes)
  const [one, other] = [join(), join()]
  for (const each of [one, other]) await each.run(nothing)
  announce('work_share', 'ending')
  await one.run(nothing)
  expect(missing(one, other)).toBe(0)
  await other.release()
  expect(ids(one).length).toBeLessThan(SLICES)
  announce('work_share', 'ending')
  expect(isDue(one)).toBe(true)
  await one.run(nothing)
  expect(ids(one)).toHaveLength(SLICES)
})

it('two processes at rest need three statements in 28 seconds, and keep their slices', async () => {
  const { changes, announce } = announcements()
  const { counted, join } = sharing('resting', changes)
  let dueMs = backend.clock.now() + 3_600_000
  const [one, other] = [join(() => dueMs), join(() => dueMs)]
  for (const each of [one, other]) await each.run(nothing)
  announce('work_share', 'resting')
  for (const each of [one, other]) await each.run(nothing)
  const [before, shares] = [counted.statements, [ids(one), ids(other)]]
  for (let second = 0; second < 280; second += 1) {
    backend.clock.advance(1_000)
    for (const each of [one, other]) if (isDue(each)) await each.run(nothing)
    expect([ids(one), ids(other)]).toEqual(shares)
  }
  expect(counted.statements - before).toBeLessThanOrEqual(3 * 10)
  // With something to do soon it lasts four seconds.
  dueMs = 0
  await one.run(nothing)
  const { rows } = await backend.pool.pg.query(`select max(until) as until from work_share where name = 'resting'`)
  expect(rows[0].until.getTime()).toBeLessThanOrEqual(backend.clock.now() + 30_000)
})

it('what is announced ends the rest of a process that died', async () => {
  const { changes, announce } = announcements()
  const { join } = sharing('waking', changes)
  const far = () => backend.clock.now() + 3_600_000
  const [one, dead] = [join(far), join(far)]
  for (const each of [one, dead, one]) await each.run(nothing)
  announce('work_share', 'waking')
  await one.run(nothing)
  backend.clock.advance(1_000)
  expect(ids(one).length).toBeLessThan(SLICES)
  announce('alert_rule')
  expect(isDue(one)).toBe(true)
  await one.run(nothing)
  backend.clock.advance(HOLD_MS)
  expect(isDue(one)).toBe(true)
  await one.run(nothing)
  expect(ids(one)).toHaveLength(SLICES)
})

it('a task that takes long keeps the share of its process', async () => {
  const { join } = sharing('working')
  const [one, other] = [join(), join()]
  for (const each of [one, other]) await each.run(nothing)
  const [begun, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const running = one.run(() => {
    begun.resolve()
    return done.promise
  })
  await begun.promise
  const untilMs = async () => {
    const { rows } = await backend.pool.pg.query(`select min(until) as until from work_share where name = 'working'`)
    return rows[0].until.getTime() as number
  }
  for (let second = 0; second < 10; second += 1) {
    backend.clock.advance(1_000)
    await other.run(nothing)
    await expect.poll(untilMs).toBeGreaterThan(backend.clock.now() + 1_000)
    expect(ids(other).length).toBeLessThan(SLICES)
  }
  done.resolve()
  await running
})
