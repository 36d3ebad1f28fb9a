import type { Pool, PoolClient, QueryArrayConfig, QueryArrayResult } from 'pg'

/** Runs small statements that come all the time, one after the other, on a connection that is not given back in between. */
export interface DedicatedConnection {
  /** As the pool's own; while another of these is under way it goes by the pool. */
  query<Row extends unknown[]>(statement: QueryArrayConfig, values: unknown[]): Promise<QueryArrayResult<Row>>
  /** Gives the connection back; a later query takes another one. */
  release(): void
}

/** Taking a connection out of the pool and putting it back costs a fifth of what such a statement costs altogether. */
export function createDedicatedConnection(pool: Pool): DedicatedConnection {
  let open: PoolClient | undefined
  let isBusy = false

  function drop(client: PoolClient | undefined, isBroken: boolean): void {
    if (!client || open !== client) return
    open = undefined
    client.release(isBroken)
  }

  async function take(): Promise<PoolClient> {
    const client = await pool.connect()
    open = client
    // Broken while nobody asks: the next query takes another one and does not fail first.
    for (const event of ['error', 'end'] as const) client.once(event, () => drop(client, true))
    return client
  }

  return {
    query: async <Row extends unknown[]>(statement: QueryArrayConfig, values: unknown[]) => {
      if (isBusy) return pool.query<Row>(statement, values)
      isBusy = true
      try {
        return await (open ?? (await take())).query<Row>(statement, values)
      } catch (error) {
        drop(open, true)
        throw error
      } finally {
        isBusy = false
      }
    },
    release: () => drop(open, false),
  }
}
