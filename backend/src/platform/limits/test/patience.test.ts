import { expect, it } from 'vitest'
import { createFakeClock } from '../../../../test/fake-clock.ts'
import { silentLog } from '../../log.ts'
import { createPatience } from '../patience.ts'

const START_MS = Date.parse('2026-11-20T18:07:10.000Z')
const turn = () => new Promise((resolve) => setImmediate(resolve))
const lost = () => Object.assign(new Error('gone'), { code: 'ECONNREFUSED' })

function setUp() {
  const clock = createFakeClock(START_MS)
  return {
    clock,
    patience: createPatience({ clock, log: silentLog }),
    advance: async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 100) {
        clock.advance(100)
        await turn()
      }
    },
  }
}

/** What a promise has come to; `pending` while it has not. */
const stateOf = (work: Promise<unknown>) => Promise.race([work, turn().then(() => 'pending')])

it('gives up a statement that hangs after four to five seconds, and nobody waits for the next one', async () => {
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

it('watches those that come after it has looked in vain for a while', async () => {
  const { patience, advance } = setUp()
  expect(await patience.attempt(() => Promise.resolve(7))).toBe(7)
  await advance(10_000)
  const hanging = patience.attempt(() => new Promise<never>(() => undefined))
  await advance(5_100)
  expect(await stateOf(hanging)).toBeUndefined()
})

it('waits out a short absence, and says nothing of it', async () => {
  const { patience, advance } = setUp()
  let tries = 0
  const work = patience.attempt(() => ((tries += 1) < 4 ? Promise.reject(lost()) : Promise.resolve('there')))
  await advance(1_000)
  expect(await stateOf(work)).toBe('there')
  expect([tries, patience.isAway()]).toEqual([4, false])
})

it('gives up at once on a statement that is wrong, and after a long absence', async () => {
  const { patience, advance } = setUp()
  expect(await patience.attempt(() => Promise.reject(new Error('syntax error')))).toBeUndefined()
  const work = patience.attempt(() => Promise.reject(lost()))
  await advance(5_200)
  expect(await stateOf(work)).toBeUndefined()
})
