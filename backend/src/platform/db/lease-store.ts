import type { Db } from './pool.ts'

interface LeaseKey {
  name: string
  /** Of the process. */
  holder: string
}

/** Takes a lease that nobody holds, or makes one's own longer; false where somebody else has it. */
export async function takeLease(db: Db, { name, holder }: LeaseKey, at: Date, until: Date): Promise<boolean> {
  const row = await db
    .insertInto('job_lease')
    .values({ name, holder, until })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ holder, until })
        .where((is) => is.or([is('job_lease.holder', '=', holder), is('job_lease.until', '<=', at)])),
    )
    .returning('name')
    .executeTakeFirst()
  return row !== undefined
}

export async function dropLease(db: Db, { name, holder }: LeaseKey): Promise<void> {
  await db.deleteFrom('job_lease').where('name', '=', name).where('holder', '=', holder).execute()
}
