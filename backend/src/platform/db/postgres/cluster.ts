import { randomUUID } from 'node:crypto'
import { constants, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readOwnedText } from '../../system/private-file.ts'
import { makePrivateFolder } from './data-folder.ts'
import { SUPERUSER } from './endpoint.ts'
import type { Layout } from './layout.ts'
import { writePrivateFile } from './passwords.ts'
import { runAs, type ServiceAccount } from './run-as.ts'
import { measureMachine, settingsFor, toConfiguration } from './settings.ts'
import { PostgresStartError, systemErrorCode } from './start-error.ts'

const CONFIGURATION = 'vedette.conf'

/** Major version of the cluster, undefined when there is none yet. Throws when the folder holds something else. */
export async function readClusterMajor(layout: Layout): Promise<number | undefined> {
  const entries = await readdir(layout.cluster).catch((error: unknown): string[] => {
    if (systemErrorCode(error) === 'ENOENT') return []
    throw new PostgresStartError(
      `The database in ${layout.cluster} cannot be opened (${String(error)}). Start Vedette as the user that owns it.`,
      { cause: error },
    )
  })
  if (entries.length === 0) return undefined
  if (entries.includes('PG_VERSION')) return Number.parseInt(await readOwnedText(join(layout.cluster, 'PG_VERSION')), 10)
  throw new PostgresStartError(`${layout.cluster} exists but is not a PostgreSQL database. Move it away.`)
}

/** Data files of one major version mean nothing to another. */
export function checkMajor(layout: Layout, clusterMajor: number, programMajor: number): void {
  if (clusterMajor === programMajor) return
  throw new PostgresStartError(
    `The database in ${layout.cluster} was created by PostgreSQL ${clusterMajor}; this Vedette contains PostgreSQL ${programMajor}. ` +
      `Run "vedette export" with the version that made it, move the folder away, start this version and run "vedette import".`,
  )
}

/** Creates an empty cluster under a temporary name and renames it: an aborted run leaves no cluster behind. */
export async function makeCluster(
  layout: Layout,
  account: ServiceAccount,
  options: { programs: string; password: string; fsync: boolean },
): Promise<void> {
  await removeUnfinished(layout)
  // A name of its own: the initdb of a killed parent runs on for a second and must not write into ours.
  const folder = `${layout.unfinishedClusters}.${randomUUID()}`
  await makePrivateFolder(folder, account)
  await writePrivateFile(layout.initialPassword, options.password, account)
  const made = await runAs(account, join(options.programs, 'bin', 'initdb'), initdbArguments(layout, folder, options.fsync))
  await rm(layout.initialPassword, { force: true })
  if (!made.isOk) throw new PostgresStartError(`The database could not be created in ${layout.cluster}: ${made.stderr}`)
  await appendOwn(join(folder, 'postgresql.conf'), `\ninclude '${CONFIGURATION}'\n`)
  await rename(folder, layout.cluster)
}

/** The folder belongs to the service account, which could put a link in the place of the file. */
async function appendOwn(path: string, text: string): Promise<void> {
  const file = await open(path, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW)
  try {
    await file.writeFile(text)
  } finally {
    await file.close()
  }
}

async function removeUnfinished(layout: Layout): Promise<void> {
  const entries = await readdir(layout.root)
  const leftovers = entries.map((entry) => join(layout.root, entry)).filter((path) => path.startsWith(layout.unfinishedClusters))
  // Retried: an initdb that still runs makes new files while we remove.
  await Promise.all(leftovers.map((path) => rm(path, { recursive: true, force: true, maxRetries: 10 })))
}

function initdbArguments(layout: Layout, folder: string, fsync: boolean): string[] {
  return [
    `--pgdata=${folder}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${layout.initialPassword}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // The same order of texts on every host; orders for people come from ICU collations.
    '--locale=C',
    '--data-checksums',
    ...(fsync ? [] : ['--no-sync']),
  ]
}

/** Fits the settings to the machine as it is now: memory and disk change between two starts. */
export async function writeSettings(layout: Layout, account: ServiceAccount, options: { fsync: boolean }): Promise<void> {
  const target = join(layout.cluster, CONFIGURATION)
  const settings = settingsFor(await measureMachine(layout.cluster), options)
  await writePrivateFile(`${target}.new`, toConfiguration(settings), account)
  await rename(`${target}.new`, target)
}
