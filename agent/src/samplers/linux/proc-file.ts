import { closeSync, openSync, readSync } from 'node:fs'

/** A file of /proc, opened once and read anew from its start. */
export interface ProcFile {
  /** The whole content now; undefined when it cannot be read. */
  read(encoding?: 'latin1' | 'utf8'): string | undefined
  close(): void
}

/** One buffer for all files of a sampler: they are read one after the other and never kept. */
export class ReadBuffer {
  bytes = Buffer.allocUnsafe(65_536)

  grow(): void {
    const bigger = Buffer.allocUnsafe(this.bytes.length * 2)
    this.bytes.copy(bigger)
    this.bytes = bigger
  }
}

/** Far above any real /proc file that is read whole; a file that grows without end must not take the host's memory. */
const MAX_FILE_BYTES = 8 * 1_048_576

/**
 * Undefined when the file is not there or may not be read: the fields it feeds are then absent.
 * The reads are synchronous on purpose: /proc answers from memory in microseconds, and a hung call elsewhere (a dead mount)
 * can fill the thread pool that asynchronous reads need. `hasLongLines`: some may be longer than 2 KiB, as those of mounts.
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
 * The kernel fills a page of 4 KiB or more with lines until one does not fit, or gives all of a file that it makes in one piece:
 * a read of less than this was the last, unless a line may be longer than the rest of the page.
 */
const LAST_READ_BYTES = 2_048

/** /proc gives a page at a time, so a read that does not fill the buffer need not be the last. */
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
