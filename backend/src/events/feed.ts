import { type BackgroundJob, repeat } from '../platform/background.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db/index.ts'
import type { Log } from '../platform/log.ts'
import { type EventRow, type PlacedEvent, readEventsFrom, readSettled } from './store.ts'

/** What is new in organizations that somebody listens to, whichever instance stored it. */
export interface Feed {
  /** What comes back stops it. Events that were stored right before may come too. */
  listen(organization: number, hear: (event: EventRow) => void): Promise<() => void>
  /** Looks at once; else each quarter of a second while somebody listens. */
  look(): Promise<void>
  stop(): Promise<void>
}

const LOOK_EVERY_MS = 250
const AT_ONCE = 5_000
/** No transaction that stores an event takes longer; what is older is not looked at. */
const LOOK_BACK_MS = 15 * 60_000

export function createFeed({ db, clock, log }: { db: Db; clock: Clock; log: Log }): Feed {
  const listeners = new Map<number, Set<(event: EventRow) => void>>()
  /** All before it were read. */
  let settled: string | undefined
  /** Read already, of transactions from `settled` on. */
  let seen = new Set<string>()
  let last = Promise.resolve()
  let job: BackgroundJob | undefined

  async function lookOnce(): Promise<void> {
    if (listeners.size === 0) {
      settled = undefined
      return
    }
    // Before the events: what becomes visible between the two is read again and known by its id.
    const next = await readSettled(db)
    const since = new Date(clock.now() - LOOK_BACK_MS)
    const read = new Set<string>()
    let lastRead: PlacedEvent | undefined
    do {
      const rows: PlacedEvent[] = await readEventsFrom(db, [...listeners.keys()], settled ?? next, since, AT_ONCE, lastRead)
      for (const row of rows) {
        read.add(row.id)
        if (seen.has(row.id)) continue
        // At once: what comes after it may fail, and is then read again from where this began.
        seen.add(row.id)
        for (const hear of listeners.get(row.organization) ?? []) hear(row)
      }
      lastRead = rows.length < AT_ONCE ? undefined : rows.at(-1)
    } while (lastRead)
    seen = read
    settled = next
  }

  // One after the other: two would both tell what is new.
  const look = () => (last = last.catch(() => undefined).then(lookOnce))

  return {
    look,
    listen: async (organization, hear) => {
      const own = listeners.get(organization) ?? new Set()
      listeners.set(organization, own.add(hear))
      job ??= repeat('live events', LOOK_EVERY_MS, clock, log, look)
      const here = await readSettled(db)
      settled ??= here
      return () => {
        own.delete(hear)
        if (own.size === 0 && listeners.get(organization) === own) listeners.delete(organization)
      }
    },
    stop: async () => job?.stop(),
  }
}
