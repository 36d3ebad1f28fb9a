import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Somebody else could have planted the file or the folder. The message says what to do. */
export class UntrustedPathError extends Error {}

/** Makes a folder for this user alone (0700). Throws UntrustedPathError for a link, and for another user's folder. */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  assertOwnFolder(path)
  chmodSync(path, 0o700)
}

/** Makes a new folder for another user alone (0700). Throws where the name exists already, as a link too. */
export function makeFolderFor(path: string, { uid, gid }: { uid: number; gid: number }): void {
  mkdirSync(path, { mode: 0o700 })
  const folder = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  try {
    fchownSync(folder, uid, gid)
  } finally {
    closeSync(folder)
  }
}

/**
 * Throws UntrustedPathError unless the path is a folder that only this user can write into: in any other one somebody could plant
 * links, which root would follow. Ordinary users may share a folder, at their own risk.
 */
export function assertOwnFolder(path: string): void {
  const stats = lstatSync(path)
  if (stats.isSymbolicLink()) throw new UntrustedPathError(linkRefused(path))
  if (!stats.isDirectory()) throw new UntrustedPathError(`${path} is not a folder. Move it away.`)
  if (process.getuid?.() !== 0 || (stats.uid === 0 && (stats.mode & 0o022) === 0)) return
  throw new UntrustedPathError(
    `Vedette runs as root, but other users can write into ${path} and could plant links there. ` +
      `Run Vedette as the owner of the folder, or run "chown root:root ${path} && chmod 711 ${path}".`,
  )
}

/**
 * Writes a file for this user alone (0600), in place of an existing one. Throws UntrustedPathError for a symbolic or hard link and
 * for another user's file.
 */
export function writePrivateFile(path: string, text: string): void {
  withPrivateFile(path, constants.O_WRONLY | constants.O_CREAT, (file) => {
    ftruncateSync(file)
    writeFileSync(file, text)
    fsyncSync(file)
  })
}

/** As `writePrivateFile`; a process that is killed meanwhile leaves the earlier file whole. */
export function replacePrivateFile(path: string, text: string): void {
  writePrivateFile(`${path}.new`, text)
  renameSync(`${path}.new`, path)
}

/** The names in a folder; none where it does not exist. */
export function listFolder(path: string): string[] {
  try {
    return readdirSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** Removes a file, or a link in its place; what a link leads to stays. */
export const removePrivateFile = (path: string): void => rmSync(path, { force: true })

/**
 * The text of a file of this user, or for root of the owner of its folder; sets its mode to 0600. Undefined where there is none.
 * Throws UntrustedPathError for a symbolic link and for another user's file.
 */
export function readPrivateFile(path: string): string | undefined {
  return withPrivateFile(path, constants.O_RDONLY, (file) => readFileSync(file, 'utf8'))
}

/**
 * The text of a file whose mode is not ours to set, such as one of the database: no link and no pipe, of this user, or for root of
 * the owner of its folder. Throws where there is none, and UntrustedPathError for another user's file.
 */
export async function readOwnedText(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw new UntrustedPathError(notRegular(path))
    // Root that runs the database as another user reads that user's files too.
    if (!isTrustedOwner(path, stats.uid)) throw new UntrustedPathError(`${path} belongs to another user. Move it away.`)
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}

/**
 * Whether the owner of an opened file may be believed: this user, or for root the owner of its folder. A command of root reads the
 * data folder of a service; who owns that folder decides about its contents anyway.
 */
export function isTrustedOwner(path: string, uid: number): boolean {
  const own = process.getuid?.()
  return uid === own || (own === 0 && uid === statSync(dirname(path)).uid)
}

function withPrivateFile<T>(path: string, flags: number, work: (file: number) => T): T | undefined {
  const file = openUnlinked(path, flags)
  if (file === undefined) return undefined
  try {
    const stats = fstatSync(file)
    const { uid, nlink } = stats
    if (!stats.isFile()) throw new UntrustedPathError(notRegular(path))
    if (!(flags === constants.O_RDONLY ? isTrustedOwner(path, uid) : uid === process.getuid?.()))
      throw new UntrustedPathError(`${path} belongs to another user. Move it away.`)
    // A file that is being created has two names for a moment; only a reader may meet it then.
    if (nlink > 1 && flags !== constants.O_RDONLY) throw new UntrustedPathError(`${path} has a second name. Remove it.`)
    if (nlink === 1) fchmodSync(file, 0o600)
    return work(file)
  } finally {
    closeSync(file)
  }
}

function openUnlinked(path: string, flags: number): number | undefined {
  try {
    // O_NONBLOCK: a planted pipe must not stop the program.
    return openSync(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o600)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    if (code === 'ELOOP') throw new UntrustedPathError(linkRefused(path), { cause: error })
    // A pipe without a reader, and a folder.
    if (code === 'ENXIO' || code === 'EISDIR') throw new UntrustedPathError(notRegular(path), { cause: error })
    throw error
  }
}

const notRegular = (path: string) => `${path} is not a regular file. Move it away.`
const linkRefused = (path: string) => `${path} is a symbolic link, which Vedette does not follow here. Remove it.`
