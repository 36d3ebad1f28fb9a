import { expect, it } from 'vitest'
import { createFakeClock } from '../../../../test/fake-clock.ts'
import { silentLog } from '../../logging/log.ts'
import { createDatabaseRetry } from '../database-retry.ts'

const START_MS = Date.parse('2026-11-20T18:07:10.000Z')
const turn = () => new Promise((resolve) => setImmediate(resolve))
const lost = () => Object.assign(new Error('gone'), { code: 'ECONNREFUSED' })

function setUp() {
  const clock = createFakeClock(START_MS)
  return {
    clock,
    patience: createDatabaseRetry({ clock, log: silentLog }),
    advance: async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 100) {
        clock.advance(100)
        await turn()
      }
    },
  }
}

/** The value of a promise; `pending` while it has none. */
const stateOf = (work: Promise<unknown>) => Promise.race([work, turn().then(() => 'pending')])

it('a statement that hangs fails after four to five seconds, and callers do not wait for the next one', async () => {
  const { patience, advance } = setUp()
  const early = patience.attempt(() => new Promise<never>(() => undefined))
  await advance(700)
  const late = patience.attempt(() => new Promise<never>(() => undefined))
  await advance(3_200)
  expect(await stateOf(early)).toBe('pending')
  expect(patience.isAway()).toBe(false)
  await advance(1_100)
  expect(await stateOf(early)).toBeUndefined()
  expect(patience.isAway()).toBe(true)
  await advance(700)
  expect(await stateOf(late)).toBeUndefined()
})

it('a statement that starts after an idle period is watched too', async () => {
  const { patience, advance } = setUp()
  expect(await patience.attempt(() => Promise.resolve(7))).toBe(7)
  await advance(10_000)
  const hanging = patience.attempt(() => new Promise<never>(() => undefined))
  await advance(5_100)
  expect(await stateOf(hanging)).toBeUndefined()
})

it('a short outage is retried without a log message', async () => {
  const { patience, advance } = setUp()
  let tries = 0
  const work = patience.attempt(() => ((tries += 1) < 4 ? Promise.reject(lost()) : Promise.resolve('there')))
  await advance(1_000)
  expect(await stateOf(work)).toBe('there')
  expect([tries, patience.isAway()]).toEqual([4, false])
})

it('a wrong statement fails at once, and a lost connection fails after a long outage', async () => {
  const { patience, advance } = setUp()
  expect(await patience.attempt(() => Promise.reject(new Error('syntax error')))).toBeUndefined()
  const work = patience.attempt(() => Promise.reject(lost()))
  await advance(5_200)
  expect(await stateOf(work)).toBeUndefined()
})
