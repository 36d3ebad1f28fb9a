import { MINUTE_MS } from '@vedette/shared'
import type { Db } from '../../platform/db/index.ts'
import type { Log } from '../../platform/logging/log.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { addReceipts, type Receipt } from './store.ts'

/** Counts in memory what sources send, so that a request which changes nothing writes nothing. */
export interface Receipts {
  /** Counts a request; whether those of the source are due to be stored. */
  add(source: { organization: number; id: string }): boolean
  /** What is counted of a source and not stored yet. */
  pendingOf(id: string): Pick<Receipt, 'count' | 'lastAtMs'> | undefined
  /** Stores what is counted of one source, or of all. */
  flush(db: Db, id?: string): Promise<void>
}

/** How old the stored count may be. */
const STEP_MS = MINUTE_MS

export function createReceipts({ db, clock, log, ending }: { db: Db; clock: Clock; log: Log; ending: AbortSignal }): Receipts {
  const pending = new Map<string, Receipt>()
  const storedAtMs = new Map<string, number>()
  let isPlanned = false
  async function flush(on: Db, id?: string): Promise<void> {
    const some = [...pending.values()].filter((one) => id === undefined || one.id === id)
    for (const one of some) pending.delete(one.id)
    try {
      await addReceipts(on, some)
    } catch (error) {
      for (const one of some) merge(one)
      throw error
    }
    for (const one of some) storedAtMs.set(one.id, clock.now())
    for (const [source, atMs] of storedAtMs) if (clock.now() - atMs >= STEP_MS) storedAtMs.delete(source)
  }
  function merge({ organization, id, count, lastAtMs }: Receipt): void {
    const before = pending.get(id)
    pending.set(id, {
      organization,
      id,
      count: count + (before?.count ?? 0),
      lastAtMs: Math.max(lastAtMs, before?.lastAtMs ?? 0),
    })
  }
  /** The last ones of a source are stored too. */
  function plan(): void {
    if (isPlanned || ending.aborted) return
    isPlanned = true
    void clock
      .sleep(STEP_MS, ending)
      .then(() => flush(db))
      .catch((error: unknown) => log.warn({ err: error }, 'the counts of alert sources could not be stored and are stored later'))
      .finally(() => {
        isPlanned = false
        if (pending.size > 0) plan()
      })
  }
  return {
    add: ({ organization, id }) => {
      merge({ organization, id, count: 1, lastAtMs: clock.now() })
      plan()
      return clock.now() - (storedAtMs.get(id) ?? Number.NEGATIVE_INFINITY) >= STEP_MS
    },
    pendingOf: (id) => pending.get(id),
    flush,
  }
}
