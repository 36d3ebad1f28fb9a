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

export function createBodyBuffer(): BodyBuffer {
  const parts: Buffer[] = []
  let length = 0
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
      // A copy: what is read next comes into the same memory.
      parts.push(Buffer.from(fitting))
    },
    bytes: () => (parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts, length)),
  }
}
