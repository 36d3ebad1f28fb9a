import { randomUUID } from 'node:crypto'
import { constants, link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { processToken } from './process-identity.ts'
import { PostgresStartError, systemErrorCode } from './start-error.ts'

interface Owner {
  pid: number
  token: string
}

export interface OwnerLock {
  release(): Promise<void>
}

/**
 * One living supervisor for each data folder (or of whatever `what` names). The file names its process; one that no longer runs
 * has lost it.
 * Throws when another lives. It does not see across the walls of containers that share a folder.
 */
export async function takeOwnerLock(path: string, what = 'The database of this data folder'): Promise<OwnerLock> {
  const text = JSON.stringify({ pid: process.pid, token: (await processToken(process.pid)) ?? '', nonce: randomUUID() })
  while (!(await createWhole(path, text))) if (await replaceStale(path, text, what)) break
  return {
    release: async () => {
      if ((await readText(path)) === text) await rm(path, { force: true })
    },
  }
}

/** A link makes the file appear with its content: a reader never sees it empty. False when there is one already. */
async function createWhole(path: string, text: string): Promise<boolean> {
  const own = `${path}.${randomUUID()}`
  await writeFile(own, text, { flag: 'wx', mode: 0o600 })
  try {
    await link(own, path)
    return true
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false
    throw error
  } finally {
    await rm(own, { force: true })
  }
}

/**
 * Replaces the lock of a dead owner with ours; false when the file changed meanwhile, throws when its owner is alive.
 * A second lock guards the replacement: otherwise two processes that saw the same dead owner would replace it in turn, and both
 * would own the folder. A dead holder of the second lock is replaced in the same way.
 */
async function replaceStale(path: string, text: string, what: string): Promise<boolean> {
  const seen = await readText(path)
  if (seen === undefined) return false
  await refuseLiving(seen, path, what)
  const clearing = await takeOwnerLock(`${path}.clearing`, what)
  try {
    if ((await readText(path)) !== seen) return false
    const own = `${path}.${randomUUID()}`
    await writeFile(own, text, { flag: 'wx', mode: 0o600 })
    await rename(own, path)
    return true
  } finally {
    await clearing.release()
  }
}

async function refuseLiving(text: string, path: string, what: string): Promise<void> {
  const owner = parseOwner(text)
  if (!owner || (await processToken(owner.pid)) !== owner.token) return
  throw new PostgresStartError(
    `${what} is run by another Vedette (process ${owner.pid}, by ${path}). ` +
      'Stop that one first, or give this one its own VEDETTE_DATA_DIR.',
  )
}

/** Undefined for a text that we did not write, such as one cut short by a full disk. */
function parseOwner(text: string): Owner | undefined {
  try {
    return JSON.parse(text) as Owner
  } catch {
    return undefined
  }
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, { encoding: 'utf8', flag: constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK })
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined
    throw error
  }
}
