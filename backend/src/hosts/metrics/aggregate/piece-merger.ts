import {
  createSlab,
  decodeBlock,
  KNOWN_FIELD_IDS,
  type SampleColumns,
  type Slab,
  type Wanted,
} from '@vedette/shared/metrics/block'

/** Instants [fromMs, toMs). */
export interface Window {
  fromMs: number
  toMs: number
}

interface PieceHead {
  t0Ms: number
  tLastMs: number
  /** Decides which of two samples for one instant stands: the earlier one. A compacted hour has -Infinity and always stands. */
  receivedAtMs: number
  /** Decides between rows received at the same instant: the smaller one, byte by byte. */
  digest: Uint8Array
}

/** The samples of one batch. */
export interface PushedPiece extends PieceHead {
  block: Uint8Array
}

/** Those of one compacted hour, decoded. */
export interface CompactedPiece extends PieceHead {
  columns: SampleColumns
}

export type StoredPiece = PushedPiece | CompactedPiece

/** The samples of a piece, with the wanted fields if they are not decoded yet. Throws BlockError. */
export const columnsOf = (piece: StoredPiece, wanted: Wanted, room?: Slab): SampleColumns =>
  'columns' in piece ? piece.columns : decodeBlock(piece.block, piece.t0Ms, wanted, room)

/** Takes samples that were merged: over all calls an instant stands once. The calls are not in the order of time. */
export interface SampleSink {
  readonly keeps?: true
  /**
   * `stands[i]` is 0 for a sample that gives way to another row's; undefined: all stand. A sink that says `keeps` may hold on to the
   * columns; for the others they are overwritten by the next ones.
   */
  add(columns: SampleColumns, stands: Uint8Array | undefined): void
}

/**
 * Hands rows on to sinks so that each instant counts once. Rows come ordered by `t0Ms`; only those that overlap are compared,
 * and only they are held: rows never cross a UTC hour, so that at most one hour of one server is in memory.
 */
export class PieceMerger {
  readonly #window: Window
  readonly #sinks: readonly SampleSink[]
  readonly #wanted: Wanted
  readonly #slab: Slab | undefined
  #cluster: StoredPiece[] = []
  #clusterEndMs = Number.NEGATIVE_INFINITY
  #previousT0Ms = Number.NEGATIVE_INFINITY

  constructor(window: Window, sinks: readonly SampleSink[], wanted: Wanted = KNOWN_FIELD_IDS) {
    this.#window = window
    this.#sinks = sinks
    this.#wanted = wanted
    this.#slab = sinks.some(({ keeps }) => keeps) ? undefined : slab
  }

  /** Throws RangeError when rows are out of order, BlockError when a block is damaged. */
  add(piece: StoredPiece): void {
    if (piece.t0Ms < this.#previousT0Ms) throw new RangeError('rows are not ordered by t0')
    this.#previousT0Ms = piece.t0Ms
    if (piece.tLastMs < this.#window.fromMs || piece.t0Ms >= this.#window.toMs) return
    if (piece.t0Ms > this.#clusterEndMs) this.finish()
    this.#cluster.push(piece)
    this.#clusterEndMs = Math.max(this.#clusterEndMs, piece.tLastMs)
  }

  /** Must be called after the last row; more rows may follow. */
  finish(): void {
    const cluster = this.#cluster
    this.#cluster = []
    if (cluster.length <= 1) {
      for (const piece of cluster) this.#hand(piece, undefined)
      return
    }
    // -Infinity minus itself is NaN, which falls through to the digest as 0 does.
    cluster.sort((left, right) => left.receivedAtMs - right.receivedAtMs || Buffer.compare(left.digest, right.digest))
    const seen = new Set<number>()
    for (const piece of cluster) this.#hand(piece, seen)
  }

  #hand(piece: StoredPiece, seen: Set<number> | undefined): void {
    const columns = columnsOf(piece, this.#wanted, this.#slab)
    const stands = seen && claim(columns.atMs, seen)
    for (const sink of this.#sinks) sink.add(columns, stands)
  }
}

/** Nothing waits between decoding and adding: all may use the same. */
const slab = createSlab()

/** Which of the instants nobody claimed before; claims them. */
function claim(atMs: Float64Array, seen: Set<number>): Uint8Array {
  return Uint8Array.from(atMs, (at) => {
    if (seen.has(at)) return 0
    seen.add(at)
    return 1
  })
}
