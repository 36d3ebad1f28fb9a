import { appendFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { OutboundRequest } from '../../src/notifications/messages/delivery.ts'
import { type Ground, run } from './run.ts'
import { makeScene } from './scene.ts'
import { seeded } from './seeded.ts'
import { Sessions } from './sessions.ts'
import { storeScene } from './stored-scene.ts'

// Ids, random numbers and pauses of the product follow from the seed while a world runs.
vi.mock('../../src/platform/ids.ts', async (original) => {
  const real = await original<typeof import('../../src/platform/ids.ts')>()
  return {
    ...real,
    newId: () => seeded.now?.ids.ordered() ?? real.newId(),
    newRandomId: () => seeded.now?.ids.any() ?? real.newRandomId(),
  }
})
vi.mock('../../src/platform/crypto/random.ts', async (original) => {
  const real = await original<typeof import('../../src/platform/crypto/random.ts')>()
  return {
    randomBytes: (count: number) => seeded.now?.random.bytes(count) ?? real.randomBytes(count),
    randomFraction: () => seeded.now?.random.fraction() ?? real.randomFraction(),
  }
})
vi.mock('node:timers/promises', async (original) => {
  const real = await original<typeof import('node:timers/promises')>()
  return {
    ...real,
    setTimeout: (ms: number, ...rest: []) =>
      seeded.now ? new Promise((resolve) => setTimeout(resolve, ms)) : real.setTimeout(ms, ...rest),
  }
})

vi.mock('../../src/notifications/deliveries/request.ts', () => ({
  createRequester: () => (request: OutboundRequest) => seeded.now?.send(request),
}))

const given = process.env['TEST_SIMULATION_SEED']
const FIRST = Number(given ?? 1)
const COUNT = Number(process.env['TEST_SIMULATION_SEEDS'] ?? (given === undefined ? 100 : 1))

let ground: Ground
beforeAll(async () => {
  const scene = await makeScene()
  const stored = await storeScene(scene.backend.pool.pg)
  const sessions = await Sessions.open(scene.backend.databaseUrl)
  ground = { scene, stored, sessions }
})
afterAll(async () => {
  await ground.sessions.close()
  await ground.scene.backend.close()
})

it(`${COUNT} seeds from ${FIRST} on hold what must hold`, { timeout: 3_600_000 }, async () => {
  const began = performance.now()
  let statements = 0
  const failed: string[] = []
  const list = process.env['LIST']?.split(',').map(Number) ?? Array.from({ length: COUNT }, (_, i) => FIRST + i)
  for (const seed of list) {
    const trace: string[] | undefined = process.env['LIST'] === undefined ? undefined : []
    try {
      const result = await run(seed, ground, trace)
      statements += result.statements
      if (process.env['TEST_SIMULATION_HASHES']) console.log(`seed ${seed}: ${result.hash} ${result.statements}`)
    } catch (error) {
      failed.push(`npm test -- simulation --seed ${seed}: ${(error as Error).message}`)
      if (process.env['DBG']) console.log((error as Error).stack)
      appendFileSync('/tmp/sim.failed', failed.at(-1) + '\n')
    }
    if (trace) writeFileSync(`/tmp/sim.trace.${seed}`, trace.join('\n'))
  }
  const cpu = process.cpuUsage()
  console.info(
    `figure: ${COUNT} seeds, ${statements} statements, ${Math.round(performance.now() - began)} ms, ${((cpu.user + cpu.system) / 1000) | 0} ms CPU of this process`,
  )
  expect(failed).toEqual([])
})

it('the same seed gives the same run', { timeout: 240_000 }, async () => {
  const [before, after]: [string[], string[]] = [[], []]
  const first = await run(FIRST, ground, before)
  for (let seed = FIRST + 1; seed < FIRST + 3; seed += 1) await run(seed, ground).catch(() => undefined)
  const again = await run(FIRST, ground, after)
  if (process.env['DBG']) {
    writeFileSync('/tmp/sim.before', before.join('\n'))
    writeFileSync('/tmp/sim.after', after.join('\n'))
  }
  expect(again.hash).toBe(first.hash)
})
