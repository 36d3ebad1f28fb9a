import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readTextIfThere } from '../files.ts'
import { DiskStorage } from './storage.ts'

const NAME = /^(\d{10})\.spool$/

/** The segment files of one agent, named by their numbers, and the lock that keeps a second agent away. */
export class SpoolFolder {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  /** Numbers of the segments that are there, in order; throws when the folder cannot be read. */
  list(): number[] {
    try {
      return readdirSync(this.#path)
        .flatMap((name) => NAME.exec(name)?.[1] ?? [])
        .map(Number)
        .toSorted((a, b) => a - b)
    } catch (error) {
      if (isCode(error, 'ENOENT')) return []
      throw error
    }
  }

  create(number: number): DiskStorage {
    mkdirSync(this.#path, { recursive: true, mode: 0o700 })
    return new DiskStorage(this.#pathOf(number))
  }

  open(number: number): { storage: DiskStorage; bytes: Buffer } {
    const bytes = readFileSync(this.#pathOf(number))
    return { storage: new DiskStorage(this.#pathOf(number), bytes.length), bytes }
  }

  /**
   * The process that holds the folder; undefined when it is now ours. A lock outlives a kill, and process numbers are given
   * anew: it counts only while the process that wrote it lives.
   */
  lock(): number | undefined {
    const path = join(this.#path, 'lock')
    const own = describeProcess(process.pid)
    try {
      const [pid, ...rest] = (readTextIfThere(path) ?? '').split(' ')
      if (pid && Number(pid) !== process.pid && describeProcess(Number(pid)) === [pid, ...rest].join(' ')) return Number(pid)
      mkdirSync(this.#path, { recursive: true, mode: 0o700 })
      writeFileSync(path, own, { mode: 0o600 })
    } catch {
      // No folder that could be written to: then the spool is in memory, and nobody can be in its way.
    }
    return undefined
  }

  unlock(): void {
    const path = join(this.#path, 'lock')
    try {
      if (readTextIfThere(path)?.startsWith(`${process.pid} `)) rmSync(path, { force: true })
    } catch {
      // It counts no longer once this process has ended.
    }
  }

  #pathOf(number: number): string {
    return join(this.#path, `${String(number).padStart(10, '0')}.spool`)
  }
}

export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

/** Pid, boot and start time name one process for ever. Empty when it does not live; without /proc the pid alone must do. */
function describeProcess(pid: number): string {
  const bootId = readTextIfThere('/proc/sys/kernel/random/boot_id')?.trim()
  if (bootId === undefined) return isAlive(pid) ? `${pid} -` : ''
  const stat = readTextIfThere(`/proc/${pid}/stat`)
  return stat === undefined ? '' : `${pid} ${bootId} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return isCode(error, 'EPERM')
  }
}
