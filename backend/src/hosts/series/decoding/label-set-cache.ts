import type { LabelSet } from './received.ts'

/** Bytes, and a view of the same bytes. */
export interface Viewed {
  readonly bytes: Buffer
  readonly view: DataView
}

/** A longer search counts as not found: hashes that an attacker makes collide cost no more than this. */
const MOST_PROBES = 64
const FIRST_SLOTS = 64
const FIRST_BYTES = 4_096

/**
 * Label sets by the bytes of their messages, so that what comes again in each request is not made into strings again. The same bytes
 * give the same object, as long as it is here. Two generations: when the younger is half of what is allowed, the elder is dropped;
 * what was found in the elder moves to the younger.
 */
export class LabelSetCache {
  readonly #sets: number
  readonly #bytes: number
  #young = new Generation()
  #old = new Generation()

  /** `bytes`: of the messages; the strings of a set take about four times as much. */
  constructor({ sets, bytes }: { sets: number; bytes: number }) {
    this.#sets = Math.max(1, Math.floor(sets / 2))
    this.#bytes = Math.floor(bytes / 2)
  }

  get size(): number {
    return this.#young.size + this.#old.size
  }

  /** What the label messages in [start, end) say: from here, or from `read`. What `read` refuses is not kept. */
  get<T extends string>(source: Viewed, start: number, end: number, read: () => LabelSet | T): LabelSet | T {
    const hash = hashOf(source.view, start, end)
    const known = this.#young.find(source, start, end, hash)
    if (known) return known
    const labels = this.#old.find(source, start, end, hash) ?? read()
    if (typeof labels === 'string' || end - start > this.#bytes) return labels
    if (this.#young.size >= this.#sets || this.#young.usedBytes + end - start > this.#bytes) {
      this.#old = this.#young
      this.#young = new Generation()
    }
    this.#young.add(source, start, end, hash, labels)
    return labels
  }
}

/** An open hash table whose keys lie one after the other in one piece of memory. */
class Generation {
  size = 0
  usedBytes = 0
  #slots = new Int32Array(FIRST_SLOTS)
  #keys = toViewed(Buffer.alloc(FIRST_BYTES))
  readonly #ends: number[] = [0]
  readonly #hashes: number[] = []
  readonly #sets: LabelSet[] = []

  find({ view }: Viewed, start: number, end: number, hash: number): LabelSet | undefined {
    const slots = this.#slots
    const length = end - start
    for (let probe = 0; probe < MOST_PROBES; probe++) {
      const index = (slots[(hash + probe) & (slots.length - 1)] as number) - 1
      if (index < 0) return undefined
      if (this.#hashes[index] !== hash) continue
      const from = this.#ends[index] as number
      const isSame = (this.#ends[index + 1] as number) - from === length && areEqual(this.#keys.view, from, view, start, length)
      if (isSame) return this.#sets[index]
    }
    return undefined
  }

  add({ bytes }: Viewed, start: number, end: number, hash: number, labels: LabelSet): void {
    if (2 * this.size >= this.#slots.length) this.#spread()
    if (!this.#place(this.size, hash)) return
    const from = this.usedBytes
    this.usedBytes += end - start
    if (this.usedBytes > this.#keys.bytes.length) {
      const longer = Buffer.alloc(Math.max(this.usedBytes, 2 * this.#keys.bytes.length))
      this.#keys.bytes.copy(longer, 0, 0, from)
      this.#keys = toViewed(longer)
    }
    bytes.copy(this.#keys.bytes, from, start, end)
    this.#ends.push(this.usedBytes)
    this.#hashes.push(hash)
    this.#sets.push(labels)
    this.size += 1
  }

  #spread(): void {
    this.#slots = new Int32Array(2 * this.#slots.length)
    for (let index = 0; index < this.size; index++) this.#place(index, this.#hashes[index] as number)
  }

  /** False where the search for it would take too long. */
  #place(index: number, hash: number): boolean {
    const slots = this.#slots
    for (let probe = 0; probe < MOST_PROBES; probe++) {
      const slot = (hash + probe) & (slots.length - 1)
      if (slots[slot] !== 0) continue
      slots[slot] = index + 1
      return true
    }
    return false
  }
}

export const toViewed = (bytes: Buffer): Viewed => ({
  bytes,
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
})

function areEqual(left: DataView, leftStart: number, right: DataView, rightStart: number, length: number): boolean {
  let at = 0
  for (; at + 4 <= length; at += 4) if (left.getInt32(leftStart + at) !== right.getInt32(rightStart + at)) return false
  for (; at < length; at++) if (left.getInt8(leftStart + at) !== right.getInt8(rightStart + at)) return false
  return true
}

/** MurmurHash3 of 32 bits. */
function hashOf(view: DataView, start: number, end: number): number {
  let hash = 0
  let at = start
  for (; at + 4 <= end; at += 4) {
    const word = Math.imul(view.getInt32(at, true), 0xcc9e2d51)
    hash ^= Math.imul((word << 15) | (word >>> 17), 0x1b873593)
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0
  }
  for (; at < end; at++) hash = Math.imul(hash ^ view.getUint8(at), 0x01000193)
  hash ^= end - start
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}
