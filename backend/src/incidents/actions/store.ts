import type { Db } from '../../platform/db/index.ts'

/** Records that an action of a link is taken; false where it was taken before. A second request that takes it waits for the first. */
export async function markUsed(
  db: Db,
  organization: number,
  tokenHash: Buffer,
  action: string,
  expiresAt: Date,
): Promise<boolean> {
  const row = await db
    .insertInto('used_action_link')
    .values({ organization, token_hash: tokenHash, action, expires_at: expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .returning('action')
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes what is known of links that have expired. */
export async function deleteUsedLinks(db: Db, nowMs: number): Promise<void> {
  await db.deleteFrom('used_action_link').where('expires_at', '<', new Date(nowMs)).execute()
}
