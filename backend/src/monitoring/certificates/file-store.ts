import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import type { SeenInFile } from './file-findings.ts'
import type { StateColumns, StoredSighting } from './sighting.ts'

export interface ServerKey {
  organization: number
  serverId: string
}

export type StoredFile = StoredSighting & { path: string; entry: string }

const ms = (column: ReturnType<typeof sql>) => sql<number>`(extract(epoch from ${column}) * 1000)::float8`

/** What the files of a host had at its last report. The caller has locked the server. */
export async function listFiles(db: Db, { organization, serverId }: ServerKey): Promise<StoredFile[]> {
  const { rows } = await sql<StoredFile>`
    select f.path, f.entry, f.certificate_id as "certificateId", f.previous, f.changed_from as "changedFrom", false as "isRedefined", null as "revokedMs",
      ${ms(sql`f.since`)} as "sinceMs", ${ms(sql`f.changed_at`)} as "changedMs", c.issuer,
      ${ms(sql`c.not_before`)} as "notBeforeMs", ${ms(sql`c.not_after`)} as "notAfterMs"
    from certificate_file as f
    join certificate as c on c.organization = f.organization and c.id = f.certificate_id
    where f.organization = ${organization} and f.server_id = ${serverId} order by f.place`.execute(db)
  return rows
}

export type FileColumns = StateColumns & { path: string; entry: string; weak: string | null }

/** Replaces all of a host, in their order. */
export async function replaceFiles(db: Db, { organization, serverId }: ServerKey, files: readonly FileColumns[]): Promise<void> {
  await db.deleteFrom('certificate_file').where('organization', '=', organization).where('server_id', '=', serverId).execute()
  if (files.length === 0) return
  const rows = files.map((file, place) => ({ ...file, place }))
  await sql`
    insert into certificate_file (organization, server_id, place, path, entry, certificate_id, chain, ends_at, weak, since, previous,
      changed_at, changed_from)
    select ${organization}::int, ${serverId}::uuid, place, path, entry, certificate_id, chain, ends_at, weak, since,
      array(select jsonb_array_elements_text(previous)::uuid), changed_at, changed_from
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (place int, path text, entry text, certificate_id uuid, chain jsonb,
      ends_at timestamptz, weak text, since timestamptz, previous jsonb, changed_at timestamptz, changed_from uuid)`.execute(db)
}

/** What the files of these hosts have, for rules. */
export async function readSeenInFiles(db: Db, keys: readonly ServerKey[]): Promise<(SeenInFile & ServerKey)[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<SeenInFile & ServerKey & { before: SeenInFile['before'] | null }>`
    select f.organization, f.server_id as "serverId", f.path, f.entry, c.name, ${ms(sql`f.ends_at`)} as "endsMs", f.weak,
      ${ms(sql`f.changed_at`)} as "changedMs", c.issuer, c.key_type as "keyType", c.key_bits as "keyBits",
      case when b.id is not null
        then jsonb_build_object('issuer', b.issuer, 'keyType', b.key_type, 'keyBits', b.key_bits) end as before
    from certificate_file as f
    join certificate as c on c.organization = f.organization and c.id = f.certificate_id
    left join certificate as b on b.organization = f.organization and b.id = f.changed_from
    where (f.organization, f.server_id) in (
      select * from unnest(${keys.map(({ organization }) => organization)}::int[], ${keys.map(({ serverId }) => serverId)}::uuid[])
    )
    order by f.organization, f.server_id, f.place`.execute(db)
  return rows.map((row) => ({ ...row, before: row.before ?? undefined }))
}
