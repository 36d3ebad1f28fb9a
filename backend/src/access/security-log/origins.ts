import type { Clock } from '../../platform/time/clock.ts'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import { networkOf } from './network.ts'
import { cleanUserAgent, type NewSecurityEvent, recordSecurityEvents } from './record.ts'
import * as store from './origin-store.ts'

/** Networks, and programs, that are remembered of one user or key. */
export const ORIGINS_KEPT = 1_000

/**
 * Remembers where a user signs in. True for a new place: neither the network nor the program was known, and others were. Run it in
 * the transaction of the sign-in.
 */
export async function recordSignInOrigin(
  db: Db,
  userId: string,
  { ip, userAgent }: { ip: string; userAgent: string },
  at: Date,
): Promise<boolean> {
  const network = networkOf(ip)
  if (network === undefined) return false
  const isFirst = !(await store.hasOrigins(db, userId))
  const program = programOf(userAgent)
  const place = [
    { subjectId: userId, kind: 'network', value: network },
    { subjectId: userId, kind: 'user_agent', value: program },
  ] as const
  const added = await store.insertOrigins(db, place, at)
  if (added.length > 0) await store.deleteExcessOrigins(db, [userId], ORIGINS_KEPT)
  return !isFirst && added.length === place.length
}

/** Without numbers: an update of a browser is no other program. */
const programOf = (userAgent: string): string => cleanUserAgent(userAgent).replaceAll(/\d+/g, '')

/** The caller of a request, with the organization that it acts in. */
export type OriginCaller = { tenant: { number: number } | undefined } & (
  | { kind: 'user'; userId: string }
  | { kind: 'api_key'; keyId: string }
)

/** Records the first use of a session or key from each network. In memory until the next flush: no request waits for a write. */
export interface OriginRecorder {
  record(caller: OriginCaller, ip: string, userAgent: string | undefined): void
  /** Stores what was recorded; after a failure it is stored by the next call. */
  flush(): Promise<void>
}

/** Pairs of caller and address that this process knows to be stored. */
const MAX_KNOWN = 100_000
const MAX_PENDING = 1_000

export function createOriginRecorder({ db, clock }: { db: Db; clock: Clock }): OriginRecorder {
  const known = new Set<string>()
  const pending = new Map<string, NewSecurityEvent & { subjectId: string; network: string }>()

  async function store(batch: typeof pending): Promise<void> {
    const at = new Date(clock.now())
    await inTransaction(db, async (transaction) => {
      const added = await insertNetworks(transaction, [...batch.values()], at)
      await recordSecurityEvents(
        transaction,
        [...batch.values()].filter(({ subjectId, network }) => added.has(`${subjectId} ${network}`)),
        at,
      )
    })
  }

  return {
    record: (caller, ip, userAgent) => {
      const subjectId = caller.kind === 'user' ? caller.userId : caller.keyId
      const name = `${subjectId} ${ip}`
      if (known.has(name)) return
      const network = networkOf(ip)
      // One that finds no room is recorded with its next request.
      if (network === undefined || pending.size >= MAX_PENDING) return
      known.add(name)
      if (known.size > MAX_KNOWN) for (const oldest of known) if (known.delete(oldest)) break
      const details = { network }
      const event: NewSecurityEvent =
        caller.kind === 'user'
          ? { type: 'session.new_network', principal: caller, userId: caller.userId, ip, userAgent, details }
          : { type: 'api_key.new_network', principal: caller, organization: caller.tenant?.number, ip, userAgent, details }
      pending.set(`${subjectId} ${network}`, { ...event, subjectId, network })
    },
    flush: async () => {
      if (pending.size === 0) return
      const batch = new Map(pending)
      pending.clear()
      try {
        await store(batch)
      } catch (error) {
        for (const [name, event] of batch) pending.set(name, event)
        throw error
      }
    },
  }
}

/** The names of those that were new. */
async function insertNetworks(db: Db, uses: readonly { subjectId: string; network: string }[], at: Date): Promise<Set<string>> {
  const networks = uses.map(({ subjectId, network }) => ({ subjectId, kind: 'network' as const, value: network }))
  const added = await store.insertOrigins(db, networks, at)
  const subjects = [...new Set(added.map(({ subjectId }) => subjectId))]
  if (subjects.length > 0) await store.deleteExcessOrigins(db, subjects, ORIGINS_KEPT)
  return new Set(added.map(({ subjectId, value }) => `${subjectId} ${value}`))
}
