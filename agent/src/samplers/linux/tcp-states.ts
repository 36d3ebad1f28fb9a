import { close, open, read, readSync } from 'node:fs'
import { promisify } from 'node:util'
import { type Clock, yieldToEventLoop } from '../../process/clock.ts'

// Not fs/promises, which loads readline and more: a megabyte.
const [openFile, readFile, closeFile] = [promisify(open), promisify(read), promisify(close)]

/** Sockets by state number as the kernel counts them: index 1 is established. */
export type StateCounts = number[]

export const TCP_STATE = {
  established: 1,
  synSent: 2,
  synRecv: 3,
  finWait1: 4,
  finWait2: 5,
  timeWait: 6,
  closeWait: 8,
  lastAck: 9,
  listen: 10,
  closing: 11,
} as const
const STATE_COUNT = 16
/** The kernel returns a page at a time; a larger buffer is wasted. */
const READ_BYTES = 8_192
/** Lines are shorter than 200 bytes and fill a page of 4 KiB until one does not fit: a shorter read was the last one. */
const FULL_PAGE_BYTES = 3_500
/** After this time the event loop gets a turn. */
const SLICE_MS = 1
/** A slower read walks through much of the kernel's table: the next one must not block the event loop. */
const SLOW_READ_MS = 0.5

const LINE_FEED = 10
const BLANK = 32
const COLON = 58
const NOTHING = Buffer.alloc(0)

/** Counts the states in a listing that arrives in chunks, split anywhere; the first line is a heading. */
export class StateCounter {
  readonly counts: StateCounts = Array.from({ length: STATE_COUNT }, () => 0)
  sockets = 0
  #tail: Buffer = NOTHING
  #isPastHeading = false

  /** Starts a new listing, whose heading is skipped. */
  begin(): void {
    this.#tail = NOTHING
    this.#isPastHeading = false
  }

  add(piece: Buffer): void {
    const bytes = this.#tail.length > 0 ? Buffer.concat([this.#tail, piece]) : piece
    let start = 0
    for (let feed = bytes.indexOf(LINE_FEED); feed >= 0; feed = bytes.indexOf(LINE_FEED, start)) {
      if (this.#isPastHeading) this.#count(bytes, start)
      this.#isPastHeading = true
      start = feed + 1
    }
    // A copy, because the buffer is reused.
    this.#tail = start < bytes.length ? Buffer.from(bytes.subarray(start)) : NOTHING
  }

  /** The fourth word of the line: number with a colon, local address, remote address, state. */
  #count(bytes: Buffer, start: number): void {
    const colon = bytes[start + 4] === COLON ? start + 4 : bytes.indexOf(COLON, start)
    // Addresses are of one width in a listing: 8 digits, or 32, and a port of 4.
    const local = colon + 2
    const width = bytes[local + 13] === BLANK ? 13 : 37
    const at = local + 2 * (width + 1)
    const state = hexDigit(bytes[at] ?? 0) * 16 + hexDigit(bytes[at + 1] ?? 0)
    if (!(state >= 0 && state < STATE_COUNT) || bytes[at - 1] !== BLANK || bytes[at + 2] !== BLANK) return
    this.counts[state] = (this.counts[state] ?? 0) + 1
    this.sockets++
  }
}

function hexDigit(byte: number): number {
  return byte <= 57 ? byte - 48 : (byte | 32) - 87
}

/**
 * Counts all TCP sockets of the files (/proc/net/tcp and tcp6) by state; undefined if none can be read or there are
 * more than `ceiling`. The kernel walks its whole hash table, which takes milliseconds even if it is empty, so reads go through the
 * thread pool. With many sockets each read covers a small part of the table and is synchronous: handing a page to another thread
 * costs more than reading it.
 */
export async function countStates(clock: Clock, paths: readonly string[], ceiling: number): Promise<StateCounts | undefined> {
  const counter = new StateCounter()
  const buffer = Buffer.allocUnsafe(READ_BYTES)
  let filesRead = 0
  for (const path of paths) {
    let fd: number
    try {
      fd = await openFile(path, 'r')
    } catch {
      // A host without IPv6 has no tcp6.
      continue
    }
    try {
      counter.begin()
      if (!(await countFile(clock, fd, buffer, counter, ceiling))) return undefined
      filesRead++
    } catch {
      return undefined
    } finally {
      await closeFile(fd)
    }
  }
  return filesRead > 0 ? counter.counts : undefined
}

async function countFile(clock: Clock, fd: number, buffer: Buffer, counter: StateCounter, ceiling: number): Promise<boolean> {
  let position = 0
  let sliceEndMs = 0
  let isQuick = false
  for (;;) {
    const beganMs = clock.monotonicMs()
    const count = isQuick
      ? readSync(fd, buffer, 0, buffer.length, position)
      : (await readFile(fd, buffer, 0, buffer.length, position)).bytesRead
    counter.add(buffer.subarray(0, count))
    if (counter.sockets > ceiling) return false
    if (count < FULL_PAGE_BYTES) return true
    position += count
    const nowMs = clock.monotonicMs()
    isQuick = nowMs - beganMs < SLOW_READ_MS
    if (!isQuick || nowMs < sliceEndMs) continue
    await yieldToEventLoop()
    sliceEndMs = clock.monotonicMs() + SLICE_MS
  }
}
