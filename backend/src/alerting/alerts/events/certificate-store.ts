import { sql } from 'kysely'
import type { Db } from '../../../platform/db/index.ts'

/** A certificate of a monitor that expires soon. */
export interface ExpiringCertificate {
  organization: number
  /** Stored id of the monitor. */
  id: string
  name: string
  /** ms. */
  expires_at: number
}

/** Claims certificates that expire between two instants, each once. Publish them in this transaction. */
export async function claimExpiringCertificates(
  db: Db,
  fromMs: number,
  toMs: number,
  limit: number,
): Promise<ExpiringCertificate[]> {
  const { rows } = await sql<ExpiringCertificate>`
    with ending as (
      select distinct s.organization, s.monitor, s.certificate_expires_at as expires_at from check_schedule as s
      where s.certificate_expires_at > ${fromMs} and s.certificate_expires_at <= ${toMs}
        and not exists (
          select from notified_certificate as t
          where t.organization = s.organization and t.monitor = s.monitor and t.expires_at = s.certificate_expires_at
        )
      limit ${limit}
    ), taken as (
      insert into notified_certificate (organization, monitor, expires_at) select organization, monitor, expires_at from ending
      on conflict do nothing returning organization, monitor, expires_at
    )
    select taken.organization, m.id, m.name, taken.expires_at::float8 as expires_at
    from taken join monitor as m on m.organization = taken.organization and m.number = taken.monitor
    order by 1, 4, 2`.execute(db)
  return rows
}

/** Deletes the claims of certificates that have expired. */
export async function deleteExpiredCertificates(db: Db, beforeMs: number): Promise<void> {
  await sql`delete from notified_certificate where expires_at < ${beforeMs}`.execute(db)
}
