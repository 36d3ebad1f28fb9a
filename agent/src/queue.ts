import { MAX_PUSH_BYTES } from '@vedette/shared/metrics/limits'

/** A batch in the bytes that go out: formed once, so that every try sends the same. */
export interface QueuedBatch {
  id: string
  bytes: Buffer
  samples: number
}

/** Some weeks of samples at the default intervals, and no danger to a small host. */
const MAX_QUEUE_BYTES = 32 * 1_048_576
/** Left of a request's bound for what stands around the batches. */
const ENVELOPE_BYTES = 1_024

/** Batches that are not delivered yet. Bounded: the oldest give way, and are counted. */
export class BatchQueue {
  readonly #maxBytes: number
  /** Oldest first. */
  readonly #batches: QueuedBatch[] = []
  #newestUntried: QueuedBatch | undefined
  bytes = 0
  samples = 0

  constructor(maxBytes = MAX_QUEUE_BYTES) {
    this.#maxBytes = maxBytes
  }

  get length(): number {
    return this.#batches.length
  }

  /** Adds the newest batch; answers the batches that had to give way to it. */
  add(batch: QueuedBatch): QueuedBatch[] {
    this.#batches.push(batch)
    this.#newestUntried = batch
    this.bytes += batch.bytes.length
    this.samples += batch.samples
    const given: QueuedBatch[] = []
    while (this.bytes > this.#maxBytes && this.#batches.length > 1) {
      const oldest = this.#batches[0]
      if (!oldest) break
      this.remove([oldest])
      given.push(oldest)
    }
    return given
  }

  /**
   * What to send next: the newest batch alone while it was never delivered (a person who looks wants the present first), then
   * the backlog from its oldest, at most `limit` batches and as many bytes as one request may have.
   */
  next(limit: number): QueuedBatch[] {
    if (this.#newestUntried) return [this.#newestUntried]
    return this.oldest(limit)
  }

  oldest(limit: number): QueuedBatch[] {
    const chosen: QueuedBatch[] = []
    let bytes = ENVELOPE_BYTES
    for (const batch of this.#batches) {
      bytes += batch.bytes.length + 1
      if (chosen.length >= limit || (chosen.length > 0 && bytes > MAX_PUSH_BYTES)) break
      chosen.push(batch)
    }
    return chosen
  }

  remove(batches: readonly QueuedBatch[]): void {
    for (const batch of batches) {
      const index = this.#batches.indexOf(batch)
      if (index < 0) continue
      this.#batches.splice(index, 1)
      this.bytes -= batch.bytes.length
      this.samples -= batch.samples
      if (this.#newestUntried === batch) this.#newestUntried = undefined
    }
  }
}

/** The request that carries the batches, whose bytes go in as they are. */
export function pushBody(batches: readonly QueuedBatch[], bootId: string | undefined): Buffer {
  const pieces: Buffer[] = [Buffer.from(`{${bootId === undefined ? '' : `"boot_id":${JSON.stringify(bootId)},`}"batches":[`)]
  batches.forEach((batch, index) => {
    if (index > 0) pieces.push(Buffer.from(','))
    pieces.push(batch.bytes)
  })
  pieces.push(Buffer.from(']}'))
  return Buffer.concat(pieces)
}
