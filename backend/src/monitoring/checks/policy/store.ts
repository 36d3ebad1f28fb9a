import type { Db } from '../../../platform/db/index.ts'
import { PRIVATE_RANGES } from '../probe/index.ts'
import type { TargetPolicy } from './prober.ts'

/** The policy of the set-up page: its box opens the networks of one's own, and neither loopback nor link-local addresses. */
export const readTargetPolicy = async (db: Db): Promise<TargetPolicy> =>
  (await arePrivateTargetsAllowed(db)) ? PRIVATE_RANGES : []

/** Whether the set-up allowed private targets; false without an answer. */
export async function arePrivateTargetsAllowed(db: Db): Promise<boolean> {
  const row = await db.selectFrom('setting').select('value').where('name', '=', 'allow_private_targets').executeTakeFirst()
  return row?.value === true
}
