import { access, chmod, chown, constants, mkdir, readdir, realpath } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { assertOwnFolder } from '../../system/private-file.ts'
import { type Layout, layoutOf } from './layout.ts'
import { runAs, type ServiceAccount } from './run-as.ts'
import { chooseServiceAccount } from './service-account.ts'
import { SECRET_FILE } from '../../crypto/installation-secrets.ts'
import { PostgresStartError, systemErrorCode } from './start-error.ts'

/**
 * Prepares the data folder for Postgres and for secrets; may be repeated. Call it before anything else is written there.
 *
 * A new one has mode 0700. Started by root it stays root's, with 0711: Postgres passes through it to its own subfolders, and cannot
 * plant links that root would follow. Throws when root is started on a folder that another user can write into.
 */
export async function makeDataFolder(dataDir: string): Promise<{ layout: Layout; account: ServiceAccount }> {
  const isNew = await createFolder(resolve(dataDir))
  const layout = layoutOf(await realpath(dataDir).catch((error: unknown) => refuseFolder(dataDir, error)))
  await access(layout.root, constants.W_OK).catch((error: unknown) => refuseFolder(layout.root, error))
  const account = await chooseServiceAccount(layout)
  if (account.ids) await openToAccount(layout.root, account, isNew)
  await checkReach(layout.root, account)
  return { layout, account }
}

/** Makes a folder of the service account's own, 0700; the mode of an existing one is set again. */
export async function makePrivateFolder(path: string, account: ServiceAccount): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  await chmod(path, 0o700)
  if (account.ids) await chown(path, account.ids.uid, account.ids.gid)
}

async function createFolder(path: string): Promise<boolean> {
  try {
    // Apart from the last one, whose mode is not theirs: a parent of 0700 would lock the service account out.
    await mkdir(dirname(path), { recursive: true })
    await mkdir(path, { mode: 0o700 })
    return true
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false
    refuseFolder(path, error)
  }
}

function refuseFolder(path: string, error: unknown): never {
  const reason = error instanceof Error ? error.message : String(error)
  throw new PostgresStartError(`The data folder ${path} cannot be used (${reason}). Choose another with VEDETTE_DATA_DIR.`, {
    cause: error,
  })
}

async function openToAccount(root: string, account: ServiceAccount, isNew: boolean): Promise<void> {
  assertOwnFolder(root)
  if (!isNew && (await canEnter(root, account))) return
  // Never open a folder that holds something else: VEDETTE_DATA_DIR=/root would open root's home to everybody.
  if ((await readdir(root)).some((name) => name !== SECRET_FILE)) {
    throw new PostgresStartError(
      `Postgres runs as "${account.name}", which cannot enter the data folder ${root}. ` +
        `Run "chmod 711 ${root}", or choose an empty folder with VEDETTE_DATA_DIR.`,
    )
  }
  await chmod(root, 0o711)
}

async function checkReach(root: string, account: ServiceAccount): Promise<void> {
  if (await canEnter(root, account)) return
  const barrier = await outermostBarrier(root, account)
  throw new PostgresStartError(
    `Postgres runs as "${account.name}", which cannot reach the data folder ${root}: it has no permission to enter ${barrier}. ` +
      `Run "chmod o+x ${barrier}", or choose a folder outside of it with VEDETTE_DATA_DIR.`,
  )
}

/** Tried, not computed from mode bits: access lists and mounts decide as well. */
async function canEnter(folder: string, account: ServiceAccount): Promise<boolean> {
  return (await runAs(account, '/bin/sh', ['-c', 'cd "$1"', 'sh', folder])).isOk
}

async function outermostBarrier(folder: string, account: ServiceAccount): Promise<string> {
  const parent = dirname(folder)
  return parent === folder || (await canEnter(parent, account)) ? folder : outermostBarrier(parent, account)
}
