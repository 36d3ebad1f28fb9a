/**
 * Limit of a body as it was received, and again after decompression. Reading stops there; a larger body is no fault of the
 * target.
 */
export const MAX_BODY_BYTES = 1_048_576

/** Collects bytes up to the limit. */
export interface BodyBuffer {
  readonly isFull: boolean
  readonly length: number
  /** Copies what fits of [from, to). */
  add(bytes: Buffer, from: number, to: number): void
  bytes(): Buffer
}

/**
 * One buffer that grows by doubling: a body may arrive in a million pieces of one byte, each of which would be an object of a
 * hundred bytes.
 */
export function createBodyBuffer(): BodyBuffer {
  let memory: Buffer = EMPTY
  let length = 0

  function makeRoom(wanted: number): void {
    if (wanted <= memory.length) return
    // Most bodies arrive in one piece and get the exact size.
    const larger = Buffer.allocUnsafe(Math.min(MAX_BODY_BYTES, Math.max(wanted, memory.length * 2)))
    memory.copy(larger, 0, 0, length)
    memory = larger
  }

  return {
    get isFull() {
      return length >= MAX_BODY_BYTES
    },
    get length() {
      return length
    },
    add(bytes, from, to) {
      const count = Math.min(to - from, MAX_BODY_BYTES - length)
      if (count <= 0) return
      makeRoom(length + count)
      bytes.copy(memory, length, from, from + count)
      length += count
    },
    bytes: () => memory.subarray(0, length),
  }
}

const EMPTY = Buffer.alloc(0)
