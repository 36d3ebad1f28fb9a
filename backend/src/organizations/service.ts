import { DEFAULT_PLAN } from '@vedette/shared'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db/index.ts'
import { newId } from '../platform/ids.ts'
import * as store from './store.ts'

/** A new organization with this user as its owner. Run inside a transaction. */
export async function createOrganization(db: Db, clock: Clock, name: string, ownerId: string): Promise<number> {
  const at = new Date(clock.now())
  const number = await store.insertOrganization(db, { id: newId(), name, plan: DEFAULT_PLAN }, at)
  await store.insertMembership(db, number, ownerId, 'owner', at)
  return number
}
