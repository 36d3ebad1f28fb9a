import { sql } from 'kysely'
import type { Db } from '../db/index.ts'
import type { InstallationSecrets } from '../crypto/installation-secrets.ts'

/** A column of encrypted values. */
export interface EncryptedColumn {
  table: string
  /** Identifies a row, in the order of an index. Where the table has an organization, it comes first. */
  key: readonly [string, ...string[]]
  column: string
  /** SQL of the context that a value is bound to; without it the last column of the key. */
  context?: string
  /** `base64`: the column is a text. `letter`: it is JSON, and the value its field `letter` in base64. Without it: bytea. */
  form?: 'base64' | 'letter'
  /** Changes a value that goes from an older secret to the newest one; newest secret first. */
  renew?: (plain: Buffer, secrets: InstallationSecrets) => Buffer
}

export interface EncryptedRow {
  /** Values of the key's columns. */
  row_key: unknown[]
  encrypted: Buffer
  context: string
}

const keyOf = ({ key }: EncryptedColumn) => sql.join(key.map((name) => sql.ref(name)))

/** The stored value as bytes. */
function valueOf({ column, form }: EncryptedColumn) {
  if (form === 'base64') return sql`decode(${sql.ref(column)}, 'base64')`
  return form === 'letter' ? sql`decode(${sql.ref(column)} ->> 'letter', 'base64')` : sql`${sql.ref(column)}`
}

function storedForm({ column, form }: EncryptedColumn, value: Buffer) {
  const text = value.toString('base64')
  if (form === 'base64') return sql`${text}`
  return form === 'letter' ? sql`jsonb_set(${sql.ref(column)}, '{letter}', to_jsonb(${text}::text))` : sql`${value}`
}

/** Values of all organizations in the order of the key, after a row; none that are null. */
export async function listEncrypted(
  db: Db,
  column: EncryptedColumn,
  after: EncryptedRow | undefined,
  limit: number,
): Promise<EncryptedRow[]> {
  const { key, table } = column
  const context = column.context === undefined ? sql`${sql.ref(key.at(-1) ?? key[0])}::text` : sql.raw(column.context)
  const { rows } = await sql<EncryptedRow>`
    select json_build_array(${keyOf(column)}) as row_key, ${valueOf(column)} as encrypted, ${context} as context
    from ${sql.table(table)}
    where ${sql.ref(column.column)} is not null and ${after ? sql`(${keyOf(column)}) > (${sql.join(after.row_key)})` : sql`true`}
    order by ${keyOf(column)} limit ${limit}`.execute(db)
  return rows
}

/** Replaces a value that has not changed since it was read. */
export async function replaceEncrypted(db: Db, column: EncryptedColumn, row: EncryptedRow, encrypted: Buffer): Promise<void> {
  await sql`
    update ${sql.table(column.table)} set ${sql.ref(column.column)} = ${storedForm(column, encrypted)}
    where (${keyOf(column)}) = (${sql.join(row.row_key)}) and ${valueOf(column)} = ${row.encrypted}`.execute(db)
}
