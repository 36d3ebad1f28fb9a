/**
 * What a decision of the rate limits costs, and whether they hold: one JSON line.
 *
 *   npm run bench:limits -- [--rounds 8]
 *
 * One process with the limiter of the backend on an embedded Postgres of its own, as `vedette serve` runs it. Credentials use up
 * their limit one after the other, so that each group asks the database as often as it does in earnest: logins and writes each
 * time, reads and pushes when their lease is spent. Beside them in the same rounds: a counter in a Map, and `select 1` by the
 * same pool, which is what any answer of the database costs.
 *
 * CPU time counts, never the clock: of this process (`ownUs`) and of all processes of Postgres (`postgresUs`), as sums over the
 * rounds. Goal: `us` ≤ 100 a decision in each group. `unnamed` is the same where statements may not be prepared, as behind a
 * pooler (any `DATABASE_URL`). `accepted` is what 2 and 4 limiters on one database let in of ten times the limit, 16 in flight on
 * each: exactly the limit of logins and writes, of reads and pushes never more and at most a twentieth less.
 */
import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { systemClock } from '../backend/src/platform/clock.ts'
import { createPool, migrate, type Pool } from '../backend/src/platform/db/index.ts'
import { startEmbeddedPostgres } from '../backend/src/platform/db/postgres/index.ts'
import type { LimitGroup, RateLimiter } from '../backend/src/platform/http/index.ts'
import {
  createDatabaseClock,
  createLimitStore,
  type DatabaseClock,
  type LimitStore,
  readDatabaseTime,
  startSharedLimiter,
} from '../backend/src/platform/limits/index.ts'
import { silentLog } from '../backend/src/platform/log.ts'
import { newDataDir } from './backend.ts'
import { cpuOfTree, round } from './processes.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '8' } } })
const rounds = Number(values.rounds)

const LIMITS = { auth: 10, read: 100, write: 30, agent: 1_000, probe: 1_000 } as const
const GROUPS = Object.keys(LIMITS) as LimitGroup[]
const IN_FLIGHT = 16
const GOAL_US = 100
/** So many of each in a round: some tenths of a second, since the CPU time of others is counted in hundredths. */
const ASKING = 3_000
const LEASED = 15_000
const MAPPED = 1_000_000

interface Case {
  name: string
  calls: number
  inFlight: number
  /** One decision or round trip of this caller. */
  step(caller: number): unknown
}

interface Spent {
  calls: number
  seconds: number
  ownUs: number
  postgresUs: number
}

/** A credential after the other, each until its limit is used up. */
function credentials(limit: number): (caller: number) => string {
  const callers = new Map<number, { key: string; left: number }>()
  return (caller) => {
    let current = callers.get(caller)
    if (!current || current.left === 0) {
      current = { key: `user:${randomUUID()}`, left: limit }
      callers.set(caller, current)
    }
    current.left -= 1
    return current.key
  }
}

function decisions(limiter: RateLimiter, prefix = ''): Case[] {
  return GROUPS.flatMap((group) => {
    const calls = group === 'auth' || group === 'write' ? ASKING : LEASED
    return [1, IN_FLIGHT].map((inFlight) => {
      const next = credentials(LIMITS[group])
      return { name: nameOf(prefix + group, inFlight), calls, inFlight, step: (caller) => limiter.take(next(caller), group) }
    })
  })
}

const nameOf = (what: string, inFlight: number): string => `${what} ${inFlight === 1 ? 'alone' : `${inFlight} in flight`}`

function roundTrips({ pg }: Pool): Case[] {
  return [1, IN_FLIGHT].map((inFlight) => {
    const step = () => pg.query('select 1')
    return { name: nameOf('select 1', inFlight), calls: ASKING, inFlight, step }
  })
}

function mapCounter(): Case {
  const windows = new Map<string, { minute: number; used: number }>()
  const next = credentials(LIMITS.read)
  const step = (caller: number) => {
    const key = next(caller)
    const minute = Math.floor(Date.now() / 60_000)
    const window = windows.get(key)
    if (window?.minute === minute) window.used += 1
    else windows.set(key, { minute, used: 1 })
  }
  return { name: 'map', calls: MAPPED, inFlight: 1, step }
}

async function drive({ calls, inFlight, step }: Case): Promise<void> {
  let left = calls
  const caller = async (index: number) => {
    while (left > 0) {
      left -= 1
      const answer = step(index)
      if (answer instanceof Promise) await answer
    }
  }
  await Promise.all(Array.from({ length: inFlight }, (_, index) => caller(index)))
}

async function measure(one: Case, postgresPid: number): Promise<Spent> {
  const [own, postgres, startedAt] = [process.cpuUsage(), cpuOfTree(postgresPid), performance.now()]
  await drive(one)
  const seconds = (performance.now() - startedAt) / 1_000
  const { user, system } = process.cpuUsage(own)
  return { calls: one.calls, seconds, ownUs: user + system, postgresUs: (cpuOfTree(postgresPid) - postgres) * 1e6 }
}

const sum = (spent: readonly Spent[], pick: (one: Spent) => number): number => spent.reduce((total, one) => total + pick(one), 0)

function figuresOf(spent: readonly Spent[]) {
  const calls = sum(spent, (one) => one.calls)
  const [ownUs, postgresUs] = [sum(spent, (one) => one.ownUs) / calls, sum(spent, (one) => one.postgresUs) / calls]
  return {
    us: round(ownUs + postgresUs),
    ownUs: round(ownUs),
    postgresUs: round(postgresUs),
    perSecond: Math.round(calls / sum(spent, (one) => one.seconds)),
  }
}

const startLimiter = (store: LimitStore, databaseClock: DatabaseClock) =>
  startSharedLimiter({ store, limits: LIMITS, databaseClock, clock: systemClock, log: silentLog })

/** Of an instance that has its installation for itself, whatever else runs in this bench. */
const alone = (store: LimitStore): LimitStore => ({ ...store, announce: () => Promise.resolve(1) })

/** How many of ten times the limit so many limiters on one database let in, by group. */
async function accepted(url: string, count: number, minute: number): Promise<Record<string, number>> {
  // One minute for all: its end must not fall into the count.
  const still = { now: () => minute * 60_000, measure: () => Promise.resolve() }
  const pools = Array.from({ length: count }, () => createPool({ url, clock: systemClock, log: silentLog, max: 4 }))
  const limiters = await Promise.all(pools.map((pool) => startLimiter(createLimitStore(pool), still)))
  for (const limiter of limiters) await limiter.keep()
  const admitted: Record<string, number> = {}
  for (const group of GROUPS) {
    let [left, letIn] = [LIMITS[group] * 10, 0]
    const caller = async (limiter: RateLimiter) => {
      while (left-- > 0) if ((await limiter.take('user:hot', group)).verdict === 'admitted') letIn += 1
    }
    await Promise.all(limiters.flatMap((limiter) => Array.from({ length: IN_FLIGHT }, () => caller(limiter))))
    admitted[group] = letIn
  }
  for (const limiter of limiters) await limiter.leave()
  for (const pool of pools) await pool.end()
  return admitted
}

function holds(admitted: Record<string, number>): boolean {
  return GROUPS.every((group) => {
    const [limit, letIn] = [LIMITS[group], admitted[group] ?? 0]
    return letIn <= limit && letIn >= (group === 'auth' || group === 'write' ? limit : limit * 0.95)
  })
}

const dataDir = newDataDir()
const postgres = await startEmbeddedPostgres({ dataDir, log: silentLog })
try {
  const pools = [true, false].map((namedStatements) =>
    createPool({ url: postgres.url, clock: systemClock, log: silentLog, namedStatements }),
  )
  const [named, unnamed] = pools as [Pool, Pool]
  await migrate(named.db, silentLog)
  const databaseClock = createDatabaseClock(() => readDatabaseTime(named))
  const limiter = await startLimiter(alone(createLimitStore(named)), databaseClock)
  const other = await startLimiter(alone(createLimitStore(unnamed)), databaseClock)
  const cases = [mapCounter(), ...roundTrips(named), ...decisions(limiter), ...decisions(other, 'unnamed ')]
  const spent = new Map<string, Spent[]>(cases.map(({ name }) => [name, []]))
  // Twice until V8 has compiled what is hot and Postgres has its plans.
  for (let index = -2; index < rounds; index += 1) {
    for (const one of cases) {
      const result = await measure(one, postgres.pid())
      if (index >= 0) spent.get(one.name)?.push(result)
    }
  }
  await limiter.leave()
  const minute = Math.floor(databaseClock.now() / 60_000) + 10
  const over = { 2: await accepted(postgres.url, 2, minute), 4: await accepted(postgres.url, 4, minute + 10) }
  for (const pool of pools) await pool.end()
  const figures = Object.fromEntries([...spent].map(([name, all]) => [name, figuresOf(all)]))
  const ofGroups = Object.entries(figures).filter(([name]) => /auth|read|write|agent/.test(name))
  console.log(
    JSON.stringify({
      ...figures,
      goalUs: GOAL_US,
      aboveGoal: ofGroups.filter(([, { us }]) => us > GOAL_US).map(([name]) => name),
      limits: LIMITS,
      accepted: over,
      holds: holds(over[2]) && holds(over[4]),
      rounds,
    }),
  )
} finally {
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
}
