/** Of a body as it is sent, and again once it is inflated. Reading stops there, which is no fault of the target. */
export const MAX_BODY_BYTES = 1_048_576

/** Takes bytes until it is full. */
export interface BodyBuffer {
  readonly isFull: boolean
  readonly length: number
  /** Copies what fits. */
  add(bytes: Buffer): void
  bytes(): Buffer
}

/** Smaller pieces share a block: a body may come byte by byte, and an object for each byte is a hundred times its size. */
const BLOCK_BYTES = 4_096

export function createBodyBuffer(): BodyBuffer {
  const parts: Buffer[] = []
  let length = 0
  /** The last of the parts, where it has room. */
  let block: { bytes: Buffer; used: number } | undefined

  function endBlock(): void {
    if (block) parts[parts.length - 1] = block.bytes.subarray(0, block.used)
    block = undefined
  }

  function addSmall(bytes: Buffer): void {
    if (block && block.used + bytes.length > BLOCK_BYTES) endBlock()
    if (!block) {
      block = { bytes: Buffer.allocUnsafe(BLOCK_BYTES), used: 0 }
      parts.push(block.bytes)
    }
    block.used += bytes.copy(block.bytes, block.used)
  }

  return {
    get isFull() {
      return length >= MAX_BODY_BYTES
    },
    get length() {
      return length
    },
    add(bytes) {
      const fitting = bytes.subarray(0, MAX_BODY_BYTES - length)
      if (fitting.length === 0) return
      length += fitting.length
      // Most bodies are one piece.
      if (parts.length > 0 && fitting.length < BLOCK_BYTES) return addSmall(fitting)
      endBlock()
      // A copy: what is read next comes into the same memory.
      parts.push(Buffer.from(fitting))
    },
    bytes() {
      endBlock()
      return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts, length)
    },
  }
}
