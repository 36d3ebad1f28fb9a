import { close, open, read } from 'node:fs'
import { promisify } from 'node:util'

// Not fs/promises, which brings readline and more with it: a megabyte that stays.
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
/** The kernel gives a page at a time; what is over would only be garbage. */
const READ_BYTES = 8_192

const LINE_FEED = 10
const BLANK = 32
/** The state is the fourth word of a line: number, local address, remote address, state. */
const STATE_WORD = 3

/** Counts the states in a listing that arrives in pieces; the first line is a heading. Lines may be cut anywhere. */
export class StateCounter {
  readonly counts: StateCounts = Array.from({ length: STATE_COUNT }, () => 0)
  sockets = 0
  #word = -1
  #isInWord = false
  #state = 0
  #isPastState = true

  /** A new listing begins: its heading is skipped. */
  begin(): void {
    this.#isPastState = true
  }

  add(bytes: Uint8Array): void {
    let position = 0
    while (position < bytes.length) {
      if (this.#isPastState) {
        const feed = bytes.indexOf(LINE_FEED, position)
        if (feed < 0) return
        this.#isPastState = false
        this.#word = -1
        this.#isInWord = false
        this.#state = 0
        position = feed + 1
        continue
      }
      this.#step(bytes[position++] ?? LINE_FEED)
    }
  }

  #step(byte: number): void {
    if (byte !== BLANK) {
      if (!this.#isInWord) this.#word++
      this.#isInWord = true
      if (this.#word === STATE_WORD) this.#state = (this.#state * 16 + hexDigit(byte)) % STATE_COUNT
      return
    }
    if (this.#isInWord && this.#word === STATE_WORD) {
      this.counts[this.#state] = (this.counts[this.#state] ?? 0) + 1
      this.sockets++
      this.#isPastState = true
    }
    this.#isInWord = false
  }
}

function hexDigit(byte: number): number {
  return byte <= 57 ? byte - 48 : (byte | 32) - 87
}

/**
 * Counts all TCP sockets of the files (/proc/net/tcp and tcp6) by state; undefined when none of them can be read or there are
 * more than `ceiling`. The kernel walks its whole hash table for this, milliseconds even when it is empty: the reads go through
 * the thread pool and each brings a page, so the event loop is never held.
 */
export async function countStates(paths: readonly string[], ceiling: number): Promise<StateCounts | undefined> {
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
      if (!(await countFile(fd, buffer, counter, ceiling))) return undefined
      filesRead++
    } catch {
      return undefined
    } finally {
      await closeFile(fd)
    }
  }
  return filesRead > 0 ? counter.counts : undefined
}

async function countFile(fd: number, buffer: Buffer, counter: StateCounter, ceiling: number): Promise<boolean> {
  let position = 0
  for (;;) {
    const { bytesRead } = await readFile(fd, buffer, 0, buffer.length, position)
    if (bytesRead === 0) return true
    counter.add(buffer.subarray(0, bytesRead))
    if (counter.sockets > ceiling) return false
    position += bytesRead
  }
}
