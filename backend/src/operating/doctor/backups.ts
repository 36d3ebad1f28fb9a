import { statSync } from 'node:fs'
import { join } from 'node:path'
import { HOUR_MS, toTimestamp } from '@vedette/shared'
import { backupMadeAt, listBackups } from '../archive/index.ts'
import { fault, type Finding, ok, reasonOf, warning } from './finding.ts'

/** A nightly one that failed once is noticed the next morning. */
const MAX_AGE_MS = 36 * HOUR_MS

/** The age of the newest backup of a folder; `undefined` where no folder is known. */
export function examineBackups(folder: string | undefined, nowMs: number): Finding {
  if (folder === undefined)
    return warning(
      'backups',
      'no folder of backups is known',
      'Run: systemctl enable --now vedette-backup.timer, or name the folder of your backups by --to',
    )
  const remedy = `Run: vedette backup --to ${folder}; systemctl status vedette-backup shows why the last one failed`
  try {
    const newest = listBackups(folder).at(-1)
    if (newest === undefined) return fault('backups', `there is no backup in ${folder}`, remedy)
    const ageHours = Math.floor((nowMs - backupMadeAt(newest)) / HOUR_MS)
    const { size } = statSync(join(folder, newest))
    const detail = `the newest in ${folder} is of ${toTimestamp(backupMadeAt(newest))}, ${size} bytes`
    return ageHours * HOUR_MS >= MAX_AGE_MS ? fault('backups', `${detail}: ${ageHours} hours old`, remedy) : ok('backups', detail)
  } catch (error) {
    return fault('backups', reasonOf(error), `Make the folder, or name that of your backups by --to`)
  }
}
