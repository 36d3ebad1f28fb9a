import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** The text of a file; undefined when there is none. Other faults (no permission) are thrown. */
export function readTextIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

/**
 * Replaces a file whole: a reader, and a start after a power loss, see the old text or the new one. Readable by its owner only;
 * its folder is made if it is missing. Synchronous, so that a hung call in the thread pool cannot stop it.
 */
export function writeAtomic(path: string, text: string): void {
  replaceFile(path, text, fsyncSync)
}

/** As writeAtomic, but after a power loss the file may be empty or gone. */
export function writeWhole(path: string, text: string): void {
  replaceFile(path, text, () => undefined)
}

/** What is in the way of most calls is not looked for before: the status is written with each push. */
function createFile(path: string): number {
  try {
    return openSync(path, 'wx', 0o600)
  } catch {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    // A leftover of a killed process with the same pid would keep its own mode.
    rmSync(path, { force: true })
    return openSync(path, 'wx', 0o600)
  }
}

function replaceFile(path: string, text: string, sync: (fd: number) => void): void {
  const temporary = `${path}.${process.pid}.tmp`
  const fd = createFile(temporary)
  try {
    writeSync(fd, text)
    sync(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(temporary, path)
}
