import { closeSync, fdatasync, fstatSync, ftruncateSync, openSync, readFileSync, readSync, rmSync, writeSync } from 'node:fs'

/** Where the bytes of a segment are. The calls are synchronous: a thread pool full of hung calls must not stop the spool. */
export interface Storage {
  readonly place: 'disk' | 'memory'
  /** All or nothing; throws what the system says. */
  append(bytes: Buffer): void
  read(start: number, end: number): Buffer
  /** What was appended survives a loss of power once `done` is called without an error. */
  sync(done: (error: Error | null) => void): void
  /** False when somebody has removed the file under us: what is appended then is lost with the process. */
  isThere(): boolean
  /** No appends for now: a descriptor is given back. */
  rest(): void
  discard(): void
}

export class MemoryStorage implements Storage {
  readonly place = 'memory'
  #pieces: Buffer[] = []

  append(bytes: Buffer): void {
    this.#pieces.push(bytes)
  }

  read(start: number, end: number): Buffer {
    if (this.#pieces.length > 1) this.#pieces = [Buffer.concat(this.#pieces)]
    return (this.#pieces[0] ?? Buffer.alloc(0)).subarray(start, end)
  }

  sync(done: (error: Error | null) => void): void {
    done(null)
  }

  isThere(): boolean {
    return true
  }

  rest(): void {
    // Nothing is open.
  }

  discard(): void {
    this.#pieces = []
  }
}

export class DiskStorage implements Storage {
  readonly place = 'disk'
  readonly path: string
  #size: number
  #fd: number | undefined
  #isSyncing = false
  /** Of those who asked since the sync that is under way began: it may be without what they appended. */
  #waiting: ((error: Error | null) => void)[] = []

  /** A file that is there, of `size` bytes, or, without a size, a new one. Throws what the system says. */
  constructor(path: string, size?: number) {
    this.path = path
    this.#size = size ?? 0
    if (size === undefined) this.#fd = openSync(path, 'wx+', 0o600)
  }

  append(bytes: Buffer): void {
    const fd = this.#open()
    try {
      for (let written = 0; written < bytes.length; ) {
        written += writeSync(fd, bytes, written, bytes.length - written, this.#size + written)
      }
    } catch (error) {
      this.#cutTail(fd)
      throw error
    }
    this.#size += bytes.length
  }

  read(start: number, end: number): Buffer {
    if (this.#fd === undefined) return readFileSync(this.path).subarray(start, end)
    const bytes = Buffer.allocUnsafe(Math.max(0, end - start))
    let length = 0
    while (length < bytes.length) {
      const count = readSync(this.#fd, bytes, length, bytes.length - length, start + length)
      if (count === 0) break
      length += count
    }
    return bytes.subarray(0, length)
  }

  /** In the thread pool, since a disk may take its time: the next sample does not wait for it. */
  sync(done: (error: Error | null) => void): void {
    const fd = this.#fd
    if (fd === undefined) return done(null)
    this.#waiting.push(done)
    if (!this.#isSyncing) this.#syncNow(fd)
  }

  isThere(): boolean {
    return this.#fd === undefined || fstatSync(this.#fd).nlink > 0
  }

  rest(): void {
    // A descriptor that is being synced is closed when that returns.
    if (this.#fd !== undefined && !this.#isSyncing) closeSync(this.#fd)
    this.#fd = undefined
  }

  discard(): void {
    this.rest()
    rmSync(this.path, { force: true })
  }

  #open(): number {
    this.#fd ??= openSync(this.path, 'r+')
    return this.#fd
  }

  #syncNow(fd: number): void {
    const told = this.#waiting
    this.#waiting = []
    this.#isSyncing = true
    fdatasync(fd, (error) => {
      this.#isSyncing = false
      for (const done of told) done(error)
      if (this.#waiting.length > 0) this.#syncNow(fd)
      else if (this.#fd !== fd) closeSync(fd)
    })
  }

  /** Of a record that found no room the beginning may be on disk. */
  #cutTail(fd: number): void {
    try {
      ftruncateSync(fd, this.#size)
    } catch {
      // The next start steps over it as over any damaged record.
    }
  }
}
