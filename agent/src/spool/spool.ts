import type { BatchState } from '@vedette/shared'
import { MAX_PUSH_BYTES } from '@vedette/shared/metrics/limits'
import { messageOf } from '../log.ts'
import { ENVELOPE_BYTES, formBatch, type QueuedBatch } from './batch.ts'
import { isCode } from './folder.ts'
import type { TimedSample } from './sample-codec.ts'
import type { Entry, Segment, Totals } from './segment.ts'
import { type SpoolDeps, SegmentStore } from './segment-store.ts'

/** A disk may fail once; a batch that it refuses again and again must not hold up the others. */
const MAX_READ_FAULTS = 5

/** Every sample from the moment it is taken until the backend has said that it is stored. */
export class Spool {
  readonly #deps: SpoolDeps
  readonly #store: SegmentStore
  #newest: { segment: Segment; entry: Entry } | undefined

  constructor(deps: SpoolDeps) {
    this.#deps = deps
    this.#store = new SegmentStore(deps)
  }

  /** Batches that are not delivered. */
  get length(): number {
    return this.#store.segments.reduce((sum, { entries }) => sum + entries.length, 0)
  }

  get samples(): number {
    return this.#store.segments.reduce((sum, { samples }) => sum + samples, 0)
  }

  /** Of all segments, with what of them is delivered already. */
  get bytes(): number {
    return this.#store.segments.reduce((sum, { size }) => sum + size, 0)
  }

  get totals(): Readonly<Totals> {
    return this.#store.totals
  }

  /** Why samples are in memory now; undefined while the disk takes them. */
  get diskFault(): string | undefined {
    return this.#store.diskFault
  }

  /** Takes in what an earlier process left, a segment at a time, so that sampling goes on meanwhile. */
  recover(): Promise<void> {
    return this.#store.recover()
  }

  append(sample: TimedSample): void {
    this.#store.append(sample)
  }

  /** Makes batches of the samples that are in none yet; false when there are none. `state` goes with them. */
  cut(state: BatchState, sentAtMs: number): boolean {
    const segment = this.#store.cut(state, sentAtMs)
    const entry = segment?.entries.at(-1)
    if (segment && entry) this.#newest = { segment, entry }
    return segment !== undefined
  }

  /**
   * What to send next: the newest batch alone while it was never delivered (a person who looks wants the present first), then
   * the backlog from its oldest, at most `limit` batches and as many bytes as one request may have.
   */
  next(limit: number): QueuedBatch[] {
    const newest = this.#newest
    // Its segment may have been dropped meanwhile.
    if (newest && this.#store.segments.includes(newest.segment)) {
      const batch = this.#read(newest.segment, newest.entry)
      if (batch) return this.#take([batch])
    }
    return this.oldest(limit)
  }

  oldest(limit: number): QueuedBatch[] {
    const chosen: QueuedBatch[] = []
    let bytes = ENVELOPE_BYTES
    // Copies, because what cannot be read is forgotten on the way.
    for (const segment of this.#store.segments.slice()) {
      for (const entry of segment.entries.slice()) {
        if (chosen.length >= limit) return this.#take(chosen)
        const batch = this.#read(segment, entry)
        if (!batch) continue
        bytes += batch.bytes.length + 1
        if (chosen.length > 0 && bytes > MAX_PUSH_BYTES) return this.#take(chosen)
        chosen.push(batch)
      }
    }
    return this.#take(chosen)
  }

  /** The try with the batches of the last `next` is over. */
  release(): void {
    this.#store.underWay.clear()
  }

  /** These are stored by the backend. */
  remove(batches: readonly QueuedBatch[]): void {
    const touched = new Set<Segment>()
    for (const { segment, entry } of batches) {
      if (!segment.remove(entry)) continue
      touched.add(segment)
      if (this.#newest?.entry === entry) this.#newest = undefined
      const goesAsAWhole = segment.entries.length === 0 && !this.#store.isActive(segment)
      if (!goesAsAWhole) this.#store.acknowledge(segment, entry)
    }
    for (const segment of touched) this.#store.tidy(segment)
  }

  /** These can never be delivered: they count as dropped. */
  drop(batches: readonly QueuedBatch[]): void {
    for (const { segment, entry } of batches) {
      if (segment.entries.includes(entry)) this.#store.totals.droppedSamples += entry.samples
    }
    this.#store.writeTotals()
    this.remove(batches)
  }

  /** Writes down what there is; nothing may be appended afterwards. */
  close(): void {
    this.#store.close()
  }

  #take(batches: QueuedBatch[]): QueuedBatch[] {
    this.#store.underWay.clear()
    for (const { segment } of batches) this.#store.underWay.add(segment)
    return batches
  }

  /** Undefined when the batch cannot be read, now or ever; in the latter case it is dropped. */
  #read(segment: Segment, entry: Entry): QueuedBatch | undefined {
    try {
      const found = segment.readBatch(entry)
      segment.readFaults = 0
      if (found) return { bytes: formBatch(found.cut, found.samples), samples: found.samples.length, segment, entry }
    } catch (error) {
      this.#deps.log('warn', 'cannot read the spool', { reason: messageOf(error) })
      if (!isCode(error, 'ENOENT') && segment.readFaults++ < MAX_READ_FAULTS) return undefined
    }
    this.#store.totals.damagedRecords++
    this.drop([{ bytes: Buffer.alloc(0), samples: entry.samples, segment, entry }])
    this.#deps.log('warn', 'lost a batch that could not be read from the spool', { samples: entry.samples })
    return undefined
  }
}
