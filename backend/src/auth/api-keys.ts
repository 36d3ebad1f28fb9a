import type { Scope } from '@vedette/shared'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db/index.ts'
import { newId } from '../platform/ids.ts'
import { createSecretToken } from './secret-token.ts'
import * as store from './store.ts'

/** A new key of the organization. The secret is in this answer only. */
export async function createApiKey(
  db: Db,
  clock: Clock,
  organization: number,
  key: { name: string; scopes: Scope[]; createdBy: string | null },
): Promise<{ id: string; secret: string }> {
  const { secret, hash, prefix } = createSecretToken('apiKey')
  const id = newId()
  await store.insertApiKey(db, organization, { id, hash, prefix, ...key }, new Date(clock.now()))
  return { id, secret }
}
