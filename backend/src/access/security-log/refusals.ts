import { createHash } from 'node:crypto'
import { HOUR_MS } from '@vedette/shared'
import { type Acting, actorOf } from '../audit/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import { networkOf } from './network.ts'
import { addRefusals, type RefusalRow } from './store.ts'

/** An operation that was refused. */
export interface Refusal {
  status: 401 | 403
  /** The caller; undefined where the credentials were not valid. */
  principal: (Acting & object & { tenant?: { number: number } | undefined }) | undefined
  ip: string
  /** Method and route, as `POST /v1/monitors/:id`. */
  operation: string
}

/**
 * Counts refused operations per caller, status and hour: one event each, which grows. Callers without valid credentials are
 * distinguished by their network. In memory until the next flush.
 */
export interface RefusalCounter {
  record(refusal: Refusal): void
  /** Stores what was counted; after a failure it is stored by the next call. */
  flush(): Promise<void>
}

/** Callers that one process distinguishes in an hour; the refusals of all others are counted together. */
export const CALLERS_PER_HOUR = 5_000
/** Rows of one statement, which takes 65,535 parameters. */
const ROWS_AT_ONCE = 1_000

export function createRefusalCounter({ db, clock }: { db: Db; clock: Clock }): RefusalCounter {
  let hour = 0
  const callers = new Set<string>()
  const counted = new Map<string, RefusalRow>()

  const rowOf = ({ status, principal, ip, operation }: Refusal, at: Date, isOther: boolean): RefusalRow => {
    const actor = isOther || !principal ? undefined : actorOf(principal)
    const caller = isOther ? 'other' : actor ? `${actor.actorKind} ${actor.actorId}` : (networkOf(ip) ?? ip)
    return {
      id: idOf(`${hour} ${status} ${caller}`),
      at,
      organization: (!isOther && principal?.tenant?.number) || null,
      actorKind: actor?.actorKind ?? null,
      actorId: actor?.actorId ?? null,
      ip: isOther ? null : ip,
      status,
      count: 1,
      operation,
    }
  }

  const store = (rows: readonly RefusalRow[]) =>
    inTransaction(db, async (transaction) => {
      // In one order, so that two instances do not wait for each other.
      const sorted = rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))
      for (let from = 0; from < sorted.length; from += ROWS_AT_ONCE)
        await addRefusals(transaction, sorted.slice(from, from + ROWS_AT_ONCE))
    })

  return {
    record: (refusal) => {
      const nowMs = clock.now()
      const thisHour = Math.floor(nowMs / HOUR_MS)
      if (thisHour !== hour) {
        hour = thisHour
        callers.clear()
      }
      let row = rowOf(refusal, new Date(nowMs), false)
      if (!callers.has(row.id) && callers.size >= CALLERS_PER_HOUR) row = rowOf(refusal, new Date(nowMs), true)
      else callers.add(row.id)
      const before = counted.get(row.id)
      counted.set(row.id, before ? { ...row, at: before.at, count: before.count + 1 } : row)
    },
    flush: async () => {
      if (counted.size === 0) return
      const rows = [...counted.values()]
      counted.clear()
      try {
        await store(rows)
      } catch (error) {
        for (const row of rows) {
          const later = counted.get(row.id)
          counted.set(row.id, later ? { ...later, at: row.at, count: later.count + row.count } : row)
        }
        throw error
      }
    },
  }
}

/** The same on every instance: all of them add to one row. A UUID of version 8, which is one of one's own making. */
function idOf(name: string): string {
  const bytes = createHash('sha256').update(`refused ${name}`).digest().subarray(0, 16)
  bytes.writeUInt8(((bytes[6] as number) & 0x0f) | 0x80, 6)
  bytes.writeUInt8(((bytes[8] as number) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
