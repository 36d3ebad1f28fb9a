import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { messageOf } from '../log.ts'

/** Makes sure that one update runs at a time; answers what lets the next one in. One that a killed process left is taken over. */
export function holdLock(path: string): () => void {
  if (!tryLock(path)) {
    const holder = Number(readFileSync(path, 'utf8'))
    if (isAlive(holder)) throw new Error(`process ${holder} is updating already`)
    rmSync(path, { force: true })
    if (!tryLock(path)) throw new Error('another process is updating already')
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
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw new Error(`cannot write beside the versions (${messageOf(error)}): run it as root`, { cause: error })
  }
}

function isAlive(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
