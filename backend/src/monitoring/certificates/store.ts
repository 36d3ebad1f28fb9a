import type { CertificateSort, ChainCertificate } from '@vedette/shared'
import { type RawBuilder, sql } from 'kysely'
import { type Db, foldCase, type PageRequest, type TableRow } from '../../platform/db/index.ts'
import { type PlaceFilter, placesOf } from './places-store.ts'

/** A certificate with what those that see it report together. */
export type CertificateRow = Omit<TableRow<'certificate'>, 'organization'> & {
  ends_at: Date
  weak: string | null
  name_mismatch: boolean
  monitors: number
  servers: number
  revoked_at: Date | null
  seen_at: Date | null
  changed_at: Date | null
}

export interface CertificateFilter extends Required<PlaceFilter> {
  text: string | undefined
}

/** What the sightings of each certificate say together. */
const seenTogether = (organization: number, condition: RawBuilder<unknown>) => sql`
  select s.certificate_id, count(distinct s.monitor)::int4 as monitors,
    count(distinct s.server_id)::int4 as servers, min(s.ends_at) as ends_at, min(s.weak) as weak,
    bool_or(s.name_mismatch) as name_mismatch, min(s.revoked_at) as revoked_at, max(s.seen_at) as seen_at,
    min(s.since) filter (where s.previous <> '{}') as changed_at
  from ${placesOf(organization)}
  where ${condition}
  group by s.certificate_id`

const COLUMNS = sql`c.id, c.fingerprint, c.sha256, c.name, c.subject, c.names, c.issuer, c.key_type, c.key_bits, c.signature,
  c.not_before, c.not_after, c.created_at, c.updated_at, coalesce(seen.ends_at, c.not_after) as ends_at, seen.weak,
  coalesce(seen.name_mismatch, false) as name_mismatch, coalesce(seen.monitors, 0) as monitors, coalesce(seen.servers, 0) as servers,
  seen.revoked_at, seen.seen_at, seen.changed_at`

const ORDERS: Readonly<Record<CertificateSort, RawBuilder<unknown>>> = {
  not_after: sql`ends_at, id`,
  '-not_after': sql`ends_at desc, id`,
  name: sql`${foldCase(sql`name`)}, id`,
  '-name': sql`${foldCase(sql`name`)} desc, id`,
}

/** One page of what checks see now and of those by hand, and the total, both of one snapshot. */
export async function listCertificates(
  db: Db,
  organization: number,
  { text, tags, serverId }: CertificateFilter,
  sort: CertificateSort,
  { page, limit }: PageRequest,
): Promise<{ total: number; rows: CertificateRow[] }> {
  const isFiltered = tags.length > 0 || serverId !== undefined
  // Folded once for all three: that is what takes time. No name has a line break.
  const all = sql`concat_ws(chr(10), c.name, c.issuer, array_to_string(c.names, chr(10)))`
  const matches = sql`strpos(${foldCase(all)}, ${foldCase(sql`${text}::text`)}) > 0`
  // Only the ends of all are read; the rest of those on the page.
  const { rows } = await sql<CertificateRow & { total: number; is_row: true | null }>`
    with current as materialized (
      select s.certificate_id, min(s.ends_at) as ends_at from ${placesOf(organization, { tags, serverId })}
      group by s.certificate_id
    ), matching as materialized (
      select c.id, c.name, coalesce(current.ends_at, c.not_after) as ends_at
      from certificate as c left join current on current.certificate_id = c.id
      where c.organization = ${organization}
        and (current.certificate_id is not null ${isFiltered ? sql`` : sql`or c.fingerprint is null`})
        and ${text === undefined ? sql`true` : matches}
    ), shown as (
      select id, row_number() over () as place from (
        select id from matching order by ${ORDERS[sort]} limit ${limit} offset ${(page - 1) * limit}
      ) as ordered
    )
    select counted.total, item.* from (select count(*)::int4 as total from matching) as counted
    left join (
      select true as is_row, shown.place, ${COLUMNS} from shown
      join certificate as c on c.organization = ${organization} and c.id = shown.id
      left join lateral (${seenTogether(organization, sql`s.certificate_id = shown.id`)}) as seen on true
    ) as item on true
    order by item.place`.execute(db)
  return { total: rows[0]?.total ?? 0, rows: rows.filter(({ is_row }) => is_row) }
}

/** Undefined across organizations. */
export async function findCertificate(db: Db, organization: number, id: string): Promise<CertificateRow | undefined> {
  const { rows } = await sql<CertificateRow>`
    select ${COLUMNS} from certificate as c
    left join (${seenTogether(organization, sql`s.certificate_id = ${id}`)}) as seen on seen.certificate_id = c.id
    where c.organization = ${organization} and c.id = ${id}`.execute(db)
  return rows[0]
}

export interface SeenRow {
  monitor_id: string | null
  monitor_name: string | null
  region: string | null
  server_id: string | null
  server_name: string | null
  path: string | null
  entry: string | null
  since: Date
  seen_at: Date
  ends_at: Date
  weak: string | null
  name_mismatch: boolean
  chain: ChainCertificate[]
  total: number
}

/** Where a certificate is seen, monitors before hosts, the first by their names; `total` is the same in all rows. */
export async function listSeen(db: Db, organization: number, id: string, limit: number): Promise<SeenRow[]> {
  const { rows } = await sql<SeenRow>`
    select m.id as monitor_id, m.name as monitor_name, r.id as region, h.id as server_id,
      coalesce(h.display_name, h.hostname) as server_name, s.path, s.entry, s.since, s.seen_at, s.ends_at, s.weak, s.name_mismatch,
      s.chain, count(*) over ()::int4 as total
    from ${placesOf(organization)}
    left join monitor as m on m.organization = ${organization} and m.number = s.monitor and m.deleted_at is null
    left join region as r on r.number = s.region
    left join server as h on h.organization = ${organization} and h.id = s.server_id
    where s.certificate_id = ${id} and (m.id is not null or h.id is not null)
    order by m.id is null, ${foldCase(sql`coalesce(m.name, h.display_name, h.hostname)`)}, m.id, r.id, h.id, s.path, s.entry
    limit ${limit}`.execute(db)
  return rows
}

/** The chain that ends first among those that were sent with a certificate; none of one that is no longer seen. */
export async function findChain(db: Db, organization: number, id: string): Promise<ChainCertificate[]> {
  const { rows } = await sql<{ chain: ChainCertificate[] }>`
    select s.chain from ${placesOf(organization)} where s.certificate_id = ${id}
    order by s.ends_at, jsonb_array_length(s.chain) desc limit 1`.execute(db)
  return rows[0]?.chain ?? []
}

/** Locks a certificate until the transaction ends; undefined across organizations. */
export function lockCertificate(db: Db, organization: number, id: string) {
  return db
    .selectFrom('certificate')
    .select(['id', 'fingerprint', 'name', 'not_after'])
    .where('organization', '=', organization)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

export interface ManualColumns {
  name: string
  not_after: Date
}

export async function insertManual(db: Db, organization: number, id: string, columns: ManualColumns, at: Date): Promise<void> {
  await db
    .insertInto('certificate')
    .values({
      organization,
      id,
      ...columns,
      fingerprint: null,
      sha256: null,
      subject: null,
      names: [],
      issuer: null,
      key_type: null,
      key_bits: null,
      signature: null,
      not_before: null,
      created_at: at,
      updated_at: at,
    })
    .execute()
}

export async function updateManual(
  db: Db,
  organization: number,
  id: string,
  change: Partial<ManualColumns>,
  at: Date,
): Promise<void> {
  await db
    .updateTable('certificate')
    .set({ ...change, updated_at: at })
    .where('organization', '=', organization)
    .where('id', '=', id)
    .execute()
}

export async function deleteManual(db: Db, organization: number, id: string): Promise<void> {
  await db.deleteFrom('certificate').where('organization', '=', organization).where('id', '=', id).execute()
}
