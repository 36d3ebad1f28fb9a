import { existsSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

export interface NewFile {
  write(bytes: Uint8Array): Promise<void>
}

/**
 * Makes a file that is there whole or not at all: what `fill` writes stands beside it as `….part`, for its owner only, and gets
 * the name once it is on the disk. Throws when there is a file of the name already. Gives how many bytes it has.
 */
export async function makeFile(path: string, fill: (file: NewFile) => Promise<void>): Promise<number> {
  if (existsSync(path)) throw new Error(`${path} exists already: name another file`)
  const part = `${path}.part`
  let bytes = 0
  try {
    const handle = await open(part, 'w', 0o600)
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

/** The name is on the disk only then. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
