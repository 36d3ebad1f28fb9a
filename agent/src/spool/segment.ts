import type { BatchState } from '@vedette/shared'
import { MAX_BATCH_SPAN_MS, MAX_SAMPLES_PER_BATCH } from '@vedette/shared/metrics/limits'
import { parseObject } from '../process/identity.ts'
import { encodeRecord, type ScannedRecord, RECORD, type RecordType, scanRecords } from './record.ts'
import { decodeSample, encodeSample, type NumberedSample, type TimedSample } from './sample-codec.ts'
import type { Storage } from './storage.ts'

/** Which samples form a batch, and everything else its encoding contains: encoding it again gives the same bytes. */
export interface BatchHeader extends BatchState {
  /** Numbers of the first and last sample within the segment. */
  first: number
  last: number
  batch_id: string
  sent_at: string
  agent_version: string
}

/** A batch that is not delivered yet; `start` and `end` are byte offsets of its records. */
export interface PendingBatch {
  first: number
  last: number
  samples: number
  start: number
  end: number
  /** Not sent before this instant of the monotonic clock, because the backend rejected it for now. A restart sends it at once. */
  notBeforeMs?: number
  /** Only if its record could not be written to the disk. */
  header?: BatchHeader
}

interface UnbatchedSample {
  number: number
  atMs: number
  start: number
  record: Buffer
}

export interface Totals {
  /** Dropped because the spool was full or because the backend never accepts them. */
  droppedSamples: number
  damagedRecords: number
}

/** A longer gap between two samples is a suspend, a stop or a clock change, and does not count as covered time. */
const MAX_GAP_MS = 15 * 60_000

/** A file of the spool: samples, the headers of the batches they form, and acknowledgements. */
export class Segment {
  readonly number: number
  storage: Storage
  size = 0
  /** Samples in batches that are not delivered yet. */
  samples = 0
  /** Time that the samples cover. */
  coveredMs = 0
  /** Batches that are not delivered yet, oldest first. */
  readonly pending: PendingBatch[] = []
  unbatched: UnbatchedSample[] = []
  /** Consecutive reads that failed. */
  readFaults = 0
  #nextNumber = 0
  #lastAtMs: number | undefined

  constructor(number: number, storage: Storage) {
    this.number = number
    this.storage = storage
  }

  append(type: RecordType, payload: Buffer): void {
    this.#append(encodeRecord(type, payload))
  }

  addSample(sample: TimedSample): void {
    const number = this.#nextNumber
    const record = encodeRecord(RECORD.sample, encodeSample({ ...sample, number }))
    const start = this.size
    this.#append(record)
    this.#nextNumber++
    this.#cover(sample.atMs)
    this.unbatched.push({ number, atMs: sample.atMs, start, record })
  }

  /**
   * Forms batches from the unbatched samples; `makeHeader` supplies all but the sample numbers. Batches formed before a failure
   * stay. With `toleratesFailure` a header that cannot be written stays in memory.
   */
  formBatches(makeHeader: () => Omit<BatchHeader, 'first' | 'last'>, toleratesFailure = false): void {
    while (this.unbatched.length > 0) {
      const samples = this.unbatched.slice(0, batchLength(this.unbatched))
      const [first, last] = [samples[0] as UnbatchedSample, samples.at(-1) as UnbatchedSample]
      const header: BatchHeader = { first: first.number, last: last.number, ...makeHeader() }
      let isWritten = true
      try {
        this.append(RECORD.batch, Buffer.from(JSON.stringify(header)))
      } catch (error) {
        if (!toleratesFailure) throw error
        isWritten = false
      }
      this.unbatched.splice(0, samples.length)
      const batch = { first: header.first, last: header.last, samples: samples.length, start: first.start, end: this.size }
      this.#addPending(isWritten ? batch : { ...batch, header })
    }
  }

  /** Removes and returns the samples that are in no batch yet. */
  takeUnbatched(): TimedSample[] {
    const samples: TimedSample[] = []
    for (const { record } of this.unbatched)
      scanRecords(record, ({ payload }) => samples.push(decodeSample(payload) as TimedSample))
    this.unbatched = []
    return samples
  }

  /**
   * Replaces a batch, which the backend refused and so never stored, by others of its samples, in one record: after a restart there is
   * either the batch or all of its parts. Each has an id of its own, and is the same bytes at every attempt. Throws if it cannot be
   * written; the batch stays then.
   */
  divide(batch: PendingBatch, headers: readonly BatchHeader[], numbers: readonly number[]): PendingBatch[] {
    const index = this.pending.indexOf(batch)
    if (index < 0) return []
    this.append(RECORD.division, Buffer.from(JSON.stringify(headers)))
    const parts = headers.map(({ first, last }): PendingBatch => {
      const samples = numbers.filter((number) => number >= first && number <= last).length
      return { first, last, samples, start: batch.start, end: this.size }
    })
    this.pending.splice(index, 1, ...parts)
    return parts
  }

  /** Removes a batch; false if it was removed before. */
  remove(batch: PendingBatch): boolean {
    const index = this.pending.indexOf(batch)
    if (index < 0) return false
    this.pending.splice(index, 1)
    this.samples -= batch.samples
    return true
  }

  acknowledge(batch: PendingBatch): void {
    this.append(RECORD.ack, Buffer.from(JSON.stringify([batch.first, batch.last])))
  }

  /** Stores the number of damaged records in this file, so that the next start does not count them again. */
  recordDamage(reportedDamage: number): void {
    this.append(RECORD.totals, Buffer.from(JSON.stringify({ reportedDamage })))
  }

  /** Undefined if the records of the batch are damaged; throws if they cannot be read. */
  readBatch(batch: PendingBatch): { header: BatchHeader; samples: NumberedSample[] } | undefined {
    const samples: NumberedSample[] = []
    let { header } = batch
    scanRecords(this.storage.read(batch.start, batch.end), ({ type, payload }) => {
      const sample = type === RECORD.sample ? decodeSample(payload) : undefined
      if (sample && sample.number >= batch.first && sample.number <= batch.last) samples.push(sample)
      // The last one: a batch that was divided has the same samples as its parts.
      for (const candidate of headersIn(type, payload))
        if (candidate.first === batch.first && candidate.last === batch.last) header = candidate
    })
    return header && samples.length > 0 ? { header, samples } : undefined
  }

  /** Loads what an earlier process wrote; `bytes` is the whole file. Returns what the file says about the whole spool. */
  load(bytes: Buffer): { totals: Totals; droppedSegments: number[]; newDamage: number; totalDamage: number } {
    const samples: UnbatchedSample[] = []
    const headers: { header: BatchHeader; end: number }[] = []
    const acknowledged: [number, number][] = []
    const totals: Totals = { droppedSamples: 0, damagedRecords: 0 }
    const droppedSegments: number[] = []
    let reportedDamage = 0
    const damaged = scanRecords(bytes, (record) => {
      const read = decodeRecord(record)
      if (read.sample) samples.push(read.sample)
      for (const header of read.headers ?? []) headers.push({ header, end: record.end })
      if (read.acknowledged) acknowledged.push(read.acknowledged)
      reportedDamage = read.totals?.reportedDamage ?? reportedDamage
      totals.droppedSamples = Math.max(totals.droppedSamples, read.totals?.droppedSamples ?? 0)
      totals.damagedRecords = Math.max(totals.damagedRecords, read.totals?.damagedRecords ?? 0)
      if (read.totals?.droppedSegment !== undefined) droppedSegments.push(read.totals.droppedSegment)
    })
    this.size = bytes.length
    this.#restore(samples, headers, acknowledged)
    return { totals, droppedSegments, newDamage: Math.max(0, damaged - reportedDamage), totalDamage: damaged }
  }

  #restore(samples: UnbatchedSample[], headers: { header: BatchHeader; end: number }[], acknowledged: [number, number][]): void {
    const isAcknowledged = new Set<number>()
    for (const [first, last] of acknowledged) for (let number = first; number <= last; number++) isAcknowledged.add(number)
    const byNumber = new Map(samples.map((sample) => [sample.number, sample]))
    const restored: PendingBatch[] = []
    // From the last: the parts of a divided batch take its samples, and nothing is left for it.
    for (const { header, end } of headers.toReversed()) {
      const batch: UnbatchedSample[] = []
      for (let number = header.first; number <= header.last; number++) {
        const sample = byNumber.get(number)
        if (sample) batch.push(sample)
        byNumber.delete(number)
      }
      const [first] = batch
      if (!first || batch.every(({ number }) => isAcknowledged.has(number))) continue
      restored.push({ first: header.first, last: header.last, samples: batch.length, start: first.start, end })
    }
    for (const batch of restored.sort((one, other) => one.first - other.first)) this.#addPending(batch)
    const unbatched = samples.filter(({ number }) => byNumber.has(number) && !isAcknowledged.has(number))
    this.unbatched = unbatched.map((sample) => ({ ...sample, record: encodeRecord(RECORD.sample, sample.record) }))
    for (const { atMs, number } of samples) {
      this.#cover(atMs)
      this.#nextNumber = Math.max(this.#nextNumber, number + 1)
    }
  }

  #append(record: Buffer): void {
    this.storage.append(record)
    this.size += record.length
  }

  #addPending(batch: PendingBatch): void {
    this.pending.push(batch)
    this.samples += batch.samples
  }

  #cover(atMs: number): void {
    const gapMs = this.#lastAtMs === undefined ? 0 : atMs - this.#lastAtMs
    this.coveredMs += Math.min(Math.max(gapMs, 0), MAX_GAP_MS)
    this.#lastAtMs = atMs
  }
}

/** How many of the samples, from the first, fit one batch: bounded in number and time span, with consecutive numbers. */
function batchLength(samples: readonly UnbatchedSample[]): number {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  const end = samples.findIndex(({ atMs, number }, index) => {
    first = Math.min(first, atMs)
    last = Math.max(last, atMs)
    const follows = index === 0 || number === (samples[index - 1]?.number ?? 0) + 1
    return index === MAX_SAMPLES_PER_BATCH || last - first >= MAX_BATCH_SPAN_MS || !follows
  })
  return end === -1 ? samples.length : end
}

type TotalsRecord = Partial<Totals> & { droppedSegment?: number; reportedDamage?: number }

interface DecodedRecord {
  sample?: UnbatchedSample | undefined
  headers?: BatchHeader[]
  acknowledged?: [number, number] | undefined
  totals?: TotalsRecord | undefined
}

/** The content of an undamaged record; empty for a type that this version does not have. */
function decodeRecord({ type, payload, start }: ScannedRecord): DecodedRecord {
  switch (type) {
    case RECORD.sample: {
      const sample = decodeSample(payload)
      return { sample: sample && { number: sample.number, atMs: sample.atMs, start, record: payload } }
    }
    case RECORD.batch:
    case RECORD.division:
      return { headers: headersIn(type, payload) }
    case RECORD.ack:
      // Its checksum proves that this program wrote it.
      return { acknowledged: JSON.parse(payload.toString()) as [number, number] }
    case RECORD.totals:
      return { totals: parseObject(payload.toString()) }
    default:
      return {}
  }
}

/** Of a batch, or of the parts of one; none of any other record. */
function headersIn(type: number, payload: Buffer): BatchHeader[] {
  // Its checksum proves that this program wrote it.
  if (type === RECORD.division) return JSON.parse(payload.toString()) as BatchHeader[]
  const header = type === RECORD.batch ? (parseObject(payload.toString()) as BatchHeader | undefined) : undefined
  return header ? [header] : []
}
