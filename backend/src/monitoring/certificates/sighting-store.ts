import { sql } from 'kysely'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import { newId } from '../../platform/ids.ts'
import type { SeenByRegion } from './findings.ts'
import type { CertificateColumns, SightingColumns, StoredSighting } from './sighting.ts'

interface MonitorKey {
  organization: number
  monitor: number
}

export type SightingRow = StoredSighting & MonitorKey & { region: number }

/** Locks and returns what all regions of these monitors saw last, so that two processes store one after the other. */
export async function lockSightings(db: Db, keys: readonly MonitorKey[]): Promise<SightingRow[]> {
  const { rows } = await sql<SightingRow>`
    select s.organization, s.monitor, s.region, s.certificate_id as "certificateId", s.previous, s.changed_from as "changedFrom", m.updated_at > s.seen_at as "isRedefined",
      ${ms(sql`s.since`)} as "sinceMs", ${ms(sql`s.changed_at`)} as "changedMs", ${ms(sql`s.revoked_at`)} as "revokedMs", c.issuer,
      ${ms(sql`c.not_before`)} as "notBeforeMs", ${ms(sql`c.not_after`)} as "notAfterMs"
    from certificate_sighting as s
    join certificate as c on c.organization = s.organization and c.id = s.certificate_id
    join monitor as m on m.organization = s.organization and m.number = s.monitor
    where (s.organization, s.monitor) in (${pairs(keys)})
    order by s.organization, s.monitor, s.region
    for update of s`.execute(db)
  return rows
}

const ms = (column: ReturnType<typeof sql>) => sql<number>`(extract(epoch from ${column}) * 1000)::float8`
const pairs = (keys: readonly MonitorKey[]) =>
  sql`select * from unnest(${keys.map((key) => key.organization)}::int[], ${keys.map((key) => key.monitor)}::int[])`

export type NewCertificate = CertificateColumns & { organization: number; seenAt: Date }

/**
 * Stores the certificates that are not there, and returns the ids of all by organization and fingerprint (hexadecimal). Those of an
 * organization that was deleted meanwhile are left out, and so is one that another process is storing at this moment.
 */
export async function insertCertificates(db: Db, given: readonly NewCertificate[]): Promise<Map<string, string>> {
  const rows = given.map(({ seenAt, fingerprint, ...one }) => ({
    ...one,
    id: newId(),
    fingerprint: fingerprint.toString('hex'),
    seen_at: seenAt,
  }))
  const { rows: stored } = await sql<{ organization: number; fingerprint: string; id: string }>`
    with given as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (organization int, id uuid, fingerprint text, sha256 text,
        name text, subject text, names jsonb, issuer text, key_type text, key_bits int, signature text, not_before timestamptz,
        not_after timestamptz, seen_at timestamptz)
    ), inserted as (
      insert into certificate (organization, id, fingerprint, sha256, name, subject, names, issuer, key_type, key_bits, signature,
        not_before, not_after, created_at, updated_at)
      select organization, given.id, decode(fingerprint, 'hex'), sha256, given.name, subject,
        array(select jsonb_array_elements_text(names)), issuer, key_type, key_bits, signature, not_before, not_after, seen_at, seen_at
      from given join organization on organization.number = given.organization
      order by organization, fingerprint
      on conflict (organization, fingerprint) do nothing
      returning organization, fingerprint, id
    )
    select organization, encode(fingerprint, 'hex') as fingerprint, id from inserted
    union all
    select c.organization, encode(c.fingerprint, 'hex'), c.id from certificate as c
    join given on c.organization = given.organization and c.fingerprint = decode(given.fingerprint, 'hex')`.execute(db)
  return new Map(stored.map(({ organization, fingerprint, id }) => [`${organization} ${fingerprint}`, id]))
}

/** Stores what regions see now. A late check changes nothing. */
export async function storeSightings(db: Db, rows: readonly SightingColumns[]): Promise<void> {
  await sql`
    insert into certificate_sighting (organization, monitor, region, certificate_id, chain, ends_at, weak, name_mismatch, since, seen_at,
      previous, changed_at, changed_from, revoked_at)
    select organization, monitor, region, certificate_id, chain, ends_at, weak, name_mismatch, since, seen_at,
      array(select jsonb_array_elements_text(previous)::uuid), changed_at, changed_from, revoked_at
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (organization int, monitor int, region int, certificate_id uuid,
      chain jsonb, ends_at timestamptz, weak text, name_mismatch boolean, since timestamptz, seen_at timestamptz, previous jsonb,
      changed_at timestamptz, changed_from uuid, revoked_at timestamptz)
    order by organization, monitor, region
    on conflict (organization, monitor, region) do update set certificate_id = excluded.certificate_id, chain = excluded.chain,
      ends_at = excluded.ends_at, weak = excluded.weak, name_mismatch = excluded.name_mismatch, since = excluded.since,
      seen_at = excluded.seen_at, previous = excluded.previous, changed_at = excluded.changed_at,
      changed_from = excluded.changed_from, revoked_at = excluded.revoked_at
    where certificate_sighting.seen_at <= excluded.seen_at`.execute(db)
}

/**
 * The sightings of regions that check their monitor still, `s`: there is no schedule of deleted monitors, and none that has seen a certificate
 * of one whose target was changed since.
 */
const CURRENT = sql`certificate_sighting as s
  join check_schedule as d on d.organization = s.organization and d.monitor = s.monitor and d.region = s.region
    and d.certificate_expires_at is not null`

/** What the regions of these monitors see, of regions that check them still. */
export async function readSeenByRegions(db: Db, keys: readonly MonitorKey[]): Promise<(SeenByRegion & MonitorKey)[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<SeenByRegion & MonitorKey & { before: SeenByRegion['before'] | null }>`
    select s.organization, s.monitor, s.certificate_id as "certificateId", ${ms(sql`s.ends_at`)} as "endsMs", s.weak,
      s.name_mismatch as "nameMismatch", ${ms(sql`s.revoked_at`)} as "revokedMs", case when s.name_mismatch then c.names else '{}' end as names, ${ms(sql`s.since`)} as "sinceMs",
      ${ms(sql`s.changed_at`)} as "changedMs", c.issuer, c.key_type as "keyType", c.key_bits as "keyBits",
      case when b.id is not null
        then jsonb_build_object('issuer', b.issuer, 'keyType', b.key_type, 'keyBits', b.key_bits) end as before
    from ${CURRENT}
    join certificate as c on c.organization = s.organization and c.id = s.certificate_id
    left join certificate as b on b.organization = s.organization and b.id = s.changed_from
    where (s.organization, s.monitor) in (${pairs(keys)})
    order by s.organization, s.monitor, s.region`.execute(db)
  return rows.map((row) => ({ ...row, before: row.before ?? undefined }))
}

/** Of the certificate `c`: it was stored by then, and no region sees it or remembers it. */
const isUnseen = (before: Date) => sql`
  c.fingerprint is not null and c.updated_at < ${before}
  and not exists (
    select from certificate_sighting as s where s.organization = c.organization and s.certificate_id = c.id
  )
  and not exists (
    select from (
      select organization, unnest(previous || changed_from) as id from certificate_sighting
      union all
      select organization, unnest(previous || changed_from || certificate_id) as id from certificate_file
    ) as earlier
    where earlier.organization = c.organization and earlier.id = c.id
  )`

/** Deletes what was seen of monitors that are removed for good, and certificates stored before an instant that nothing sees any more. */
export async function deleteUnseen(db: Db, before: Date): Promise<void> {
  await sql`
    delete from certificate_sighting as s
    where not exists (select from monitor as m where m.organization = s.organization and m.number = s.monitor)`.execute(db)
  await inTransaction(db, async (transaction) => {
    // Locked first: a region that stores a sighting meanwhile is seen by the second statement.
    const { rows } = await sql<{ organization: number; id: string }>`
      select organization, id from certificate as c where ${isUnseen(before)} for update skip locked`.execute(transaction)
    if (rows.length === 0) return
    await sql`
      delete from certificate as c
      where (c.organization, c.id) in (
        select * from unnest(${rows.map(({ organization }) => organization)}::int[], ${rows.map(({ id }) => id)}::uuid[])
      ) and ${isUnseen(before)}`.execute(transaction)
  })
}
