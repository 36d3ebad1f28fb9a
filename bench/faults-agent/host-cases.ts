import { HOUR_MS } from '../../shared/src/index.ts'
import { execFileSync } from 'node:child_process'
import type { AgentUnderFault, AgentOptions } from './agent-under-fault.ts'
import type { Finding } from './finding.ts'
import type { World } from './world.ts'

/** Long enough for a request that hangs, the minute until a refused agent checks its token again, and a busy machine. */
export const SETTLE_SECONDS = 240

export async function withAgent<T>(world: World, options: AgentOptions, use: (agent: AgentUnderFault) => Promise<T>): Promise<T> {
  const agent = await world.agent(options)
  try {
    return await use(agent)
  } finally {
    await agent.close()
  }
}

export const OFTEN = { sample: 1, push: 5 }
const USUAL = { sample: 10, push: 60 }

/** When a kill comes: each of the instants between taking a sample and forgetting it, and any other. */
const KILLS: ((agent: AgentUnderFault, kill: () => void) => void)[] = [
  (agent, kill) => (agent.onKept = kill),
  (agent, kill) => (agent.proxy.onPassed = (direction) => direction === 'up' && kill()),
  (agent, kill) => (agent.proxy.onPassed = (direction) => direction === 'down' && kill()),
  (agent, kill) => (agent.proxy.onPassed = (direction) => direction === 'down' && setTimeout(kill, Math.random() * 20)),
  (agent, kill) => void setTimeout(() => (agent.onKept = kill), 2_500),
  (_agent, kill) => void setTimeout(kill, 500 + Math.random() * 4_000),
]

/** F1: killed at random, and at each step between spool and deletion; from the kind of kill of number `first` on. */
export function killed(world: World, runs: number, first = 0): Promise<Finding> {
  return withAgent(world, OFTEN, async (agent) => {
    for (let run = 0; run < runs; run++) {
      const { promise, resolve } = Promise.withResolvers<void>()
      KILLS[(first + run) % KILLS.length]?.(agent, resolve)
      agent.start()
      await promise
      await agent.kill()
      agent.onKept = undefined
      agent.proxy.onPassed = undefined
    }
    agent.start()
    return { kills: runs, ...(await world.settle(agent, SETTLE_SECONDS)) }
  })
}

/**
 * F4: a disk of so many KiB, and an outage that needs more. Root only. What is not stored must be the oldest samples, as many as
 * `status` says were dropped.
 */
export function diskFull(world: World, { kib, hours, memoryBytes }: { kib: number; hours: number; memoryBytes: number }) {
  return withAgent(world, OFTEN, async (agent): Promise<Finding> => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kib}k,mode=0700`, 'tmpfs', agent.stateDir])
    try {
      agent.proxy.fault = { kind: 'refuse' }
      agent.start({ clock: { offsetMs: -hours * HOUR_MS, speed: 1_000 }, memoryBytes })
      await agent.present()
      agent.proxy.fault = { kind: 'none' }
      const dropped = () => agent.status()?.dropped_samples ?? 0
      const found = await world.settle(agent, SETTLE_SECONDS, dropped)
      const lost = Math.abs(found.lost - dropped())
      return { ...found, lost, reportedSamples: dropped(), droppedOutOfOrder: found.newestMissing - found.lost, hours }
    } finally {
      await agent.stop()
      execFileSync('umount', ['-l', agent.stateDir])
    }
  })
}

/** F5: so many hours without a network, on a clock that is driven; then all of it, and live data in time meanwhile. */
export function longOutage(world: World, hours: number, speed: number): Promise<Finding> {
  return withAgent(world, USUAL, async (agent) => {
    agent.proxy.fault = { kind: 'refuse' }
    agent.start({ clock: { offsetMs: -hours * HOUR_MS, speed }, pastPause: hours > 12 ? 0.3 : 0.05 })
    await agent.present()
    const healedMs = Date.now()
    agent.proxy.fault = { kind: 'none' }
    await agent.until((status) => status.queued_batches === 0)
    const catchUpSeconds = Math.round((Date.now() - healedMs) / 100) / 10
    const liveLatenessSeconds = await world.liveLatenessSeconds(agent, healedMs)
    return { ...(await world.settle(agent, SETTLE_SECONDS)), hours, catchUpSeconds, liveLatenessSeconds }
  })
}

/**
 * F13: the wall clock is set back and forth. Samples that are too far ahead stay in the spool until the backend's clock allows
 * them, or are rejected for good. Every other one that is not stored is lost, also if the spool has a copy of a stored one.
 */
export function clockJumps(world: World, jumpsMs: readonly number[]): Promise<Finding> {
  return withAgent(world, OFTEN, async (agent) => {
    agent.start()
    await agent.sampled(2)
    for (const jumpMs of jumpsMs) {
      agent.jump(jumpMs)
      await agent.sampled(6)
    }
    const found = await world.settle(agent, SETTLE_SECONDS, () => agent.rejected() + (agent.status()?.queued_samples ?? 0))
    const spooled = agent.spooled()
    const missing = (await world.unstored(agent)).filter((number) => !spooled.has(number))
    const rejectedSamples = agent.rejected()
    const lost = Math.abs(missing.length - rejectedSamples)
    return { jumps: jumpsMs.length, ...found, lost, rejectedSamples, queuedSamples: spooled.size }
  })
}
