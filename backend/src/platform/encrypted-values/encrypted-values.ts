import type { Db } from '../db/index.ts'
import { createEncrypter, type Encrypter } from '../crypto/encrypter.ts'
import { type EncryptedColumn, listEncrypted, replaceEncrypted } from './store.ts'
import type { InstallationSecrets } from '../crypto/installation-secrets.ts'

/** Where encrypted values of one purpose are. */
export type EncryptedPlaces =
  /** In the database: an hourly job encrypts them with the newest secret. */
  | readonly EncryptedColumn[]
  /** Outside, in links and challenges. They end with the secret that encrypted them; the text says what ends then. */
  | { notStored: string }

const DECLARED: { columns: readonly EncryptedColumn[]; encrypterOf: (secrets: InstallationSecrets) => Encrypter }[] = []

/** Rows that are read at once. */
const BATCH_SIZE = 500

/**
 * The only way to an encrypter: it takes where the values are stored, so that a value which outlives its secret cannot be forgotten.
 * Call it once per purpose, when a module loads.
 */
export function encryptedValues(purpose: string, places: EncryptedPlaces): (secrets: InstallationSecrets) => Encrypter {
  const encrypterOf = (secrets: InstallationSecrets) => createEncrypter(secrets.derive(purpose))
  if (!('notStored' in places)) DECLARED.push({ columns: places, encrypterOf })
  return encrypterOf
}

/** Every column that has encrypted values, as `table.column`. */
export const encryptedColumns = (): string[] =>
  DECLARED.flatMap(({ columns }) => columns.map(({ table, column }) => `${table}.${column}`))

/**
 * Encrypts with the newest secret everything that older ones encrypted. A value that is changed meanwhile stays as it is, so several
 * processes may run it at once.
 */
export async function reencryptAll(db: Db, secrets: InstallationSecrets, batchSize = BATCH_SIZE): Promise<void> {
  for (const { columns, encrypterOf } of DECLARED) {
    for (const column of columns) await reencryptColumn(db, column, encrypterOf(secrets), secrets, batchSize)
  }
}

async function reencryptColumn(
  db: Db,
  column: EncryptedColumn,
  encrypter: Encrypter,
  secrets: InstallationSecrets,
  batchSize: number,
): Promise<void> {
  for (let rows = await listEncrypted(db, column, undefined, batchSize); rows.length > 0; ) {
    for (const row of rows) {
      const plain = encrypter.usesCurrentKey(row.encrypted, row.context)
        ? undefined
        : encrypter.decrypt(row.encrypted, row.context)
      if (plain) await replaceEncrypted(db, column, row, encrypter.encrypt(column.renew?.(plain, secrets) ?? plain, row.context))
    }
    rows = await listEncrypted(db, column, rows.at(-1), batchSize)
  }
}
