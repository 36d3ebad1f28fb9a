import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { hasCode, isProcessAlive } from '../process/files.ts'
import { messageOf } from '../process/log.ts'

/** Ensures that one update runs at a time; returns the function that releases the lock. A lock of a dead process is replaced. */
export function acquireLock(path: string): () => void {
  if (!tryLock(path)) {
    const holder = Number(readFileSync(path, 'utf8'))
    if (isProcessAlive(holder)) throw new Error(`process ${holder} is already updating the agent`)
    rmSync(path, { force: true })
    if (!tryLock(path)) throw new Error('another process is already updating the agent')
  }
  return () => rmSync(path, { force: true })
}

function tryLock(path: string): boolean {
  try {
    const fd = openSync(path, 'wx', 0o644)
    writeSync(fd, String(process.pid))
    closeSync(fd)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw new Error(`cannot write to the folder of the versions (${messageOf(error)}): run it as root`, { cause: error })
  }
}
