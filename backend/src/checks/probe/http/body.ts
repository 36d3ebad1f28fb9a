/** Of a body as it is sent, and again once it is inflated. Reading stops there, which is no fault of the target. */
export const MAX_BODY_BYTES = 1_048_576

/** Takes bytes until it is full. */
export interface BodyBuffer {
  readonly isFull: boolean
  readonly length: number
  /** Copies what fits of [from, to). */
  add(bytes: Buffer, from: number, to: number): void
  bytes(): Buffer
}

/**
 * One piece of memory that grows by doubling: a body may come in a million pieces of one byte, each of which would be an object
 * of a hundred.
 */
export function createBodyBuffer(): BodyBuffer {
  let memory: Buffer = EMPTY
  let length = 0

  function makeRoom(wanted: number): void {
    if (wanted <= memory.length) return
    // Most bodies come in one piece, and get what they need.
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
