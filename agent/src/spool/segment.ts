import type { BatchState } from '@vedette/shared'
import { MAX_BATCH_SPAN_MS, MAX_SAMPLES_PER_BATCH } from '@vedette/shared/metrics/limits'
import { parseObject } from '../identity.ts'
import { encodeRecord, type FoundRecord, RECORD, type RecordType, scanRecords } from './record.ts'
import { decodeSample, encodeSample, type NumberedSample, type TimedSample } from './sample-codec.ts'
import type { Storage } from './storage.ts'

/** Which samples are a batch, and all else that its bytes hold: a batch that is formed again is the same. */
export interface Cut extends BatchState {
  /** Numbers of its first and last sample within the segment. */
  first: number
  last: number
  batch_id: string
  sent_at: string
  agent_version: string
}

/** A batch that is not delivered yet, by the place of its records. */
export interface Entry {
  first: number
  last: number
  samples: number
  start: number
  end: number
  /** Only where its record found no room on the disk. */
  cut?: Cut
}

interface Uncut {
  number: number
  atMs: number
  start: number
  record: Buffer
}

export interface Totals {
  /** Given up because there was no room, or because the backend can never take them. */
  droppedSamples: number
  damagedRecords: number
}

/** More than this between two samples is a sleep, a stop or a clock that was set: it does not age what is kept. */
const MAX_GAP_MS = 15 * 60_000

/** Samples, the cuts that make batches of them, and the acknowledgements, all of one stretch of time. */
export class Segment {
  readonly number: number
  storage: Storage
  size = 0
  /** Samples in batches that are not delivered. */
  samples = 0
  /** Time that its samples cover. */
  coveredMs = 0
  /** Not delivered, oldest first. */
  readonly entries: Entry[] = []
  uncut: Uncut[] = []
  /** Reads that failed in a row. */
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
    this.uncut.push({ number, atMs: sample.atMs, start, record })
  }

  /** Makes batches of what is not in one yet; `make` fills in what is no number. What was cut before a failure stays cut. */
  cut(make: () => Omit<Cut, 'first' | 'last'>, keepsUnwritten = false): void {
    while (this.uncut.length > 0) {
      const part = this.uncut.slice(0, lengthOfBatch(this.uncut))
      const [first, last] = [part[0] as Uncut, part.at(-1) as Uncut]
      const cut: Cut = { first: first.number, last: last.number, ...make() }
      let isWritten = true
      try {
        this.append(RECORD.cut, Buffer.from(JSON.stringify(cut)))
      } catch (error) {
        if (!keepsUnwritten) throw error
        isWritten = false
      }
      this.uncut.splice(0, part.length)
      const entry = { first: cut.first, last: cut.last, samples: part.length, start: first.start, end: this.size }
      this.#addEntry(isWritten ? entry : { ...entry, cut })
    }
  }

  /** The samples that are in no batch yet; they are then no longer here. */
  takeUncut(): TimedSample[] {
    const samples: TimedSample[] = []
    for (const { record } of this.uncut) scanRecords(record, ({ payload }) => samples.push(decodeSample(payload) as TimedSample))
    this.uncut = []
    return samples
  }

  /** Forgets a batch; false when it was forgotten before. */
  remove(entry: Entry): boolean {
    const index = this.entries.indexOf(entry)
    if (index < 0) return false
    this.entries.splice(index, 1)
    this.samples -= entry.samples
    return true
  }

  acknowledge(entry: Entry): void {
    this.append(RECORD.ack, Buffer.from(JSON.stringify([entry.first, entry.last])))
  }

  /** Keeps how many damaged records are in here, so that the next start does not count them again. */
  noteDamage(known: number): void {
    this.append(RECORD.totals, Buffer.from(JSON.stringify({ known })))
  }

  /** Undefined when its records are damaged beyond use; throws when they cannot be read. */
  readBatch(entry: Entry): { cut: Cut; samples: NumberedSample[] } | undefined {
    const samples: NumberedSample[] = []
    let { cut } = entry
    scanRecords(this.storage.read(entry.start, entry.end), ({ type, payload }) => {
      const sample = type === RECORD.sample ? decodeSample(payload) : undefined
      if (sample && sample.number >= entry.first && sample.number <= entry.last) samples.push(sample)
      const found = type === RECORD.cut ? parseCut(payload) : undefined
      if (found?.first === entry.first) cut = found
    })
    return cut && samples.length > 0 ? { cut, samples } : undefined
  }

  /** Takes in what an earlier process wrote: `bytes` is all of the storage. Answers what it says of the whole spool. */
  load(bytes: Buffer): { totals: Totals; gone: number[]; damaged: number; knownDamage: number } {
    const samples: Uncut[] = []
    const cuts: { cut: Cut; end: number }[] = []
    const settled: [number, number][] = []
    const totals: Totals = { droppedSamples: 0, damagedRecords: 0 }
    const gone: number[] = []
    let knownDamage = 0
    const found = scanRecords(bytes, (record) => {
      const read = readRecord(record)
      if (read.sample) samples.push(read.sample)
      if (read.cut) cuts.push({ cut: read.cut, end: record.end })
      if (read.settled) settled.push(read.settled)
      knownDamage = read.totals?.known ?? knownDamage
      totals.droppedSamples = Math.max(totals.droppedSamples, read.totals?.droppedSamples ?? 0)
      totals.damagedRecords = Math.max(totals.damagedRecords, read.totals?.damagedRecords ?? 0)
      if (read.totals?.gone !== undefined) gone.push(read.totals.gone)
    })
    this.size = bytes.length
    this.#takeIn(samples, cuts, settled)
    return { totals, gone, knownDamage, damaged: Math.max(0, found - knownDamage) }
  }

  #takeIn(samples: Uncut[], cuts: { cut: Cut; end: number }[], settled: [number, number][]): void {
    const isSettled = new Set<number>()
    for (const [first, last] of settled) for (let number = first; number <= last; number++) isSettled.add(number)
    const byNumber = new Map(samples.map((sample) => [sample.number, sample]))
    for (const { cut, end } of cuts) {
      const own: Uncut[] = []
      for (let number = cut.first; number <= cut.last; number++) {
        const sample = byNumber.get(number)
        if (sample) own.push(sample)
        byNumber.delete(number)
      }
      const [first] = own
      if (!first || isSettled.has(cut.first)) continue
      this.#addEntry({ first: cut.first, last: cut.last, samples: own.length, start: first.start, end })
    }
    const left = samples.filter(({ number }) => byNumber.has(number) && !isSettled.has(number))
    this.uncut = left.map((sample) => ({ ...sample, record: encodeRecord(RECORD.sample, sample.record) }))
    for (const { atMs, number } of samples) {
      this.#cover(atMs)
      this.#nextNumber = Math.max(this.#nextNumber, number + 1)
    }
  }

  #append(record: Buffer): void {
    this.storage.append(record)
    this.size += record.length
  }

  #addEntry(entry: Entry): void {
    this.entries.push(entry)
    this.samples += entry.samples
  }

  #cover(atMs: number): void {
    const gapMs = this.#lastAtMs === undefined ? 0 : atMs - this.#lastAtMs
    this.coveredMs += Math.min(Math.max(gapMs, 0), MAX_GAP_MS)
    this.#lastAtMs = atMs
  }
}

/** How many of these samples, from the first, one batch may hold: so many, over such a time, and no number left out between. */
function lengthOfBatch(samples: readonly Uncut[]): number {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  const end = samples.findIndex(({ atMs, number }, index) => {
    first = Math.min(first, atMs)
    last = Math.max(last, atMs)
    const follows = index === 0 || number === (samples[index - 1]?.number ?? 0) + 1
    return index === MAX_SAMPLES_PER_BATCH || last - first >= MAX_BATCH_SPAN_MS || !follows
  })
  return end === -1 ? samples.length : end
}

type TotalsRecord = Partial<Totals> & { gone?: number; known?: number }

interface ReadRecord {
  sample?: Uncut | undefined
  cut?: Cut | undefined
  settled?: [number, number] | undefined
  totals?: TotalsRecord | undefined
}

/** What a sound record says; nothing for a type that a later version writes. */
function readRecord({ type, payload, start }: FoundRecord): ReadRecord {
  switch (type) {
    case RECORD.sample: {
      const sample = decodeSample(payload)
      return { sample: sample && { number: sample.number, atMs: sample.atMs, start, record: payload } }
    }
    case RECORD.cut:
      return { cut: parseCut(payload) }
    case RECORD.ack:
      // Its checksum says that it is as this program wrote it.
      return { settled: JSON.parse(payload.toString()) as [number, number] }
    case RECORD.totals:
      return { totals: parseObject(payload.toString()) }
    default:
      return {}
  }
}

function parseCut(payload: Buffer): Cut | undefined {
  return parseObject(payload.toString()) as Cut | undefined
}
