/** Samples of one block; far above an hour at one reading a second, so that a forged count cannot make a reader allocate. */
export const MAX_BLOCK_SAMPLES = 10_000
export const MAX_BLOCK_FIELDS = 4_096

/**
 * Samples by columns, as blocks hold them and as aggregation reads them.
 * One slab instead of an array per field: a push of six samples would else cost more in allocations than in bytes.
 */
export interface SampleColumns {
  /** Milliseconds since the epoch, strictly ascending. */
  atMs: Float64Array
  /** Ascending; field `fieldIds[k]` has its values at `values[k * n] … values[k * n + n - 1]`, n the number of samples. */
  fieldIds: number[]
  /** Scaled integers (`toScaled`), within ±(2^53 − 1); NaN where a sample does not have the field. */
  values: Float64Array
}

/** The bytes are no block: cut off, damaged, of a version that this program does not know, or not written by an encoder. */
export class BlockError extends Error {
  override readonly name = 'BlockError'
}

/** An index that the loop around it keeps in bounds; the compiler cannot know. */
export function valueAt(values: Float64Array | readonly number[], index: number): number {
  return values[index] as number
}
