import type { BatchState } from '@vedette/shared'
import { type Clock, pause } from '../clock.ts'
import { type Log, messageOf } from '../log.ts'
import type { SpoolFolder } from './folder.ts'
import { RECORD } from './record.ts'
import type { TimedSample } from './sample-codec.ts'
import { type Cut, type Entry, Segment, type Totals } from './segment.ts'
import { MemoryStorage } from './storage.ts'

/** Some hours of samples at the default intervals: what is dropped at once when there is no more room. */
const SEGMENT_BYTES = 131_072
/** A file takes whole blocks of its disk. */
const BLOCK_BYTES = 4_096
/** How often a disk that failed is tried again. */
const DISK_RETRY_MS = 10_000

export interface SpoolLimits {
  bytes: number
  /** Time that the samples cover, ms. */
  coveredMs: number
  /** While the disk cannot be written. */
  memoryBytes: number
}

export const DEFAULT_LIMITS: SpoolLimits = { bytes: 256 * 1_048_576, coveredMs: 7 * 86_400_000, memoryBytes: 16 * 1_048_576 }

export interface SpoolDeps {
  clock: Clock
  log: Log
  newId: () => string
  agentVersion: string
  /** Without one everything is in memory. */
  folder: SpoolFolder | undefined
  limits: SpoolLimits
}

/**
 * The segments, oldest first; samples are appended to the newest only. They are files; where the disk cannot be written they
 * are in memory, and go to the disk, each under its number, as soon as that works again.
 */
export class SegmentStore {
  readonly totals: Totals = { droppedSamples: 0, damagedRecords: 0 }
  /** Why samples are in memory now; undefined while the disk takes them. */
  diskFault: string | undefined
  /** Segments of the batches that are under way: they are not dropped, so that nothing is both delivered and dropped. */
  readonly underWay = new Set<Segment>()
  segments: Segment[] = []
  readonly #deps: SpoolDeps
  #active: Segment | undefined
  #lastNumber = 0
  #diskRetryMs = Number.NEGATIVE_INFINITY
  #toRecover: number[] = []
  /** What an earlier process left is not known yet: its folder could not be looked at. */
  #isUnseen = false

  constructor(deps: SpoolDeps) {
    this.#deps = deps
    try {
      this.#toRecover = deps.folder?.list() ?? []
      this.#lastNumber = this.#toRecover.at(-1) ?? 0
    } catch (error) {
      this.#isUnseen = true
      // Above all that can be in there, so that no two segments have one number when it comes back.
      this.#lastNumber = Math.floor(deps.clock.now() / 1000)
      this.#onDiskFault(error)
    }
  }

  get samples(): number {
    return this.segments.reduce((sum, { samples }) => sum + samples, 0)
  }

  /** Takes in what an earlier process left, a segment at a time, so that sampling goes on meanwhile. */
  async recover(): Promise<void> {
    const toRecover = this.#toRecover
    this.#toRecover = []
    const gone = new Set<number>()
    const before: Totals = { droppedSamples: 0, damagedRecords: 0 }
    let samples = 0
    for (const number of toRecover) {
      samples += this.#recoverSegment(number, gone, before)
      await pause(this.#deps.clock, 0)
    }
    for (const segment of this.segments.filter((one) => gone.has(one.number))) {
      samples -= segment.samples
      this.#discard(segment)
    }
    if (toRecover.length > 0 && this.totals.droppedSamples + this.totals.damagedRecords > 0) this.writeTotals()
    if (samples > 0) this.#deps.log('info', 'took over samples of an earlier run', { samples })
  }

  append(sample: TimedSample): void {
    this.#active ??= this.#begin()
    if (this.diskFault !== undefined && this.#deps.clock.monotonicMs() >= this.#diskRetryMs) this.#returnToDisk()
    try {
      this.#active.addSample(sample)
    } catch (error) {
      this.#leaveDisk(this.#active, error).addSample(sample)
    }
    // At once: a timer would wake a sleeping processor once more for each sample.
    this.#sync(this.#active)
  }

  /** Makes batches of the samples that are in none yet and answers their segment. `state` goes with them. */
  cut(state: BatchState, sentAtMs: number): Segment | undefined {
    if (!this.#active || this.#active.uncut.length === 0) return undefined
    this.#lookAtDisk(this.#active)
    const make = this.#cutMaker(sentAtMs, state)
    try {
      this.#active.cut(make)
    } catch (error) {
      this.#leaveDisk(this.#active, error).cut(make)
    }
    const segment = this.#active
    if (segment.size >= SEGMENT_BYTES) {
      // The new one first: it carries the totals.
      this.#active = this.#begin()
      this.#seal(segment)
    }
    this.#makeRoom()
    return segment
  }

  acknowledge(segment: Segment, entry: Entry): void {
    try {
      segment.acknowledge(entry)
    } catch (error) {
      // After a restart the batch is sent once more, which changes nothing.
      if (segment === this.#active) this.#onDiskFault(error)
    }
  }

  /** Gives back what a segment holds that nothing is left to deliver of. */
  tidy(segment: Segment): void {
    if (segment === this.#active) return
    if (segment.entries.length === 0) this.#discard(segment)
    else segment.storage.rest()
  }

  isActive(segment: Segment): boolean {
    return segment === this.#active
  }

  /** Writes down what there is; nothing may be appended afterwards. */
  close(): void {
    this.#returnToDisk()
    for (const segment of this.segments) {
      if (segment === this.#active) this.#sync(segment)
      segment.storage.rest()
    }
    this.#deps.folder?.unlock()
  }

  /** Answers how many samples it holds. `before`: the counts of earlier processes, as far as they are known. */
  #recoverSegment(number: number, gone: Set<number>, before: Totals): number {
    const { folder, log } = this.#deps
    try {
      const opened = folder?.open(number)
      if (!opened) return 0
      const segment = new Segment(number, opened.storage)
      const found = segment.load(opened.bytes)
      this.#addTotals(before, found.totals, found.damaged)
      if (found.damaged > 0) {
        log('warn', 'stepped over damaged records in the spool', { records: found.damaged, segment: number })
        this.#noteDamage(segment, found.damaged + found.knownDamage)
      }
      for (const other of found.gone) gone.add(other)
      // What was taken after the last cut of a process that was killed.
      segment.cut(this.#cutMaker(this.#deps.clock.now(), {}), true)
      segment.storage.rest()
      this.segments.push(segment)
      this.segments.sort((a, b) => a.number - b.number)
      if (segment.entries.length === 0) this.#discard(segment)
      return segment.samples
    } catch (error) {
      log('warn', 'cannot read a segment of the spool', { segment: number, reason: messageOf(error) })
      return 0
    }
  }

  /** Each segment has the counts of its time, which only grew: what goes beyond those known before comes to our own. */
  #addTotals(before: Totals, found: Totals, damaged: number): void {
    const dropped = Math.max(0, found.droppedSamples - before.droppedSamples)
    const allDamaged = Math.max(0, found.damagedRecords - before.damagedRecords) + damaged
    before.droppedSamples += dropped
    before.damagedRecords += allDamaged
    this.totals.droppedSamples += dropped
    this.totals.damagedRecords += allDamaged
  }

  #noteDamage(segment: Segment, known: number): void {
    try {
      segment.noteDamage(known)
    } catch (error) {
      this.#onDiskFault(error)
    }
  }

  #cutMaker(sentAtMs: number, state: BatchState): () => Omit<Cut, 'first' | 'last'> {
    const { newId, agentVersion } = this.#deps
    return () => ({ batch_id: newId(), sent_at: new Date(sentAtMs).toISOString(), agent_version: agentVersion, ...state })
  }

  /** A new segment, on the disk if that works, with the totals at its head. */
  #begin(): Segment {
    const { folder, clock } = this.#deps
    const number = ++this.#lastNumber
    let segment = new Segment(number, new MemoryStorage())
    if (folder && !this.#isUnseen && clock.monotonicMs() >= this.#diskRetryMs) {
      try {
        segment = new Segment(number, folder.create(number))
        segment.append(RECORD.totals, this.#totalsPayload())
      } catch (error) {
        this.#onDiskFault(error)
        // A full disk may take the file and not its first bytes: what stood there would keep the segment from coming back.
        segment.storage.discard()
        segment = new Segment(number, new MemoryStorage())
      }
    }
    if (segment.size === 0) segment.append(RECORD.totals, this.#totalsPayload())
    this.segments.push(segment)
    return segment
  }

  /** Goes on in memory; what is in no batch yet moves along, because a batch is of one segment. */
  #leaveDisk(full: Segment, error: unknown): Segment {
    this.#onDiskFault(error)
    const segment = this.#begin()
    for (const sample of full.takeUncut()) segment.addSample(sample)
    this.#active = segment
    this.#seal(full)
    return segment
  }

  #seal(segment: Segment): void {
    this.#sync(segment)
    segment.storage.rest()
    if (segment.entries.length === 0) this.#discard(segment)
  }

  #sync(segment: Segment): void {
    segment.storage.sync((error) => {
      if (error) this.#deps.log('warn', 'cannot sync the spool to the disk', { reason: error.message })
    })
  }

  #onDiskFault(error: unknown): void {
    this.#diskRetryMs = this.#deps.clock.monotonicMs() + DISK_RETRY_MS
    if (this.diskFault === undefined) {
      this.#deps.log('warn', 'the spool cannot be written: samples are kept in memory until it can', { reason: messageOf(error) })
    }
    this.diskFault = messageOf(error)
  }

  /** Finds a file that was removed under us, and tries the disk again when it is time. */
  #lookAtDisk(active: Segment): void {
    if (!active.storage.isThere()) {
      this.#onDiskFault(new Error('the spool folder was removed'))
      this.#diskRetryMs = Number.NEGATIVE_INFINITY
      this.#moveToMemory(active)
    }
    if (this.#deps.clock.monotonicMs() >= this.#diskRetryMs) this.#returnToDisk()
  }

  #moveToMemory(segment: Segment): void {
    const storage = new MemoryStorage()
    storage.append(segment.storage.read(0, segment.size))
    segment.storage.rest()
    segment.storage = storage
  }

  /** Writes the segments that are in memory, each under its number. */
  #returnToDisk(): void {
    const { folder, log } = this.#deps
    if (!folder) return
    try {
      if (this.#isUnseen) this.#seeFolder(folder)
    } catch (error) {
      return this.#onDiskFault(error)
    }
    for (const segment of this.segments.filter(({ storage }) => storage.place === 'memory')) {
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
      if (segment !== this.#active) segment.storage.rest()
    }
    if (this.diskFault !== undefined) log('info', 'the spool is on the disk again', { samples: this.samples })
    this.diskFault = undefined
  }

  /** A folder that could not be looked at when we started is there: what an earlier process left in it is taken in. */
  #seeFolder(folder: SpoolFolder): void {
    const found = folder.list()
    const holder = folder.lock()
    if (holder !== undefined) throw new Error(`process ${holder} is an agent with the same spool`)
    this.#isUnseen = false
    this.#toRecover = found
    void this.recover()
  }

  /** Drops the oldest segments until what is kept is within its bounds. */
  #makeRoom(): void {
    while (this.#isOverLimit()) {
      const oldest = this.segments.find((segment) => segment !== this.#active && !this.underWay.has(segment))
      if (!oldest) return
      this.totals.droppedSamples += oldest.samples
      // First the count, then the file: a kill between the two counts nothing twice and loses no count.
      this.writeTotals(oldest.number)
      const { samples } = oldest
      this.#discard(oldest)
      this.#deps.log('warn', 'no more room: dropped the oldest samples', {
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
      if (segment.storage.place === 'memory') memory += segment.size
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

  /** Keeps the counts; with the number of a segment that is dropped with this. */
  writeTotals(gone?: number): void {
    this.#active ??= this.#begin()
    try {
      this.#active.append(RECORD.totals, this.#totalsPayload(gone))
    } catch (error) {
      this.#leaveDisk(this.#active, error)
    }
  }

  #totalsPayload(gone?: number): Buffer {
    return Buffer.from(JSON.stringify({ ...this.totals, ...(gone !== undefined && { gone }) }))
  }
}
