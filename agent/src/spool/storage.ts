import { closeSync, fdatasync, fstatSync, ftruncateSync, openSync, readFileSync, readSync, rmSync, writeSync } from 'node:fs'

/** Stores the bytes of a segment. The calls are synchronous: a thread pool full of hung calls must not stop the spool. */
export interface Storage {
  readonly medium: 'disk' | 'memory'
  /** Appends all bytes or none; throws the system's error. */
  append(bytes: Buffer): void
  read(start: number, end: number): Buffer
  /** The appended bytes survive a power loss once `done` is called without an error. */
  sync(done: (error: Error | null) => void): void
  /** False if the file was deleted: bytes appended then are lost with the process. */
  exists(): boolean
  /** Closes the file descriptor; the next append opens it again. */
  closeFile(): void
  discard(): void
}

export class MemoryStorage implements Storage {
  readonly medium = 'memory'
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

  exists(): boolean {
    return true
  }

  closeFile(): void {
    // Nothing is open.
  }

  discard(): void {
    this.#pieces = []
  }
}

export class DiskStorage implements Storage {
  readonly medium = 'disk'
  readonly path: string
  #size: number
  #fd: number | undefined
  #isSyncing = false
  /** Callbacks since the running sync began: it may not cover what they appended. */
  #waiting: ((error: Error | null) => void)[] = []

  /** Opens an existing file of `size` bytes, or creates one if `size` is undefined. Throws the system's error. */
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
      this.#truncate(fd)
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

  /** In the thread pool, because a disk may be slow: the next sample does not wait for it. */
  sync(done: (error: Error | null) => void): void {
    const fd = this.#fd
    if (fd === undefined) return done(null)
    this.#waiting.push(done)
    if (!this.#isSyncing) this.#syncNow(fd)
  }

  exists(): boolean {
    return this.#fd === undefined || fstatSync(this.#fd).nlink > 0
  }

  closeFile(): void {
    // A descriptor that is being synced is closed when the sync returns.
    if (this.#fd !== undefined && !this.#isSyncing) closeSync(this.#fd)
    this.#fd = undefined
  }

  discard(): void {
    this.closeFile()
    rmSync(this.path, { force: true })
  }

  #open(): number {
    this.#fd ??= openSync(this.path, 'r+')
    return this.#fd
  }

  #syncNow(fd: number): void {
    const callbacks = this.#waiting
    this.#waiting = []
    this.#isSyncing = true
    fdatasync(fd, (error) => {
      this.#isSyncing = false
      for (const done of callbacks) done(error)
      if (this.#waiting.length > 0) this.#syncNow(fd)
      else if (this.#fd !== fd) closeSync(fd)
    })
  }

  /** The beginning of a record that did not fit may be on the disk. */
  #truncate(fd: number): void {
    try {
      ftruncateSync(fd, this.#size)
    } catch {
      // The next start skips it like any damaged record.
    }
  }
}
