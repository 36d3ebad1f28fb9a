import { expect, it } from 'vitest'
import { NO_ANNOUNCEMENTS } from '../../../../test/changes.ts'
import { createFakeClock } from '../../../../test/fake-clock.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { yieldToEventLoop } from '../../../platform/concurrency/yield-to-event-loop.ts'
import { type PolicyProber, startPolicyProber, type TargetPolicy } from '../policy/prober.ts'
import { resultOf } from './monitors.ts'

async function following() {
  const clock = createFakeClock(0)
  const said: string[] = []
  const world = { policy: [] as TargetPolicy, inFlight: 0 }
  const prober = await startPolicyProber({
    clock,
    log: silentLog,
    changes: NO_ANNOUNCEMENTS,
    readPolicy: async () => world.policy,
    start: (policy): PolicyProber => {
      said.push(`start ${String(policy)}`)
      return {
        check: async () => {
          said.push(`check ${String(policy)}`)
          return resultOf('up', 0)
        },
        get inFlight() {
          return world.inFlight
        },
        close: async () => void said.push(`close ${String(policy)}`),
      }
    },
  })
  const pass = async (ms: number) => {
    clock.advance(ms)
    for (let turns = 0; turns < 5; turns += 1) await yieldToEventLoop()
  }
  return { prober, said, world, pass }
}

it('new checks follow a changed policy; running ones end first [CHECK-25]', async () => {
  const { prober, said, world, pass } = await following()
  await pass(0)
  await prober.check({} as never)
  world.inFlight = 1
  world.policy = 'all'
  await pass(5_000)
  await prober.check({} as never)
  expect(said).toEqual(['start ', 'check ', 'start all', 'check all'])
  world.inFlight = 0
  await pass(5_000)
  expect(said.at(-1)).toBe('close ')
  await prober.close()
  expect(said.at(-1)).toBe('close all')
})

it('an unchanged policy restarts nothing', async () => {
  const { prober, said, pass } = await following()
  await pass(5_000)
  await pass(5_000)
  expect(said).toEqual(['start '])
  await prober.close()
})
