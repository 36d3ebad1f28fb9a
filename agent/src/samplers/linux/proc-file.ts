import { closeSync, openSync, readSync } from 'node:fs'

/** A file of /proc, opened once and read from its start each time. */
export interface ProcFile {
  /** The current content; undefined if it cannot be read. */
  read(encoding?: 'latin1' | 'utf8'): string | undefined
  close(): void
}

/** One buffer shared by all files of a sampler, which are read one after the other. */
export class ReadBuffer {
  bytes: Buffer

  constructor(bytes = 65_536) {
    this.bytes = Buffer.allocUnsafe(bytes)
  }

  grow(): void {
    const bigger = Buffer.allocUnsafe(this.bytes.length * 2)
    this.bytes.copy(bigger)
    this.bytes = bigger
  }
}

/** Far above any real /proc file: an endless file must not use up the host's memory. */
const MAX_FILE_BYTES = 8 * 1_048_576

/**
 * Undefined if the file is missing or cannot be read: its fields are absent then. Reads are synchronous because /proc responds from
 * memory in microseconds, while hung calls elsewhere (a dead mount) can fill the thread pool that asynchronous reads need.
 * `hasLongLines`: lines may be longer than 2 KiB, as those of mounts.
 */
export function openProcFile(path: string, buffer: ReadBuffer, hasLongLines = false): ProcFile | undefined {
  let fd: number
  try {
    fd = openSync(path, 'r')
  } catch {
    return undefined
  }
  return {
    read: (encoding = 'latin1') => {
      try {
        return buffer.bytes.toString(encoding, 0, readWhole(fd, buffer, hasLongLines))
      } catch {
        return undefined
      }
    },
    close: () => closeSync(fd),
  }
}

/**
 * The kernel fills a page of 4 KiB or more with lines until one does not fit, or returns a small file at once: a read of less than
 * this was the last, unless a line may be longer than the rest of the page.
 */
const LAST_READ_BYTES = 2_048

/** /proc returns a page at a time, so a read that does not fill the buffer may not be the last. */
function readWhole(fd: number, buffer: ReadBuffer, hasLongLines: boolean): number {
  let length = 0
  for (;;) {
    if (length === buffer.bytes.length) {
      if (length >= MAX_FILE_BYTES) throw new Error('file too large')
      buffer.grow()
    }
    const count = readSync(fd, buffer.bytes, length, buffer.bytes.length - length, length)
    length += count
    if (count === 0 || (count < LAST_READ_BYTES && !hasLongLines)) return length
  }
}

/** Most files of /proc and /sys fit a page. */
const SMALL_BYTES = 4_096

/** Files of /proc or /sys below one folder, each opened when it is read first. */
export class KeptFiles {
  /** Shared by all: they are read one after the other. */
  static readonly #buffer = new ReadBuffer(SMALL_BYTES)
  readonly #root: string
  readonly #open = new Map<string, ProcFile>()

  constructor(root: string) {
    this.#root = root
  }

  /** Undefined if it cannot be read: it is opened again next time. */
  read(path: string): string | undefined {
    const known = this.#open.get(path)
    const file = known ?? openProcFile(`${this.#root}/${path}`, KeptFiles.#buffer)
    if (!file) return undefined
    const text = file.read()
    if (text === undefined) {
      file.close()
      this.#open.delete(path)
    } else if (!known) this.#open.set(path, file)
    return text
  }
}
