import pg from 'pg'

/** `pg_locks` of the own database alone: clones of one template have the same numbers for their tables. */
export const OWN_LOCKS = `(
  select * from pg_locks where database = (select oid from pg_database where datname = current_database())
) as own_locks`

/** Somebody else's transaction that stands in the way. */
export interface Hold {
  /** Resolves once so many others wait for a lock, or `otherwise` is settled. */
  untilWaiting(count: number, otherwise?: Promise<unknown>): Promise<void>
  release(): Promise<void>
}

const DEADLOCK = '40P01'

export async function holdBy(databaseUrl: string, statement: string): Promise<Hold> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  // The transactions that are in the way may take the same locks in another order: then one of them or this one is cancelled.
  for (let tries = 1; ; tries += 1) {
    try {
      await client.query('begin')
      await client.query(statement)
      break
    } catch (error) {
      await client.query('rollback')
      if ((error as { code?: string }).code !== DEADLOCK || tries === 10) {
        await client.end()
        throw error
      }
    }
  }
  return {
    untilWaiting: async (count, otherwise) => {
      const settled = { is: false }
      const note = () => void (settled.is = true)
      otherwise?.then(note, note)
      const waiting = "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
      // Inside a transaction the view stays as it was first seen.
      while (!settled.is && ((await client.query(waiting)).rowCount ?? 0) < count)
        await client.query('select pg_stat_clear_snapshot()')
    },
    release: async () => {
      await client.query('commit')
      await client.end()
    },
  }
}
