import { HOUR_MS } from '../../shared/src/index.ts'
import { compactEntities } from '../../backend/src/hosts/entities/index.ts'
import { withLongStatements } from '../../backend/src/platform/db/index.ts'
import { systemClock } from '../../backend/src/platform/time/clock.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { audit, faultsIn, type AuditResult } from './audit.ts'
import { Chaos } from './chaos.ts'
import { Installation } from './installation.ts'
import { FATE, Ledger } from './ledger.ts'
import { type Habits, PushAgent } from './push-agent.ts'
import { Sender } from './sender.ts'

export interface Plan {
  name: string
  agents: number
  /** It goes on until so many samples are acknowledged. */
  samples: number
  habits: Partial<Habits>
  /** Whether `vedette compact` runs repeatedly at the same time and is killed. */
  compacts: boolean
  strike(chaos: Chaos): Promise<void>
}

export type Finding = Record<string, unknown> & { case: string; acked: number; readings: number; faults: number }

const HABITS: Habits = { pauseMs: 60, twice: 0.02, again: 0.02, dead: 0.02, misdated: 0.02, forgetful: 0.2 }
/** Of samples of the days before, and of those of the hour under way. */
const PAST = { baseMs: 7.5 * 24 * HOUR_MS, stepMs: 2_000, capacity: 320_000 }
const LIVE = { baseMs: 0.9 * HOUR_MS, stepMs: 10, capacity: 1_000_000 }
const DRAIN_MS = 120_000

/** One case on an installation of its own, two organizations on it; random, the same for the same seed but for the machine's part. */
export async function runCase(plan: Plan, seed: number): Promise<Finding> {
  const beganAt = performance.now()
  const random = randomOf(seed)
  const installation = new Installation()
  await installation.start()
  const sender = new Sender(installation.port)
  try {
    const chaos = new Chaos(installation, random)
    const agents = await makeAgents(plan, installation, sender, chaos, random)
    for (const agent of agents) agent.start()
    const acked = () => agents.reduce((sum, { ledger }) => sum + ledger.countOf(FATE.acked), 0)
    await reach(acked, Math.min(100_000, plan.samples / 3))
    if (plan.compacts) chaos.startCompacting()
    await plan.strike(chaos)
    await reach(acked, plan.samples)
    await chaos.stopCompacting()
    const left = (await Promise.all(agents.map((agent) => agent.drain(DRAIN_MS)))).reduce((sum, count) => sum + count, 0)
    const results = await readTwice(installation, chaos, agents)
    return {
      ...summary(plan, chaos, agents, results, left),
      seconds: Math.round((performance.now() - beganAt) / 1_000),
    }
  } finally {
    sender.close()
    await installation.stop()
  }
}

async function makeAgents(plan: Plan, installation: Installation, sender: Sender, chaos: Chaos, random: () => number) {
  const habits = { ...HABITS, ...plan.habits }
  const organizations = [await installation.firstOrganization(), await installation.organization('The other one')]
  const keys = [await installation.agentKey(organizations[0]?.id ?? ''), await installation.agentKey(organizations[1]?.id ?? '')]
  const rules = {
    onAnswer: chaos.note.bind(chaos),
    isCalmSince: chaos.isCalmSince.bind(chaos),
  }
  const agents: PushAgent[] = []
  for (let number = 0; number < plan.agents; number += 1) {
    const host = await installation.register(organizations[number % 2]?.id ?? '', keys[number % 2] ?? '')
    const { baseMs, stepMs, capacity } = number % 4 === 3 ? LIVE : PAST
    // Between two steps of the agent before: instants of two servers are never the same.
    const ledger = new Ledger(number, Math.floor((Date.now() - baseMs) / stepMs) * stepMs + (number % stepMs), stepMs, capacity)
    agents.push(new PushAgent(host, ledger, sender, habits, rules, random))
  }
  return agents
}

async function reach(count: () => number, wanted: number): Promise<void> {
  while (count() < wanted) await sleep(100)
}

/** Audits hours and pushes as they are now, then compacted rows alone. */
async function readTwice(
  installation: Installation,
  chaos: Chaos,
  agents: readonly PushAgent[],
): Promise<[AuditResult, AuditResult]> {
  const pool = await installation.pool()
  try {
    const asStored = await audit(installation, pool, agents)
    const marks = async () => (await pool.pg.query<{ n: number }>('select count(*)::int as n from metric_late')).rows[0]?.n
    for (let tries = 0; tries < 5; tries += 1) {
      await chaos.compact()
      if ((await marks()) === 0) break
    }
    await pool.pg.query(
      `delete from metric_push where t0 / 3600000 <= (select done from metric_progress where name = 'hour')
        and (t0 / 3600000, organization, server) not in (select hour, organization, server from metric_late)`,
    )
    await withLongStatements(() => compactEntities(pool.db, systemClock))
    return [asStored, await audit(installation, pool, agents)]
  } finally {
    await pool.end()
  }
}

function summary(
  plan: Plan,
  chaos: Chaos,
  agents: readonly PushAgent[],
  [asStored, compacted]: [AuditResult, AuditResult],
  left: number,
): Finding {
  const sumOf = (pick: (agent: PushAgent) => Record<string, number>) => {
    const sums: Record<string, number> = {}
    for (const agent of agents) for (const [name, count] of Object.entries(pick(agent))) sums[name] = (sums[name] ?? 0) + count
    return sums
  }
  const own = { ...chaos.faults, ...sumOf(({ faults }) => faults), left }
  const faults = faultsIn(asStored) + faultsIn(compacted) + Object.values(own).reduce((sum, count) => sum + count, 0)
  return {
    case: plan.name,
    faults,
    ...asStored,
    lost: asStored.lost + compacted.lost,
    doubled: asStored.doubled + compacted.doubled,
    wrong: asStored.wrong + compacted.wrong,
    ...own,
    ...(faultsIn(compacted) > 0 && { compacted }),
    ...sumOf(({ counts }) => counts),
    ...chaos.counts,
    slowestMs: chaos.slowestMs,
    statuses: chaos.statuses,
  }
}

/** mulberry32: what is random must be repeatable. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let hash = Math.imul(state ^ (state >>> 15), state | 1)
    hash ^= hash + Math.imul(hash ^ (hash >>> 7), hash | 61)
    return ((hash ^ (hash >>> 14)) >>> 0) / 2 ** 32
  }
}
