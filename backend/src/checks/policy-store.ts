import type { Db } from '../platform/db/index.ts'

/** Whether the set-up opened private addresses to checks; closed where nobody was asked. */
export async function arePrivateTargetsOpen(db: Db): Promise<boolean> {
  const row = await db.selectFrom('setting').select('value').where('name', '=', 'allow_private_targets').executeTakeFirst()
  return row?.value === true
}
