import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasCode, isProcessAlive, readTextIfThere } from '../process/files.ts'
import { DiskStorage } from './storage.ts'

const NAME = /^(\d{10})\.spool$/

/** The segment files of one agent, named by their numbers, and the lock against a second agent. */
export class SpoolFolder {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  /** Numbers of the segments in ascending order; throws if the folder cannot be read. */
  list(): number[] {
    try {
      return readdirSync(this.#path)
        .flatMap((name) => NAME.exec(name)?.[1] ?? [])
        .map(Number)
        .toSorted((a, b) => a - b)
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return []
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
   * Locks the folder for this process; returns the pid of the process that holds it already. A lock outlives a kill, and pids are
   * reused: it counts only while the very process that wrote it lives.
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
      // The folder cannot be written: the spool stays in memory, where no other agent can interfere.
    }
    return undefined
  }

  unlock(): void {
    const path = join(this.#path, 'lock')
    try {
      if (readTextIfThere(path)?.startsWith(`${process.pid} `)) rmSync(path, { force: true })
    } catch {
      // The lock is void once this process has ended.
    }
  }

  #pathOf(number: number): string {
    return join(this.#path, `${String(number).padStart(10, '0')}.spool`)
  }
}

/** Pid, boot id and start time identify a process for ever. Empty if it does not run; without /proc only the pid. */
function describeProcess(pid: number): string {
  const bootId = readTextIfThere('/proc/sys/kernel/random/boot_id')?.trim()
  if (bootId === undefined) return isProcessAlive(pid) ? `${pid} -` : ''
  const stat = readTextIfThere(`/proc/${pid}/stat`)
  return stat === undefined ? '' : `${pid} ${bootId} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`
}
