import { sql } from 'kysely'
import { announceChange } from './changes.ts'
import type { Db } from './pool.ts'

interface LeaseKey {
  name: string
  /** Of the process. */
  holder: string
}

/** Takes a lease that nobody holds, or makes one's own longer. Returns who holds it now, and until when. */
export async function takeLease(
  db: Db,
  { name, holder }: LeaseKey,
  at: Date,
  until: Date,
): Promise<{ isOwn: boolean; until: Date }> {
  const { rows } = await sql<{ holder: string; until: Date }>`
    with taken as (
      insert into job_lease (name, holder, until) values (${name}, ${holder}, ${until})
      on conflict (name) do update set holder = excluded.holder, until = excluded.until
      where job_lease.holder = excluded.holder or job_lease.until <= ${at}
      returning holder, until
    )
    select holder, until from taken
    union all
    select holder, until from job_lease where name = ${name} and not exists (select from taken)`.execute(db)
  const [row] = rows
  // Two that take it at once: the other's row is not visible yet.
  return row ? { isOwn: row.holder === holder, until: row.until } : { isOwn: false, until: at }
}

export async function dropLease(db: Db, { name, holder }: LeaseKey): Promise<void> {
  await db.deleteFrom('job_lease').where('name', '=', name).where('holder', '=', holder).execute()
  await announceChange(db, 'job_lease', [name])
}
