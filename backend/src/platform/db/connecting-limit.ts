import type pg from 'pg'
import type { TakeShare } from './node-shares.ts'
import { currentBudget, outsideRequest, timedOut, type WaitingBudget, withinBudget } from '../concurrency/waiting-budget.ts'

type Callback = (error: Error | undefined, client?: pg.PoolClient, release?: (error?: Error | boolean) => void) => void

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
  const connect = pool.connect.bind(pool) as (callback?: Callback) => Promise<pg.PoolClient>
  const limited = (callback?: Callback): Promise<pg.PoolClient> | void => {
    const budget = currentBudget()
    if (!budget) return connect(callback)
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
    const connecting = connectWithin(shared, budget)
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
