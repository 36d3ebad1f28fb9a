import type { Db } from '../../platform/db/index.ts'

/** Whether the set-up allowed private targets; false without an answer. */
export async function arePrivateTargetsAllowed(db: Db): Promise<boolean> {
  const row = await db.selectFrom('setting').select('value').where('name', '=', 'allow_private_targets').executeTakeFirst()
  return row?.value === true
}
