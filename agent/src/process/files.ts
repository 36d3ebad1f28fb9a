import { closeSync, constants, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

const READ = constants.O_RDONLY | (process.platform === 'win32' ? 0 : constants.O_NONBLOCK)

/** The text of a file; undefined if it does not exist. Other errors (no permission) are thrown. A pipe is empty, never waited for. */
export function readTextIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, { encoding: 'utf8', flag: READ })
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/**
 * The text of a file; undefined if it cannot be read for any reason. Read as UTF-8, the encoding for which Node allocates no 64 KiB
 * buffer for a file of /proc.
 */
export function tryReadText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

export function isProcessAlive(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0)
  } catch (error) {
    // Another user's process cannot be signalled, but it runs.
    return hasCode(error, 'EPERM')
  }
}

/**
 * Replaces a file atomically: a reader, and a start after a power loss, see the old text or the new one. Only the owner can read the
 * file; a missing folder is created. Synchronous, so that a hung call in the thread pool cannot stop it.
 */
export function writeAtomic(path: string, text: string): void {
  replaceFile(path, text, fsyncSync)
}

/** Like writeAtomic, but after a power loss the file may be empty or missing. */
export function writeWhole(path: string, text: string): void {
  replaceFile(path, text, () => undefined)
}

/** Tries before it prepares the folder: the status is written with each push. */
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
