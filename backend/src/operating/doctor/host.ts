import { accessSync, constants, lstatSync, type Stats, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { SECRET_FILE } from '../../platform/crypto/installation-secrets.ts'
import type { Settings } from '../settings/index.ts'
import { fault, type Finding, ok, reasonOf, warning } from './finding.ts'

const GIB = 2 ** 30
/** PostgreSQL stops when its disk is full, and then needs space to start. */
const LEAST_BYTES = 0.5 * GIB
const FEW_BYTES = 2 * GIB
const LEAST_FILES = 1_000

const PASSWORDS = 'postgres.passwords.json'

/** The data folder, the rights on it, and its disk. */
export function examineFolder({ dataDir, databaseUrl, secretKeys }: Settings): Finding[] {
  let folder: Stats
  try {
    folder = statSync(dataDir)
  } catch (error) {
    const reason = `${dataDir}: ${reasonOf(error)}`
    return [fault('data folder', reason, 'Run "vedette start" first, or name the folder of the installation by VEDETTE_DATA_DIR')]
  }
  const hasCluster = statSync(join(dataDir, 'postgres'), { throwIfNoEntry: false })?.isDirectory() === true
  return [
    ok('data folder', dataDir),
    ...examineRights(dataDir, folder),
    ...(secretKeys ? [] : examineSecret(dataDir, SECRET_FILE, folder.uid, 'the secret of the installation')),
    ...(databaseUrl === undefined && hasCluster
      ? examineSecret(dataDir, PASSWORDS, folder.uid, 'the passwords of the database')
      : []),
    examineDisk(dataDir),
  ]
}

function examineRights(dataDir: string, { uid, mode }: Stats): Finding[] {
  const own = process.getuid?.()
  if ((mode & 0o022) !== 0) return [fault('rights', `other users can write into ${dataDir}`, `Run: chmod go-w ${dataDir}`)]
  if (own !== 0 && own !== uid)
    return [fault('rights', `${dataDir} belongs to user ${uid}`, 'Run this command as root, or as the user of the service')]
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
    return [ok('rights', `${dataDir} belongs to user ${uid}, and nobody else can write there`)]
  } catch (error) {
    return [fault('rights', reasonOf(error), `Run: chmod u+rwx ${dataDir}`)]
  }
}

function examineSecret(dataDir: string, name: string, owner: number, what: string): Finding[] {
  const path = join(dataDir, name)
  try {
    const stats = lstatSync(path)
    if (stats.isSymbolicLink() || !stats.isFile())
      return [fault('rights', `${path} is no regular file, and is refused`, 'Remove it, and restore the file from a backup')]
    if (stats.uid !== owner) return [fault('rights', `${path} belongs to user ${stats.uid}`, `Run: chown ${owner} ${path}`)]
    if ((stats.mode & 0o077) !== 0) return [fault('rights', `other users can read ${path}, ${what}`, `Run: chmod 600 ${path}`)]
    return []
  } catch (error) {
    const remedy =
      name === SECRET_FILE
        ? 'Restore it, or set VEDETTE_SECRET_KEYS. A new installation gets one at its first start'
        : 'Restore it from a backup'
    return [fault('rights', `${path}, ${what}: ${reasonOf(error)}`, remedy)]
  }
}

function examineDisk(dataDir: string): Finding {
  const { bavail, bsize, blocks, files, ffree } = statfsSync(dataDir)
  const [free, total] = [bavail * bsize, blocks * bsize]
  const detail = `${(free / GIB).toFixed(1)} of ${(total / GIB).toFixed(1)} GiB are free for ${dataDir}`
  const remedy = `Free space on this disk, enlarge it, or shorten VEDETTE_RAW_RETENTION_DAYS`
  if (files > 0 && ffree < LEAST_FILES) return fault('disk', `only ${ffree} files can be made on the disk of ${dataDir}`, remedy)
  if (free < LEAST_BYTES) return fault('disk', detail, remedy)
  return free < FEW_BYTES ? warning('disk', detail, remedy) : ok('disk', detail)
}
