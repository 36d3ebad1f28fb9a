import { readdirSync } from 'node:fs'

/** The names that `vedette backup` gives; only such files are ever removed. They sort by time. */
const NAME = /^vedette-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z\.vedette$/

/** The name of the backup that was begun at this instant, to the second. */
export const backupName = (ms: number): string =>
  `vedette-${new Date(ms).toISOString().slice(0, 19).replaceAll(':', '-')}Z.vedette`

/** Names of the backups of a folder, oldest first. Files with other names, folders and links are left out. */
export function listBackups(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile() && NAME.test(entry.name))
  return entries.map(({ name }) => name).toSorted()
}

/** When a backup was begun, by its name. */
export const backupMadeAt = (name: string): number => Date.parse(name.replace(NAME, '$1T$2:$3:$4Z'))
