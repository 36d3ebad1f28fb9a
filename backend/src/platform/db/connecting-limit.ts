import type pg from 'pg'
import type { TakeShare } from './node-shares.ts'
import { currentBudget, outsideRequest, timedOut, type WaitingBudget, withinBudget } from '../concurrency/waiting-budget.ts'

type Callback = (error: Error | undefined, client?: pg.PoolClient, release?: (error?: Error | boolean) => void) => void

/**
 * How long one waits for a connection to come back before another is opened. A new session costs some 35 ms of processor time, and a
 * statement a few: four that are sent at once would else open two sessions each minute, which close again.
 */
const PATIENCE_MS = 10

/** Those of Node; replaced in tests. */
type Timers = Pick<typeof globalThis, 'setTimeout' | 'clearTimeout'>

/** Lets the pool grow beyond its least size only where none of its connections comes back soon. */
export function growSlowly(pool: pg.Pool, { setTimeout, clearTimeout }: Timers = globalThis): void {
  const waiting = new Set<() => void>()
  pool.on('release', () => {
    const [first] = waiting
    if (!first) return
    waiting.delete(first)
    // Only after this event the connection is idle.
    setImmediate(first)
  })
  const released = () =>
    new Promise<void>((resolve) => {
      const goOn = () => {
        clearTimeout(timer)
        waiting.delete(goOn)
        resolve()
      }
      const timer = setTimeout(goOn, PATIENCE_MS)
      waiting.add(goOn)
    })
  const connect = pool.connect.bind(pool) as () => Promise<pg.PoolClient>
  const { min = 0, max } = pool.options
  // An idle one that is given away counts as idle until the next turn.
  const wouldGrow = () => pool.idleCount <= pool.waitingCount && pool.totalCount >= Math.max(1, min) && pool.totalCount < max
  pool.connect = withCallback(async () => {
    if (wouldGrow()) await released()
    return connect()
  })
}

/** A connecting function in both forms of the driver, whose `query` uses the one with a callback. */
function withCallback(connect: () => Promise<pg.PoolClient>): pg.Pool['connect'] {
  return ((callback?: Callback) => {
    const connecting = connect()
    if (!callback) return connecting
    connecting.then(
      // oxlint-disable-next-line promise/no-callback-in-promise -- the driver's own form
      (client) => callback(undefined, client, client.release.bind(client)),
      // oxlint-disable-next-line promise/no-callback-in-promise -- the same
      (error: Error) => callback(error),
    )
    return undefined
  }) as pg.Pool['connect']
}

/**
 * A request waits for a connection of the pool, and for the share of its organization, as long as its budget allows; what comes later
 * goes back to the pool.
 */
export function limitConnecting(pool: pg.Pool, takeShare?: TakeShare): void {
  const givenBack = new Map<pg.PoolClient, () => void>()
  pool.on('release', (_error, client) => {
    givenBack.get(client)?.()
    givenBack.delete(client)
  })
  const connect = pool.connect.bind(pool) as () => Promise<pg.PoolClient>
  const limited = (): Promise<pg.PoolClient> => {
    const budget = currentBudget()
    if (!budget) return connect()
    const { organization } = budget
    const shared = async (): Promise<pg.PoolClient> => {
      if (!takeShare || organization === undefined) return connect()
      const giveBack = await outsideRequest(() => takeShare(organization))
      try {
        const client = await connect()
        givenBack.set(client, giveBack)
        return client
      } catch (error) {
        giveBack()
        throw error
      }
    }
    return connectWithin(shared, budget)
  }
  pool.connect = withCallback(limited)
}

async function connectWithin(connect: () => Promise<pg.PoolClient>, budget: WaitingBudget): Promise<pg.PoolClient> {
  if (budget.leftMs() <= 0) throw timedOut(budget.limitMs)
  const connecting = connect()
  try {
    return await withinBudget(connecting, budget)
  } catch (error) {
    connecting.then(
      (client) => client.release(),
      () => undefined,
    )
    throw error
  }
}
