import type pg from 'pg'
import { currentBudget, timedOut, type WaitingBudget, withinBudget } from '../concurrency/waiting-budget.ts'

type Callback = (error: Error | undefined, client?: pg.PoolClient, release?: (error?: Error | boolean) => void) => void

/** A request waits for a connection of the pool as long as its budget allows; what comes later goes back to the pool. */
export function limitConnecting(pool: pg.Pool): void {
  const connect = pool.connect.bind(pool) as (callback?: Callback) => Promise<pg.PoolClient>
  const limited = (callback?: Callback): Promise<pg.PoolClient> | void => {
    const budget = currentBudget()
    if (!budget) return connect(callback)
    const connecting = connectWithin(connect, budget)
    if (!callback) return connecting
    connecting.then(
      // oxlint-disable-next-line promise/no-callback-in-promise -- the driver's own form, which its `query` uses
      (client) => callback(undefined, client, client.release.bind(client)),
      // oxlint-disable-next-line promise/no-callback-in-promise
      (error: Error) => callback(error),
    )
  }
  pool.connect = limited as typeof pool.connect
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
