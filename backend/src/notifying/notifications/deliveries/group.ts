import { type Db, inTransaction } from '../../../platform/db/index.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { extendGroup, formGroup, lockGroup, lockMembership, postponeGroup } from './group-store.ts'
import type { Delivery } from './store.ts'

// The openings of incidents for one channel, and likewise their ends: none was sent lately → one is sent at once, with all that wait
// by then; it is the first of its group → for some seconds others wait → the first of those is sent with the others.
//
// A group is formed once, in one transaction, before its first attempt: its retries have the same content under the same id. The
// others stay in the queue until the first one is accepted, so that later steps of their incidents wait for them too.

export interface GroupDeps {
  db: Db
  clock: Clock
  /** How long others wait after the first, ms; 0: each is sent alone. */
  groupMs: number
}

/** The delivery as it is to be sent now; undefined where it waits, is sent with another one, or is done. */
export async function joinGroup({ db, clock, groupMs }: GroupDeps, delivery: Delivery): Promise<Delivery | undefined> {
  const { id, payload } = delivery
  if (groupMs === 0 || payload.group_type === null || payload.group_id === id) return delivery
  const formed = { ...delivery, payload: { ...payload, group_id: id } }
  return inTransaction(db, async (transaction) => {
    const until = await lockGroup(transaction, delivery)
    const current = await lockMembership(transaction, delivery)
    // Another process may have formed its group meanwhile, and died.
    if (!current || current.group_id !== null) return current?.group_id === id ? formed : undefined
    const nowMs = clock.now()
    // A clock that was set back must not delay it for longer.
    if (until.getTime() > nowMs && until.getTime() <= nowMs + groupMs) {
      await postponeGroup(transaction, delivery, until)
      return undefined
    }
    await extendGroup(transaction, delivery, new Date(nowMs + groupMs))
    await formGroup(transaction, delivery, new Date(nowMs))
    return formed
  })
}
