import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'

/** A certificate of a monitor that ends soon. */
export interface EndingCertificate {
  organization: number
  /** Stored id of the monitor. */
  id: string
  name: string
  /** ms. */
  expires_at: number
}

/** Takes certificates that end between two instants and were not taken before; whoever takes them tells of them, in this transaction. */
export async function takeEndingCertificates(db: Db, fromMs: number, toMs: number, limit: number): Promise<EndingCertificate[]> {
  const { rows } = await sql<EndingCertificate>`
    with ending as (
      select distinct s.organization, s.monitor, s.certificate_expires_at as expires_at from check_schedule as s
      where s.certificate_expires_at > ${fromMs} and s.certificate_expires_at <= ${toMs}
        and not exists (
          select from certificate_told as t
          where t.organization = s.organization and t.monitor = s.monitor and t.expires_at = s.certificate_expires_at
        )
      limit ${limit}
    ), taken as (
      insert into certificate_told (organization, monitor, expires_at) select organization, monitor, expires_at from ending
      on conflict do nothing returning organization, monitor, expires_at
    )
    select taken.organization, m.id, m.name, taken.expires_at::float8 as expires_at
    from taken join monitor as m on m.organization = taken.organization and m.number = taken.monitor
    order by 1, 4, 2`.execute(db)
  return rows
}

/** Forgets certificates that have ended. */
export async function forgetEndedCertificates(db: Db, beforeMs: number): Promise<void> {
  await sql`delete from certificate_told where expires_at < ${beforeMs}`.execute(db)
}
