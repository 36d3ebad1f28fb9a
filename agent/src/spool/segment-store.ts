import type { BatchState } from '@vedette/shared'
import { DAY_MS } from '@vedette/shared/durations'
import { type Clock, pause } from '../process/clock.ts'
import { type Log, messageOf } from '../process/log.ts'
import type { SpoolFolder } from './folder.ts'
import { RECORD } from './record.ts'
import type { TimedSample } from './sample-codec.ts'
import { type BatchHeader, type PendingBatch, Segment, type Totals } from './segment.ts'
import { MemoryStorage } from './storage.ts'

/** Some hours of samples at the default intervals: the unit that is dropped when the spool is full. */
const SEGMENT_BYTES = 131_072
/** A file uses whole blocks of its disk. */
const BLOCK_BYTES = 4_096
/** How often writing to a failed disk is retried. */
const DISK_RETRY_MS = 10_000

export interface SpoolLimits {
  bytes: number
  /** Time that the samples may cover, ms. */
  coveredMs: number
  /** Bound while the disk cannot be written. */
  memoryBytes: number
}

export const DEFAULT_LIMITS: SpoolLimits = { bytes: 256 * 1_048_576, coveredMs: 7 * DAY_MS, memoryBytes: 16 * 1_048_576 }

export interface SpoolDeps {
  clock: Clock
  log: Log
  newId: () => string
  agentVersion: string
  /** Undefined: everything is in memory. */
  folder: SpoolFolder | undefined
  limits: SpoolLimits
}

/**
 * The segments of the spool, oldest first; samples are appended to the newest. Segments are files. While the disk cannot be
 * written they are in memory, and are written to the disk under their numbers as soon as that works again.
 */
export class SegmentStore {
  readonly totals: Totals = { droppedSamples: 0, damagedRecords: 0 }
  /** Why samples are in memory now; undefined while the disk can be written. */
  diskFault: string | undefined
  /** Segments of batches that are being sent. They are not dropped, so that no sample is both delivered and dropped. */
  readonly inFlight = new Set<Segment>()
  segments: Segment[] = []
  readonly #deps: SpoolDeps
  #active: Segment | undefined
  #lastNumber = 0
  #diskRetryMs = Number.NEGATIVE_INFINITY
  #toRecover: number[] = []
  /** The folder could not be listed yet, so the segments of an earlier process are unknown. */
  #isUnlisted = false

  constructor(deps: SpoolDeps) {
    this.#deps = deps
    try {
      this.#toRecover = deps.folder?.list() ?? []
      this.#lastNumber = this.#toRecover.at(-1) ?? 0
    } catch (error) {
      this.#isUnlisted = true
      // Higher than any number in the folder, so that numbers stay unique once it can be listed.
      this.#lastNumber = Math.floor(deps.clock.now() / 1000)
      this.#onDiskFault(error)
    }
  }

  get samples(): number {
    return this.segments.reduce((sum, { samples }) => sum + samples, 0)
  }

  /** Recovers the segments of an earlier process, one at a time, so that sampling continues meanwhile. */
  async recover(): Promise<void> {
    const toRecover = this.#toRecover
    this.#toRecover = []
    const dropped = new Set<number>()
    const before: Totals = { droppedSamples: 0, damagedRecords: 0 }
    let samples = 0
    for (const number of toRecover) {
      samples += this.#recoverSegment(number, dropped, before)
      await pause(this.#deps.clock, 0)
    }
    for (const segment of this.segments.filter(({ number }) => dropped.has(number))) {
      samples -= segment.samples
      this.#discard(segment)
    }
    if (toRecover.length > 0 && this.totals.droppedSamples + this.totals.damagedRecords > 0) this.writeTotals()
    if (samples > 0) this.#deps.log('info', 'recovered undelivered samples of an earlier run: they are sent now', { samples })
  }

  append(sample: TimedSample): void {
    this.#active ??= this.#startSegment()
    if (this.diskFault !== undefined && this.#deps.clock.monotonicMs() >= this.#diskRetryMs) this.#returnToDisk()
    try {
      this.#active.addSample(sample)
    } catch (error) {
      this.#continueInMemory(this.#active, error).addSample(sample)
    }
    // Immediately: a timer would wake a sleeping processor once more per sample.
    this.#sync(this.#active)
  }

  /** Forms batches from the unbatched samples, adds `state` to them and returns their segment; undefined if there are none. */
  formBatches(state: BatchState, sentAtMs: number): Segment | undefined {
    if (!this.#active || this.#active.unbatched.length === 0) return undefined
    this.#checkDisk(this.#active)
    const makeHeader = this.#headerMaker(sentAtMs, state)
    try {
      this.#active.formBatches(makeHeader)
    } catch (error) {
      this.#continueInMemory(this.#active, error).formBatches(makeHeader)
    }
    const segment = this.#active
    if (segment.size >= SEGMENT_BYTES) {
      // The new segment first: it holds the totals.
      this.#active = this.#startSegment()
      this.#finish(segment)
    }
    this.#enforceLimits()
    return segment
  }

  acknowledge(segment: Segment, batch: PendingBatch): void {
    try {
      segment.acknowledge(batch)
    } catch (error) {
      // After a restart the batch is sent again, which the backend recognizes as a duplicate.
      if (segment === this.#active) this.#onDiskFault(error)
    }
  }

  /** The parts that replace the batch; undefined if that cannot be written now. */
  divide(segment: Segment, batch: PendingBatch, headers: readonly BatchHeader[], numbers: readonly number[]) {
    try {
      const ownIds = headers.map((header) => ({ ...header, batch_id: this.#deps.newId() }))
      return segment.divide(batch, ownIds, numbers)
    } catch (error) {
      if (segment === this.#active) this.#onDiskFault(error)
      return undefined
    } finally {
      if (segment !== this.#active) segment.storage.closeFile()
    }
  }

  /** Deletes a segment whose batches are all delivered; closes the file of any other inactive one. */
  releaseDelivered(segment: Segment): void {
    if (segment === this.#active) return
    if (segment.pending.length === 0) this.#discard(segment)
    else segment.storage.closeFile()
  }

  isActive(segment: Segment): boolean {
    return segment === this.#active
  }

  /** Writes everything to the disk; nothing may be appended afterwards. */
  close(): void {
    this.#returnToDisk()
    for (const segment of this.segments) {
      if (segment === this.#active) this.#sync(segment)
      segment.storage.closeFile()
    }
    this.#deps.folder?.unlock()
  }

  /**
   * Returns how many undelivered samples the segment holds. Adds the segments that it says were dropped to `dropped`. `before` are
   * the totals of the segments recovered so far.
   */
  #recoverSegment(number: number, dropped: Set<number>, before: Totals): number {
    const { folder, log } = this.#deps
    try {
      const opened = folder?.open(number)
      if (!opened) return 0
      const segment = new Segment(number, opened.storage)
      const { totals, droppedSegments, newDamage, totalDamage } = segment.load(opened.bytes)
      this.#addTotals(before, totals, newDamage)
      if (newDamage > 0) {
        log('warn', 'skipped damaged records in the spool: their samples are lost', { records: newDamage, segment: number })
        this.#recordDamage(segment, totalDamage)
      }
      for (const other of droppedSegments) dropped.add(other)
      // Samples that a killed process had not formed into a batch yet.
      segment.formBatches(this.#headerMaker(this.#deps.clock.now(), {}), true)
      segment.storage.closeFile()
      this.segments.push(segment)
      this.segments.sort((a, b) => a.number - b.number)
      if (segment.pending.length === 0) this.#discard(segment)
      return segment.samples
    } catch (error) {
      log('warn', 'cannot read a segment of the spool: its samples are not sent', { segment: number, reason: messageOf(error) })
      return 0
    }
  }

  /** Every segment stores the cumulative totals of its time: only the growth over the segments before it is added. */
  #addTotals(before: Totals, stored: Totals, newDamage: number): void {
    const dropped = Math.max(0, stored.droppedSamples - before.droppedSamples)
    const allDamaged = Math.max(0, stored.damagedRecords - before.damagedRecords) + newDamage
    before.droppedSamples += dropped
    before.damagedRecords += allDamaged
    this.totals.droppedSamples += dropped
    this.totals.damagedRecords += allDamaged
  }

  #recordDamage(segment: Segment, records: number): void {
    try {
      segment.recordDamage(records)
    } catch (error) {
      this.#onDiskFault(error)
    }
  }

  #headerMaker(sentAtMs: number, state: BatchState): () => Omit<BatchHeader, 'first' | 'last'> {
    const { newId, agentVersion } = this.#deps
    return () => ({ batch_id: newId(), sent_at: new Date(sentAtMs).toISOString(), agent_version: agentVersion, ...state })
  }

  /** Starts a segment, on the disk if that works, with the totals as its first record. */
  #startSegment(): Segment {
    const { folder, clock } = this.#deps
    const number = ++this.#lastNumber
    let segment = new Segment(number, new MemoryStorage())
    if (folder && !this.#isUnlisted && clock.monotonicMs() >= this.#diskRetryMs) {
      try {
        segment = new Segment(number, folder.create(number))
        segment.append(RECORD.totals, this.#totalsPayload())
      } catch (error) {
        this.#onDiskFault(error)
        // A full disk may accept the file but not its first bytes: the leftover would block moving the segment to the disk later.
        segment.storage.discard()
        segment = new Segment(number, new MemoryStorage())
      }
    }
    if (segment.size === 0) segment.append(RECORD.totals, this.#totalsPayload())
    this.segments.push(segment)
    return segment
  }

  /** Continues in a new segment in memory. Unbatched samples move there, because a batch lies in one segment. */
  #continueInMemory(full: Segment, error: unknown): Segment {
    this.#onDiskFault(error)
    const segment = this.#startSegment()
    for (const sample of full.takeUnbatched()) segment.addSample(sample)
    this.#active = segment
    this.#finish(full)
    return segment
  }

  #finish(segment: Segment): void {
    this.#sync(segment)
    segment.storage.closeFile()
    if (segment.pending.length === 0) this.#discard(segment)
  }

  #sync(segment: Segment): void {
    segment.storage.sync((error) => {
      if (error)
        this.#deps.log('warn', 'cannot sync the spool to the disk: a power loss may lose the newest samples', {
          reason: error.message,
        })
    })
  }

  #onDiskFault(error: unknown): void {
    this.#diskRetryMs = this.#deps.clock.monotonicMs() + DISK_RETRY_MS
    if (this.diskFault === undefined) {
      this.#deps.log('warn', 'cannot write the spool to the disk: samples stay in memory, and writing is retried every 10 s', {
        reason: messageOf(error),
      })
    }
    this.diskFault = messageOf(error)
  }

  /** Detects a deleted file of the active segment, and retries a failed disk when that is due. */
  #checkDisk(active: Segment): void {
    if (!active.storage.exists()) {
      this.#onDiskFault(new Error('the spool folder was removed'))
      this.#diskRetryMs = Number.NEGATIVE_INFINITY
      this.#moveToMemory(active)
    }
    if (this.#deps.clock.monotonicMs() >= this.#diskRetryMs) this.#returnToDisk()
  }

  #moveToMemory(segment: Segment): void {
    const storage = new MemoryStorage()
    storage.append(segment.storage.read(0, segment.size))
    segment.storage.closeFile()
    segment.storage = storage
  }

  /** Writes the segments that are in memory to the disk, under their numbers. */
  #returnToDisk(): void {
    const { folder, log } = this.#deps
    if (!folder) return
    try {
      if (this.#isUnlisted) this.#listFolder(folder)
    } catch (error) {
      return this.#onDiskFault(error)
    }
    for (const segment of this.segments.filter(({ storage }) => storage.medium === 'memory')) {
      try {
        const storage = folder.create(segment.number)
        try {
          storage.append(segment.storage.read(0, segment.size))
        } catch (error) {
          storage.discard()
          throw error
        }
        segment.storage = storage
      } catch (error) {
        return this.#onDiskFault(error)
      }
      this.#sync(segment)
      if (segment !== this.#active) segment.storage.closeFile()
    }
    if (this.diskFault !== undefined) log('info', 'the spool is written to the disk again', { samples: this.samples })
    this.diskFault = undefined
  }

  /** Lists a folder that could not be listed at the start, and recovers the segments in it. */
  #listFolder(folder: SpoolFolder): void {
    const numbers = folder.list()
    const holder = folder.lock()
    if (holder !== undefined) throw new Error(`another agent, process ${holder}, uses the same spool`)
    this.#isUnlisted = false
    this.#toRecover = numbers
    void this.recover()
  }

  /** Drops the oldest segments until the spool is within its limits. */
  #enforceLimits(): void {
    while (this.#isOverLimit()) {
      const oldest = this.segments.find((segment) => segment !== this.#active && !this.inFlight.has(segment))
      if (!oldest) return
      this.totals.droppedSamples += oldest.samples
      // The count before the file: a kill between the two neither loses the count nor counts twice.
      this.writeTotals(oldest.number)
      const { samples } = oldest
      this.#discard(oldest)
      this.#deps.log('warn', 'the spool is full: dropped the oldest samples', {
        samples,
        droppedSamples: this.totals.droppedSamples,
      })
      if (this.diskFault !== undefined) this.#returnToDisk()
    }
  }

  #isOverLimit(): boolean {
    const { limits } = this.#deps
    let [disk, memory, coveredMs] = [0, 0, 0]
    for (const segment of this.segments) {
      if (segment.storage.medium === 'memory') memory += segment.size
      else disk += Math.ceil(segment.size / BLOCK_BYTES) * BLOCK_BYTES
      coveredMs += segment.coveredMs
    }
    return disk + memory > limits.bytes || memory > limits.memoryBytes || coveredMs > limits.coveredMs
  }

  #discard(segment: Segment): void {
    this.segments = this.segments.filter((other) => other !== segment)
    try {
      segment.storage.discard()
    } catch (error) {
      this.#onDiskFault(error)
    }
  }

  /** Stores the totals, with the number of the segment that is being dropped. */
  writeTotals(droppedSegment?: number): void {
    this.#active ??= this.#startSegment()
    try {
      this.#active.append(RECORD.totals, this.#totalsPayload(droppedSegment))
    } catch (error) {
      this.#continueInMemory(this.#active, error)
    }
  }

  #totalsPayload(droppedSegment?: number): Buffer {
    return Buffer.from(JSON.stringify({ ...this.totals, ...(droppedSegment !== undefined && { droppedSegment }) }))
  }
}
