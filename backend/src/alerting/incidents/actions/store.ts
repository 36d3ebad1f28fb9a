import type { Db } from '../../../platform/db/index.ts'

/**
 * Records that an action of a link, or of a press in a chat, is taken; false where it was taken before. A second request that takes it
 * waits for the first.
 */
export async function markUsed(db: Db, organization: number, key: Buffer, action: string, expiresAt: Date): Promise<boolean> {
  const row = await db
    .insertInto('used_action_link')
    .values({ organization, token_hash: key, action, expires_at: expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .returning('action')
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes what is recorded of links that have expired, and of presses that no chat repeats any more. */
export async function deleteUsedLinks(db: Db, nowMs: number): Promise<void> {
  await db.deleteFrom('used_action_link').where('expires_at', '<', new Date(nowMs)).execute()
}
