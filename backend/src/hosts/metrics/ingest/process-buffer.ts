import type { Clock } from '../../../platform/time/clock.ts'
import type { Db } from '../../../platform/db/index.ts'
import { insertProcessLists, type ProcessList, type ProcessListRow, PROCESS_RETENTION_MS } from '../../servers/index.ts'

/** Process lists on their way to the table: they go there together every few seconds, not with each push. */
export interface ProcessBuffer {
  /** Lists past the retention are passed over. */
  record(row: ProcessListRow): void
  /** Lists of the server that are not stored yet. */
  waiting(serverId: string): ProcessList[]
  /** Stores what waits where that is at least so many; what could not be stored waits on. */
  flush(least: number): Promise<void>
}

/** While the database is away the oldest go: some 15 MB, minutes of a thousand hosts. */
const MAX_WAITING = 20_000
const ROWS_PER_STATEMENT = 1_000

export function createProcessBuffer(db: Db, clock: Clock, maxWaiting = MAX_WAITING): ProcessBuffer {
  let rows: ProcessListRow[] = []
  let flushing: Promise<void> = Promise.resolve()

  async function store(): Promise<void> {
    while (rows.length > 0) {
      const taken = rows.slice(0, ROWS_PER_STATEMENT)
      await insertProcessLists(db, taken)
      // By identity: those at the head may have given way to newer ones meanwhile.
      const stored = new Set(taken)
      rows = rows.filter((row) => !stored.has(row))
    }
  }

  return {
    record: (row) => {
      if (row.atMs < clock.now() - PROCESS_RETENTION_MS) return
      if (rows.length >= maxWaiting) rows.shift()
      rows.push(row)
    },
    waiting: (serverId) => rows.filter((row) => row.serverId === serverId),
    flush: (least) => {
      if (rows.length < least) return flushing
      flushing = flushing.then(store, store)
      return flushing
    },
  }
}
