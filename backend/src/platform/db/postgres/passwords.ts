import { randomBytes } from 'node:crypto'
import { constants, open, rename, rm } from 'node:fs/promises'
import { isTrustedOwner } from '../../system/private-file.ts'
import type { ServiceAccount } from './run-as.ts'
import { PostgresStartError, systemErrorCode } from './start-error.ts'

/** Two roles, so that a hole in a statement of the application cannot run programs or read files as a superuser can. */
export interface Passwords {
  superuser: string
  application: string
}

/** Undefined when there are none yet. Throws when the file is not ours alone: somebody else could have planted it. */
export async function readPasswords(path: string): Promise<Passwords | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((error: unknown) => {
    if (systemErrorCode(error) === 'ENOENT') return undefined
    throw new PostgresStartError(`The database's password file ${path} cannot be read: ${String(error)}.`, { cause: error })
  })
  if (!file) return undefined
  try {
    if (!isTrustedOwner(path, (await file.stat()).uid)) {
      throw new PostgresStartError(`The database's password file ${path} belongs to another user. Start Vedette as that user.`)
    }
    return JSON.parse(await file.readFile('utf8')) as Passwords
  } finally {
    await file.close()
  }
}

/** On the disk before it returns: a cluster must never outlive its password. */
export async function makePasswords(path: string): Promise<Passwords> {
  const passwords = { superuser: randomPassword(), application: randomPassword() }
  await writePrivateFile(`${path}.new`, JSON.stringify(passwords))
  await rename(`${path}.new`, path)
  return passwords
}

/**
 * Writes a new file of mode 0600, ours or the account's. Exclusive creation: as root we write into a folder that the service account
 * owns, and a link planted there must not lead us elsewhere.
 */
export async function writePrivateFile(path: string, text: string, account?: ServiceAccount): Promise<void> {
  await rm(path, { force: true })
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    if (account?.ids) await file.chown(account.ids.uid, account.ids.gid)
    await file.sync()
  } finally {
    await file.close()
  }
}

function randomPassword(): string {
  return randomBytes(32).toString('base64url')
}
