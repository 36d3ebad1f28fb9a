import { setTimeout as sleep } from 'node:timers/promises'
import type { AgentUnderFault } from './agent-under-fault.ts'
import { ANSWERS, type AnswerName, FaultyBackend } from './faulty-backend.ts'
import { FaultProxy } from './fault-proxy.ts'
import type { Finding } from './finding.ts'
import { OFTEN, SETTLE_SECONDS, withAgent } from './host-cases.ts'
import { type NameFault, NameServer } from './name-server.ts'
import type { World } from './world.ts'

export const ALL_ANSWERS = Object.keys(ANSWERS) as AnswerName[]
const RETRY_AFTER_MS = 3_000

/** F6: so many tries in a row that get one wrong answer; never more than a try a second, Retry-After obeyed, nothing lost. */
export async function wrongAnswer(world: World, name: AnswerName, tries: number): Promise<Finding> {
  const faulty = new FaultyBackend(name)
  const faultyPort = await faulty.listen()
  try {
    return await withAgent(world, OFTEN, async (agent) => {
      agent.start()
      await agent.sampled(1)
      agent.proxy.target = faultyPort
      agent.proxy.breakAll()
      await faulty.tried(tries)
      agent.proxy.target = world.port
      agent.proxy.breakAll()
      const gaps = faulty.tries.slice(1).map((at, index) => at - (faulty.tries[index] ?? 0))
      const obeyed = name === '429 with Retry-After' && {
        retryAfterError: Math.max(...gaps.map((gap) => Math.abs(gap - RETRY_AFTER_MS) / RETRY_AFTER_MS)),
      }
      return { tries, ...(await world.settle(agent, SETTLE_SECONDS)), shortestGapMs: Math.round(Math.min(...gaps)), ...obeyed }
    })
  } finally {
    await faulty.close()
  }
}

/** F7: every request twice at once, over two connections, and cut answers, so that batches come again and out of order. */
export function duplicated(world: World, runs: number): Promise<Finding> {
  return withAgent(world, OFTEN, async (agent) => {
    agent.proxy.fault = { kind: 'duplicate' }
    agent.start()
    for (let run = 0; run < runs; run++) {
      agent.proxy.fault = { kind: 'duplicate' }
      agent.proxy.breakAll()
      await agent.accepted()
      agent.proxy.fault = { kind: 'cut', afterBytes: 50, direction: 'down' }
      agent.proxy.breakAll()
      await agent.failed()
    }
    agent.proxy.fault = { kind: 'duplicate' }
    agent.proxy.breakAll()
    return { runs, ...(await world.settle(agent, SETTLE_SECONDS)) }
  })
}

/** F8: the token replaced while pushes go, every second time while one is on its way; the agent is given the new one and goes on. */
export function rotated(world: World, runs: number): Promise<Finding> {
  return withAgent(world, OFTEN, async (agent) => {
    agent.start()
    let [oldTokenAccepted, old] = [0, agent.host.token]
    for (let run = 0; run < runs; run++) {
      await (run % 2 === 0 ? agent.proxy.passed('up') : agent.sampled(1 + (run % 5)))
      const token = await world.rotate(agent)
      if (await world.isTaken(old)) oldTokenAccepted++
      agent.writeConfig(token)
      old = token
    }
    return { runs, ...(await world.settle(agent, SETTLE_SECONDS)), oldTokenAccepted }
  })
}

/** F10: connections that stand and carry nothing any more; the next one works. */
export function halfOpen(world: World, runs: number, timeoutMs?: number): Promise<Finding> {
  return withAgent(world, OFTEN, async (agent) => {
    agent.start({ ...(timeoutMs !== undefined && { timeoutMs }) })
    await agent.accepted()
    let slowestSeconds = 0
    for (let run = 0; run < runs; run++) {
      await agent.sampled(1)
      await freezeUntilItFails(agent)
      slowestSeconds = Math.max(slowestSeconds, (Date.now() - Date.parse(agent.status()?.last_try_at ?? '')) / 1_000)
      await agent.accepted()
    }
    return { runs, ...(await world.settle(agent, SETTLE_SECONDS)), slowestSeconds: Math.round(slowestSeconds * 10) / 10 }
  })
}

/** A connection that stood too long unused is closed, and its successor would be spared: whatever stands is frozen, again and again. */
async function freezeUntilItFails(agent: AgentUnderFault): Promise<void> {
  const failing = agent.failed().then(() => true)
  do agent.proxy.freezeAll()
  while (!(await Promise.race([failing, sleep(500, false)])))
}

export const NAME_FAULTS = ['NXDOMAIN', 'SERVFAIL', 'silence'] as const satisfies readonly NameFault[]

/** F11: a name that is not to be had for a while. */
export function nameFails(world: World, fault: NameFault, runs: number): Promise<Finding> {
  return withName(world, async (agent, names) => {
    for (let run = 0; run < runs; run++) {
      names.fault = fault
      agent.proxy.breakAll()
      await agent.failed()
      names.fault = 'none'
      await agent.accepted()
    }
    return { runs, ...(await world.settle(agent, SETTLE_SECONDS)) }
  })
}

/** F11: the name moves to another address, and nobody is at the old one any more. Linux only, where all of 127/8 is here. */
export function nameMoves(world: World, runs: number): Promise<Finding> {
  return withName(world, async (agent, names) => {
    const other = new FaultProxy(world.port)
    await other.listen('127.0.0.2', agent.port)
    try {
      for (let run = 0; run < runs; run++) {
        const [from, to] = run % 2 === 0 ? [agent.proxy, other] : [other, agent.proxy]
        to.fault = { kind: 'none' }
        names.address = run % 2 === 0 ? '127.0.0.2' : '127.0.0.1'
        from.fault = { kind: 'refuse' }
        from.breakAll()
        await agent.accepted()
      }
      return { runs, ...(await world.settle(agent, SETTLE_SECONDS)) }
    } finally {
      await agent.stop()
      await other.close()
    }
  })
}

async function withName(world: World, use: (agent: AgentUnderFault, names: NameServer) => Promise<Finding>): Promise<Finding> {
  const names = new NameServer()
  const nameServer = await names.listen()
  try {
    return await withAgent(world, { ...OFTEN, name: 'backend.faults.test', nameServer }, async (agent) => {
      agent.start()
      await agent.accepted()
      return use(agent, names)
    })
  } finally {
    names.close()
  }
}
