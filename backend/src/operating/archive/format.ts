import { createHash } from 'node:crypto'

/**
 * The file of an export. Whole numbers are big-endian:
 *
 *   the line `vedette export 1`
 *   frames:  kind (1 byte), length of the payload (4), payload, SHA-256 (32)
 *
 * Each sum is over the sum of the frame before, the kind, the length and the payload: a frame that is changed, missing, moved or
 * taken from another file is found at its place. The first frame is the head and the last one the end, both JSON; between them
 * stand rows, table by table. A file without its end was cut off.
 *
 * Rows: the number of their table in the head (2 bytes), then zstd of whole tuples as in PostgreSQL's binary COPY, without its
 * header and trailer.
 */
export const OPENING = Buffer.from('vedette export 1\n')

export const KIND = { head: 1, rows: 2, end: 3 } as const

export const FRAME_HEAD_BYTES = 5
export const SUM_BYTES = 32
/** Of rows before they are compressed; one more row may stand behind it. What is in memory at a time is some of these. */
export const FRAME_BYTES = 1024 * 1024
/** Above what any frame has: a forged length must not make the reader allocate. */
export const MAX_FRAME_BYTES = 64 * 1024 * 1024

export interface TableHead {
  name: string
  columns: string[]
  partitions: { name: string; bound: string }[]
  /** The column whose numbers the database gives, and the last that it gave; null: none yet. */
  identity: { column: string; last: number | null } | null
}

export interface Head {
  /** Of this very export: an import that was killed goes on with no other one. */
  id: string
  made_at: string
  /** The version that made it. */
  version: string
  /** Null: everything. */
  organization: { id: string; name: string } | null
  /** In the order in which they were applied: what the rows are rows of. */
  migrations: string[]
  /** Fingerprint of the secret that encrypted values need; null before the first start. */
  secret: string | null
  tables: TableHead[]
}

export interface End {
  /** By the number of the table. */
  rows: number[]
}

/** The sums of the frames of one file, in order. */
export class Chain {
  #last: Buffer = createHash('sha256').update(OPENING).digest()

  next(head: Uint8Array, payload: Uint8Array): Buffer {
    this.#last = createHash('sha256').update(this.#last).update(head).update(payload).digest()
    return this.#last
  }
}

export function frameHead(kind: number, length: number): Buffer {
  const head = Buffer.alloc(FRAME_HEAD_BYTES)
  head.writeUInt8(kind, 0)
  head.writeUInt32BE(length, 1)
  return head
}
