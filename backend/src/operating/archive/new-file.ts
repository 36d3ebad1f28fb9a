import { constants, lstatSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

export interface NewFile {
  write(bytes: Uint8Array): Promise<void>
}

/**
 * Makes a file that exists whole or not at all: `fill` writes into `….part`, readable by its owner only, which is renamed once it
 * is on the disk. Throws when the file or its `….part` exists already, links included. Returns the number of bytes.
 */
export async function makeFile(path: string, fill: (file: NewFile) => Promise<void>): Promise<number> {
  // Not existsSync: it does not see a link that leads nowhere.
  if (lstatSync(path, { throwIfNoEntry: false })) throw new Error(`${path} exists already: name another file`)
  const part = `${path}.part`
  let bytes = 0
  const handle = await openNew(part)
  try {
    try {
      await fill({
        write: async (chunk) => {
          bytes += chunk.length
          await handle.writeFile(chunk)
        },
      })
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(part, path)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
  await syncFolder(dirname(path))
  return bytes
}

/** Exclusive: a link that somebody planted under the name is never followed. */
async function openNew(path: string): Promise<FileHandle> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
  return open(path, flags, 0o600).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') throw new Error(`There is no folder ${dirname(path)}.`)
    if (code !== 'EEXIST') throw error
    throw new Error(
      `${path} exists already: another export is writing it, or an export was interrupted. Remove it, or name another file.`,
    )
  })
}

/** Makes a new name durable. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
