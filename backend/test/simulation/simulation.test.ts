import type * as Timers from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { OutboundRequest } from '../../src/notifying/notifications/messages/delivery.ts'
import type * as Random from '../../src/platform/crypto/random.ts'
import type * as Ids from '../../src/platform/ids.ts'
import { START_MS } from '../global-setup.ts'
import { createIds, createRandom } from './random.ts'
import { type Ground, run } from './run.ts'
import { makeScene } from './scene.ts'
import { seeded } from './seeded.ts'
import { Sessions } from './sessions.ts'
import { storeScene } from './stored-scene.ts'

// Ids, random numbers, pauses and requests of the product follow from the seed while a world runs.
vi.mock('../../src/platform/ids.ts', async (original) => {
  const real = await original<typeof Ids>()
  return {
    ...real,
    newId: () => seeded.now?.ids.ordered() ?? real.newId(),
    newRandomId: () => seeded.now?.ids.any() ?? real.newRandomId(),
  }
})
vi.mock('../../src/platform/crypto/random.ts', async (original) => {
  const real = await original<typeof Random>()
  return {
    randomBytes: (count: number) => seeded.now?.random.bytes(count) ?? real.randomBytes(count),
    randomFraction: () => seeded.now?.random.fraction() ?? real.randomFraction(),
  }
})
vi.mock('node:timers/promises', async (original) => {
  const real = await original<typeof Timers>()
  const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms))
  return {
    ...real,
    setTimeout: (...given: Parameters<typeof real.setTimeout>) => (seeded.now ? pause(given[0] ?? 0) : real.setTimeout(...given)),
  }
})
vi.mock('../../src/notifying/notifications/deliveries/request.ts', () => ({
  createRequester: () => (request: OutboundRequest) => seeded.now?.send(request),
}))

const environment = process.env
const given = environment['TEST_SIMULATION_SEED']
const FIRST = Number(given ?? 1)
const COUNT = given === undefined ? Number(environment['TEST_SIMULATION_SEEDS'] ?? 100) : 1

let ground: Ground
beforeAll(async () => {
  // Of no seed: the scene is the same for all.
  const random = createRandom(0)
  seeded.now = { random, ids: createIds(random, () => START_MS), send: () => Promise.reject(new Error('nobody is there')) }
  const scene = await makeScene()
  seeded.now = undefined
  const stored = await storeScene(scene.backend.pool.pg)
  ground = { scene, stored, sessions: await Sessions.open(scene.backend.databaseUrl) }
})
afterAll(async () => {
  await ground.sessions.close()
  await ground.scene.backend.close()
})

it(`nothing is lost, doubled or left waiting, whatever happens: ${COUNT} seeds from ${FIRST} on`, {
  timeout: 60_000 + COUNT * 20_000,
}, async () => {
  const beganAt = performance.now()
  let statements = 0
  for (let seed = FIRST; seed < FIRST + COUNT; seed += 1) {
    const trace: string[] = []
    try {
      statements += (await run(seed, ground, trace)).statements
    } catch (error) {
      if (given !== undefined) console.info(trace.join('\n'))
      throw new Error(`${(error as Error).message}\nseed ${seed} fails; again: npm test -- simulation --seed ${seed}`, {
        cause: error,
      })
    }
  }
  expect(statements).toBeGreaterThan(COUNT)
  console.info(`figure: ${COUNT} seeds, ${statements} statements, ${Math.round((performance.now() - beganAt) / COUNT)} ms a seed`)
})

it('the same seed gives the same run, whatever ran before', { timeout: 240_000 }, async () => {
  const first: string[] = []
  const again: string[] = []
  await run(FIRST, ground, first)
  await run(FIRST + 1, ground)
  await run(FIRST, ground, again)
  expect(again).toEqual(first)
})
