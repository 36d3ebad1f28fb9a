import type { BatchState } from '@vedette/shared'
import { MAX_PUSH_BYTES } from '@vedette/shared/metrics/limits'
import { hasCode } from '../process/files.ts'
import { ValueBounds } from './bounds.ts'
import { messageOf } from '../process/log.ts'
import { encodeBatch, ENVELOPE_BYTES, type PushForm, type QueuedBatch } from './batch.ts'
import { divideBatch } from './divide.ts'
import type { TimedSample } from './sample-codec.ts'
import type { PendingBatch, Segment, Totals } from './segment.ts'
import { type SpoolDeps, SegmentStore } from './segment-store.ts'

/** A batch is dropped after this many failed reads, so that it does not block the others. */
const MAX_READ_FAULTS = 5

/** Where a batch is stored. */
type StoredBatch = Pick<QueuedBatch, 'segment' | 'pending'>

/** Stores every sample from the moment it is taken until the backend confirms that it is stored. */
export class Spool {
  readonly #deps: SpoolDeps
  readonly #store: SegmentStore
  readonly #bounds: ValueBounds
  #newest: StoredBatch | undefined

  constructor(deps: SpoolDeps) {
    this.#deps = deps
    this.#store = new SegmentStore(deps)
    this.#bounds = new ValueBounds(deps.log)
  }

  /** Batches that are not delivered yet. */
  get length(): number {
    return this.#store.segments.reduce((sum, { pending }) => sum + pending.length, 0)
  }

  get samples(): number {
    return this.#store.samples
  }

  /** Size of all segments, including delivered batches that are still in them. */
  get bytes(): number {
    return this.#store.segments.reduce((sum, { size }) => sum + size, 0)
  }

  get totals(): Readonly<Totals> {
    return this.#store.totals
  }

  /** Why samples are in memory now; undefined while the disk can be written. */
  get diskFault(): string | undefined {
    return this.#store.diskFault
  }

  /** Whether `next` has anything to send now. */
  get hasDue(): boolean {
    return this.#store.segments.some(({ pending }) => pending.some((batch) => this.#isDue(batch)))
  }

  /** Recovers what an earlier process left, one segment at a time, so that sampling continues meanwhile. */
  recover(): Promise<void> {
    return this.#store.recover()
  }

  append(sample: TimedSample): void {
    const values = this.#bounds.sample(sample.values)
    this.#store.append(values === sample.values ? sample : { ...sample, values })
  }

  /** Forms batches from the unbatched samples and adds `state` to them; false if there are none. */
  formBatches(state: BatchState, sentAtMs: number): boolean {
    const segment = this.#store.formBatches(this.#bounds.state(state), sentAtMs)
    const pending = segment?.pending.at(-1)
    if (segment && pending) this.#newest = { segment, pending }
    return segment !== undefined
  }

  /**
   * The batches to send next: the newest batch alone until it is delivered (people want current data first), then the backlog from
   * the oldest, at most `limit` batches and `MAX_PUSH_BYTES`, in this form. Deferred batches are left out.
   */
  next(limit: number, form: PushForm = 'json'): QueuedBatch[] {
    const newest = this.#newest
    // Its segment may have been dropped meanwhile.
    if (newest && this.#store.segments.includes(newest.segment) && this.#isDue(newest.pending)) {
      const batch = this.#read(newest, form)
      if (batch) return this.#markInFlight([batch])
    }
    return this.oldest(limit, form)
  }

  oldest(limit: number, form: PushForm = 'json'): QueuedBatch[] {
    const batches: QueuedBatch[] = []
    let bytes = ENVELOPE_BYTES
    // Copies, because unreadable batches are removed during the loop.
    for (const segment of this.#store.segments.slice()) {
      for (const pending of segment.pending.slice()) {
        if (batches.length >= limit) return this.#markInFlight(batches)
        if (!this.#isDue(pending)) continue
        const batch = this.#read({ segment, pending }, form)
        if (!batch) continue
        bytes += batch.bytes.length + 1
        if (batches.length > 0 && bytes > MAX_PUSH_BYTES) return this.#markInFlight(batches)
        batches.push(batch)
      }
    }
    return this.#markInFlight(batches)
  }

  /** The push with the batches of the last `next` has ended. */
  endAttempt(): void {
    this.#store.inFlight.clear()
  }

  /** Removes batches that the backend has stored. */
  remove(batches: readonly StoredBatch[]): void {
    const changed = new Set<Segment>()
    for (const { segment, pending } of batches) {
      if (!segment.remove(pending)) continue
      changed.add(segment)
      if (this.#newest?.pending === pending) this.#newest = undefined
      const isWholeSegmentDelivered = segment.pending.length === 0 && !this.#store.isActive(segment)
      if (!isWholeSegmentDelivered) this.#store.acknowledge(segment, pending)
    }
    for (const segment of changed) this.#store.releaseDelivered(segment)
  }

  /** Removes batches that can never be delivered and counts their samples as dropped. */
  drop(batches: readonly StoredBatch[]): void {
    for (const { segment, pending } of batches) {
      if (segment.pending.includes(pending)) this.#store.totals.droppedSamples += pending.samples
    }
    this.#store.writeTotals()
    this.remove(batches)
  }

  /**
   * Replaces a batch that the backend refuses by parts, or by the same without what `faults` name: paths within the batch. `alone`: it is
   * one sample with nothing else. `later`: the disk cannot be written.
   */
  divide({ segment, pending }: StoredBatch, faults: readonly string[]): 'divided' | 'alone' | 'later' {
    const batch = segment.readBatch(pending)
    if (!batch) return 'later'
    const numbers = batch.samples.map(({ number }) => number)
    const headers = divideBatch(batch.header, numbers, faults)
    if (headers.length === 0) return 'alone'
    const last = this.#store.divide(segment, pending, headers, numbers)?.at(-1)
    if (!last) return 'later'
    if (this.#newest?.pending === pending) this.#newest = { segment, pending: last }
    return 'divided'
  }

  /** Keeps the batch and leaves it out of `next` for `delayMs`. False if it was deferred before. */
  defer({ pending }: StoredBatch, delayMs: number): boolean {
    const isFirst = pending.notBeforeMs === undefined
    pending.notBeforeMs = this.#deps.clock.monotonicMs() + delayMs
    return isFirst
  }

  /** Writes everything to the disk; nothing may be appended afterwards. */
  close(): void {
    this.#store.close()
  }

  #isDue({ notBeforeMs = 0 }: PendingBatch): boolean {
    return notBeforeMs <= this.#deps.clock.monotonicMs()
  }

  #markInFlight(batches: QueuedBatch[]): QueuedBatch[] {
    this.#store.inFlight.clear()
    for (const { segment } of batches) this.#store.inFlight.add(segment)
    return batches
  }

  /** Undefined if the batch cannot be read; it is dropped if it is damaged or cannot be read repeatedly. */
  #read(stored: StoredBatch, form: PushForm): QueuedBatch | undefined {
    const { segment, pending } = stored
    try {
      const batch = segment.readBatch(pending)
      segment.readFaults = 0
      if (batch) {
        const { header, samples } = batch
        const newestAtMs = samples.reduce((newest, { atMs }) => Math.max(newest, atMs), Number.NEGATIVE_INFINITY)
        return { ...stored, bytes: encodeBatch(header, samples, form), samples: samples.length, newestAtMs }
      }
    } catch (error) {
      this.#deps.log('warn', 'cannot read a batch from the spool', { reason: messageOf(error) })
      if (!hasCode(error, 'ENOENT') && segment.readFaults++ < MAX_READ_FAULTS) return undefined
    }
    this.#store.totals.damagedRecords++
    this.drop([stored])
    this.#deps.log('warn', 'dropped a batch that cannot be read from the spool', { samples: pending.samples })
    return undefined
  }
}
