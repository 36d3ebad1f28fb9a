import { type RawBuilder, sql } from 'kysely'

/** Where certificates are. */
export interface PlaceFilter {
  /** All of them are required of a monitor or host. */
  tags?: readonly string[]
  /** Only in files of this server. */
  serverId?: string | undefined
}

/**
 * Where certificates of an organization are now, `s`: in regions of monitors (those that check them still, with the same target), and in files
 * of hosts as of the last report.
 */
export function placesOf(organization: number, { tags = [], serverId }: PlaceFilter = {}): RawBuilder<unknown> {
  const isTagged = (column: RawBuilder<unknown>) => (tags.length === 0 ? [] : [sql`${column} @> ${tags}::text[]`])
  const ofChecks = sql`
    select s.certificate_id, s.monitor, s.region, null::uuid as server_id, null::text as path, null::text as entry, s.chain, s.ends_at,
      s.weak, s.name_mismatch, s.revoked_at, s.since, s.seen_at, s.previous
    from certificate_sighting as s
    join check_schedule as d on d.organization = s.organization and d.monitor = s.monitor and d.region = s.region
      and d.certificate_expires_at is not null
    where ${allOf(
      sql`s.organization = ${organization}`,
      ...(serverId === undefined ? [] : [sql`false`]),
      ...(tags.length === 0
        ? []
        : [
            sql`exists (
              select from monitor as m
              where ${allOf(sql`m.organization = s.organization and m.number = s.monitor and m.deleted_at is null`, ...isTagged(sql`m.tags`))}
            )`,
          ]),
    )}`
  const ofFiles = sql`
    select f.certificate_id, null, null, f.server_id, f.path, f.entry, f.chain, f.ends_at, f.weak, false, null, f.since,
      to_timestamp(coalesce(n.last_push_ms, 0) / 1000.0), f.previous
    from certificate_file as f
    join server as h on h.organization = f.organization and h.id = f.server_id
    join server_newest as n on n.organization = f.organization and n.id = f.server_id
    where ${allOf(
      sql`f.organization = ${organization}`,
      ...(serverId === undefined ? [] : [sql`f.server_id = ${serverId}`]),
      ...isTagged(sql`h.tags`),
    )}`
  return sql`(${ofChecks} union all ${ofFiles}) as s`
}

const allOf = (...conditions: RawBuilder<unknown>[]): RawBuilder<unknown> => sql.join(conditions, sql` and `)
