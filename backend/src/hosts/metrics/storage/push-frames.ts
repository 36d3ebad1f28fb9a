import type { PushedPiece } from '../aggregate/index.ts'

/**
 * A push as a piece of bytes that says where the next one begins, as SQL: its first and last instant, its receipt and its digest, 8
 * bytes each, how long its block is, 4 bytes, all of them big-endian, and its block.
 */
export const FRAME =
  'int8send(t0) || int8send(t_last) || int8send(received_at) || int8send(digest) || int4send(length(data)) || data'

const [T_LAST, RECEIVED, DIGEST, LENGTH, BLOCK] = [8, 16, 24, 32, 36]

/** The pushes of joined frames, in their order. Their blocks lie in `bytes`. */
export function framedPushes(bytes: Buffer): PushedPiece[] {
  const pushes: PushedPiece[] = []
  for (let at = 0; at < bytes.length; ) {
    const blockAt = at + BLOCK
    const end = blockAt + bytes.readUInt32BE(at + LENGTH)
    pushes.push(new FramedPush(bytes, at, bytes.subarray(blockAt, end)))
    at = end
  }
  return pushes
}

class FramedPush implements PushedPiece {
  readonly t0Ms: number
  readonly tLastMs: number
  readonly block: Uint8Array
  readonly #bytes: Buffer
  readonly #at: number

  constructor(bytes: Buffer, at: number, block: Uint8Array) {
    this.t0Ms = readInt64(bytes, at)
    this.tLastMs = readInt64(bytes, at + T_LAST)
    this.block = block
    this.#bytes = bytes
    this.#at = at
  }

  /** It and the digest decide where pushes overlap, which is seldom. */
  get receivedAtMs(): number {
    return readInt64(this.#bytes, this.#at + RECEIVED)
  }

  get digest(): Uint8Array {
    return this.#bytes.subarray(this.#at + DIGEST, this.#at + LENGTH)
  }
}

const readInt64 = (bytes: Buffer, at: number): number => bytes.readInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4)
