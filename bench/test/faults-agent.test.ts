import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { roundsOf, someOf } from '../../scripts/test-rounds.ts'
import { isMissing } from '../../scripts/test-tools.ts'
import { clockJumps, diskFull, killed, longOutage } from '../faults-agent/host-cases.ts'
import * as network from '../faults-agent/network-cases.ts'
import { startWorld, type World } from '../faults-agent/world.ts'

/** Real processes that wait for real seconds, on machines with other work: a bound for what hangs, not for what is slow. */
const LIMIT_MS = 600_000

let world: World
beforeAll(async () => {
  world = await startWorld()
}, LIMIT_MS)
afterAll(() => world?.stop())

/** All that was taken is stored, once. */
const WHOLE = { lost: 0, doubled: 0, wrong: 0 }

// At once, since they mostly wait.
describe.concurrent('an agent loses and doubles no sample', { timeout: LIMIT_MS }, () => {
  test.each(someOf([0, 3]))('when it is killed, kinds of kill from %i [AGENT-09]', async (first) => {
    expect(await killed(world, roundsOf(3), first)).toMatchObject({ ...WHOLE, lostAtKill: 0 })
  })
  test('in an outage of hours [AGENT-09]', async () => {
    const found = await longOutage(world, 2, 3_000)
    expect(found).toMatchObject(WHOLE)
    expect(found.taken).toBeGreaterThan(600)
  })
  test.each(someOf(['429 with Retry-After', '502 with HTML', 'garbage', 'a body without end'] as const))(
    'when it is answered with %s',
    async (name) => {
      expect(await network.wrongAnswer(world, name, 2)).toMatchObject({ ...WHOLE, tries: 2 })
    },
  )
  test('when requests arrive twice and responses are lost', async () => {
    expect(await network.duplicated(world, 1)).toMatchObject(WHOLE)
  })
  test('when its token is replaced during a push, and the old one is refused', async () => {
    expect(await network.rotated(world, 1)).toMatchObject({ ...WHOLE, oldTokenAccepted: 0 })
  })
  test('when a connection stays open and transfers nothing', async () => {
    expect(await network.halfOpen(world, 1, 3_000)).toMatchObject(WHOLE)
  })
  test.each(someOf(network.NAME_FAULTS))('when the name of the backend gets %s', async (fault) => {
    expect(await network.nameFails(world, fault, 1)).toMatchObject(WHOLE)
  })
  test.runIf(process.platform === 'linux')('when the name of the backend resolves to another address', async () => {
    expect(await network.nameMoves(world, 2)).toMatchObject(WHOLE)
  })
  test('when its clock is set back and forth', async () => {
    expect(await clockJumps(world, [3_600_000, -3_600_000])).toMatchObject(WHOLE)
  })
  test.skipIf(isMissing('root', 'mount'))('except the oldest, as many as it reports, on a full disk', async () => {
    const found = await diskFull(world, { kib: 200, hours: 0.6, memoryBytes: 50_000 })
    expect(found).toMatchObject({ ...WHOLE, droppedOutOfOrder: 0 })
    expect(found['reportedSamples']).toBeGreaterThan(0)
  })
})
