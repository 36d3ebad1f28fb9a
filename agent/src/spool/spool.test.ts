import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MAX_PUSH_BYTES } from '@vedette/shared/metrics/limits'
import type { BatchBody } from '@vedette/shared'
import { beforeEach, describe, expect, test } from 'vitest'
import { FakeClock } from '../../test/fake-clock.ts'
import { createTestSpool } from '../../test/spool.ts'
import type { QueuedBatch } from './batch.ts'
import { SpoolFolder } from './folder.ts'
import type { SpoolLimits } from './segment-store.ts'
import type { Spool } from './spool.ts'
import type { DiskStorage } from './storage.ts'

/** A disk that can be full: appends beyond its room fail as they do there, with part of them written. */
class SmallDisk extends SpoolFolder {
  roomBytes = Number.POSITIVE_INFINITY
  /** Number of the file that takes the last of the room by being made. */
  fullFrom = Number.POSITIVE_INFINITY

  /** As on a disk that is not there yet. */
  isAway = false

  override list(): number[] {
    if (this.isAway) throw Object.assign(new Error('EIO: i/o error, scandir'), { code: 'EIO' })
    return super.list()
  }

  override create(number: number): DiskStorage {
    if (this.isAway) throw Object.assign(new Error('EIO: i/o error, open'), { code: 'EIO' })
    if (number === this.fullFrom) this.roomBytes = 0
    return this.#bounded(super.create(number))
  }

  #bounded(storage: DiskStorage): DiskStorage {
    const append = storage.append.bind(storage)
    storage.append = (bytes) => {
      if (this.roomBytes < bytes.length) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
      this.roomBytes -= bytes.length
      append(bytes)
    }
    return storage
  }
}

let path = ''
let clock = new FakeClock()
let logged: string[] = []
let folder = new SmallDisk('')
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'vedette-spool-')), 'spool')
  clock = new FakeClock()
  logged = []
  folder = new SmallDisk(path)
})

/** A spool on the folder as a new process would open it. */
function open(limits: Partial<SpoolLimits> = {}): Spool {
  return createTestSpool(clock, (_level, message) => logged.push(message), folder, limits)
}

let taken = 0
/** A batch of so many samples; answers the instants. */
function fill(spool: Spool, samples: number, cut = true): number[] {
  const instants = Array.from({ length: samples }, () => 1_795_000_000_000 + taken++ * 10_000)
  for (const atMs of instants) spool.append({ atMs, values: { cpu: { percent: 12.34 }, memory: { used_bytes: atMs } } })
  if (cut) spool.formBatches({ filesystems: [] }, clock.now())
  return instants
}

const bodyOf = (batch: QueuedBatch) => JSON.parse(batch.bytes.toString()) as BatchBody
const instantsOf = (batches: readonly QueuedBatch[]) => batches.flatMap((batch) => bodyOf(batch).columns.at_ms)
const instantsOf1 = (batch: QueuedBatch) => instantsOf([batch]).length
const files = () => readdirSync(path).filter((name) => name.endsWith('.spool'))

async function reopened(limits?: Partial<SpoolLimits>): Promise<Spool> {
  const spool = open(limits)
  await Promise.all([spool.recover(), clock.advance(100)])
  return spool
}

describe('order', () => {
  test('the newest goes first, then the backlog from its oldest', () => {
    const spool = open()
    const [a, b, c, d] = [1, 2, 1, 3].map((samples) => fill(spool, samples))
    expect([spool.length, spool.samples]).toEqual([4, 7])
    expect(instantsOf(spool.next(2))).toEqual(d)
    spool.remove(spool.next(2))
    expect(instantsOf(spool.next(2))).toEqual([...(a ?? []), ...(b ?? [])])
    const e = fill(spool, 1)
    expect(instantsOf(spool.next(2))).toEqual(e)
    expect(instantsOf(spool.oldest(60))).toEqual([a, b, c, e].flat())
  })

  test('a request has at least one batch and at most the allowed bytes', () => {
    const spool = open()
    for (let batch = 0; batch < 60; batch++) fill(spool, 900)
    const chosen = spool.oldest(60)
    expect(chosen.length).toBeGreaterThan(1)
    expect(chosen.length).toBeLessThan(60)
    expect(chosen.reduce((sum, { bytes }) => sum + bytes.length, 0)).toBeLessThan(MAX_PUSH_BYTES)
  })

  test('a batch holds at most 1,000 samples and spans less than a day, even if the clock was set back', () => {
    const spool = open()
    fill(spool, 2_001)
    expect(spool.oldest(60).map(({ samples }) => samples)).toEqual([1_000, 1_000, 1])
    const day = 86_400_000
    for (const atMs of [0, day - 1, day, 0]) spool.append({ atMs, values: {} })
    spool.formBatches({}, 0)
    expect(
      spool
        .oldest(60)
        .slice(3)
        .map((batch) => bodyOf(batch).columns.at_ms),
    ).toEqual([[0, day - 1], [day], [0]])
  })

  test('without samples no batch is formed', () => {
    const spool = open()
    expect(spool.formBatches({}, 0)).toBe(false)
    expect(spool.next(60)).toEqual([])
  })
})

describe('a process that is killed', () => {
  test('loses no sample, keeps the bytes of batches, and forms a batch from the rest', async () => {
    const first = open()
    const instants = [fill(first, 6), fill(first, 6), fill(first, 2, false)].flat()
    const before = first.oldest(60).map(({ bytes }) => bytes.toString())
    const second = await reopened()
    const after = second.oldest(60)
    expect(after.slice(0, 2).map(({ bytes }) => bytes.toString())).toEqual(before)
    expect(instantsOf(after)).toEqual(instants)
    // And once more: the batch that was made at the start stays as it is.
    const third = await reopened()
    expect(third.oldest(60).map(({ bytes }) => bytes.toString())).toEqual(after.map(({ bytes }) => bytes.toString()))
  })

  test('does not resend acknowledged batches and deletes empty files', async () => {
    const first = open()
    const kept = fill(first, 3)
    fill(first, 3)
    first.remove(first.next(1))
    const second = await reopened()
    expect(instantsOf(second.oldest(60))).toEqual(kept)
    second.remove(second.oldest(60))
    expect(files()).toEqual([])
    expect((await reopened()).length).toBe(0)
  })

  test('gives folder and files to their owner only', () => {
    fill(open(), 1)
    expect(statSync(path).mode & 0o777).toBe(0o700)
    for (const name of files()) expect(statSync(join(path, name)).mode & 0o777).toBe(0o600)
  })
})

describe('a batch that the backend refuses', () => {
  const named = (spool: Spool) => spool.oldest(10).map(({ bytes }) => bytes.toString())
  const divideOldest = (spool: Spool, ...faults: string[]) => spool.divide(spool.oldest(1)[0] as QueuedBatch, faults)

  test('is halved into batches with ids of their own, which stay the same bytes over a restart', async () => {
    const spool = open()
    const instants = fill(spool, 5)
    const [before] = spool.oldest(1)
    expect(spool.divide(before as QueuedBatch, [])).toBe('divided')
    const parts = spool.oldest(10)
    expect(parts.map((batch) => instantsOf([batch]))).toEqual([instants.slice(0, 3), instants.slice(3)])
    expect(parts.map((batch) => bodyOf(batch).filesystems)).toEqual([undefined, []])
    expect(new Set([before as QueuedBatch, ...parts].map((batch) => bodyOf(batch).batch_id)).size).toBe(3)
    expect(spool.samples).toBe(5)
    // Killed: nothing is closed.
    const bytes = named(spool)
    expect(named(await reopened())).toEqual(bytes)
  })

  test('is divided over restarts until one sample is alone, and only that is dropped', async () => {
    let spool = open()
    const instants = fill(spool, 7)
    const wrong = instants[4] as number
    const stored: number[] = []
    for (let attempts = 0; attempts < 30 && spool.length > 0; attempts++) {
      const [batch] = spool.oldest(1)
      if (!batch) break
      const sent = instantsOf([batch])
      if (!sent.includes(wrong)) {
        stored.push(...sent)
        spool.remove([batch])
      } else if (spool.divide(batch, []) === 'alone') spool.drop([batch])
      spool.close()
      spool = await reopened()
    }
    expect(stored.toSorted((a, b) => a - b)).toEqual(instants.filter((atMs) => atMs !== wrong))
    expect(spool.totals).toEqual({ droppedSamples: 1, damagedRecords: 0 })
  })

  test('loses a named part of its state only, also after a restart', async () => {
    const spool = open()
    fill(spool, 2, false)
    spool.formBatches({ filesystems: [], host: { uptime_seconds: 1, logged_in_users: 2 } }, clock.now())
    expect(divideOldest(spool, 'host.uptime_seconds')).toBe('divided')
    const bytes = named(spool)
    expect(spool.oldest(1).map((batch) => bodyOf(batch).host)).toEqual([{ logged_in_users: 2 }])
    expect(spool.oldest(1).map(instantsOf1)).toEqual([2])
    expect(named(await reopened())).toEqual(bytes)
  })

  test('is the newest still, and what was taken meanwhile is in its own batch', () => {
    const spool = open()
    fill(spool, 2)
    const newest = fill(spool, 3)
    const [batch] = spool.next(10)
    const later = fill(spool, 1, false)
    expect(spool.divide(batch as QueuedBatch, ['filesystems'])).toBe('divided')
    expect(instantsOf(spool.next(10))).toEqual(newest)
    spool.formBatches({}, clock.now())
    expect(instantsOf(spool.next(10))).toEqual(later)
  })

  test('stays whole while the disk is full', () => {
    const spool = open()
    const instants = fill(spool, 4)
    folder.roomBytes = 0
    expect(divideOldest(spool)).toBe('later')
    expect(instantsOf(spool.oldest(10))).toEqual(instants)
    folder.roomBytes = Number.POSITIVE_INFINITY
    expect(divideOldest(spool)).toBe('divided')
    expect(instantsOf(spool.oldest(10))).toEqual(instants)
  })

  test('is whole again where the record of its division is damaged', async () => {
    const spool = open()
    const instants = fill(spool, 4)
    divideOldest(spool)
    spool.remove(spool.oldest(1))
    const [name = ''] = files()
    const bytes = readFileSync(join(path, name))
    bytes[bytes.lastIndexOf('"last"') + 20] = 0
    writeFileSync(join(path, name), bytes)
    expect(instantsOf((await reopened()).oldest(10))).toEqual(instants)
  })
})

describe('damage', () => {
  test.each([0, 5, 20, 100, 250, 300])(
    'a byte flipped at %i loses one record at most, is counted once, and the rest comes',
    async (at) => {
      const instants = [fill(open(), 6)].flat()
      const [name = ''] = files()
      const bytes = readFileSync(join(path, name))
      bytes[at] = (bytes[at] ?? 0) ^ 0x10
      writeFileSync(join(path, name), bytes)
      const spool = await reopened()
      const found = instantsOf(spool.oldest(60))
      expect(found.length).toBeGreaterThanOrEqual(5)
      expect(instants).toEqual(expect.arrayContaining(found))
      expect(spool.totals.damagedRecords).toBe(1)
      const again = await reopened()
      expect([again.totals.damagedRecords, instantsOf(again.oldest(60))]).toEqual([1, found])
    },
  )

  test('skips a torn last record and a file of garbage', async () => {
    const spool = open()
    fill(spool, 2)
    const [name = ''] = files()
    writeFileSync(join(path, name), readFileSync(join(path, name)).subarray(0, -7))
    writeFileSync(join(path, '0000000007.spool'), 'garbage')
    const after = await reopened()
    expect([after.samples, after.totals.damagedRecords]).toEqual([2, 2])
    fill(after, 1)
    expect(after.samples).toBe(3)
  })

  test('counts a deleted file and continues', async () => {
    fill(open(), 3)
    const spool = await reopened()
    const later = fill(spool, 2)
    rmSync(join(path, files()[0] ?? ''))
    expect(instantsOf(spool.oldest(60))).toEqual(later)
    expect(spool.totals.droppedSamples).toBe(3)
  })
})

describe('a disk that cannot be written', () => {
  test('when full keeps samples in memory with one warning, delivers them in order, and is used again later', async () => {
    const spool = open()
    const instants = [fill(spool, 3), fill(spool, 1, false)]
    folder.roomBytes = 50
    instants.push(fill(spool, 2), fill(spool, 2))
    expect(spool.diskFault).toContain('ENOSPC')
    expect(logged.filter((message) => message.includes('stay in memory'))).toHaveLength(1)
    expect(instantsOf(spool.oldest(60))).toEqual(instants.flat())
    folder.roomBytes = Number.POSITIVE_INFINITY
    await clock.advance(11_000)
    instants.push(fill(spool, 1))
    expect(spool.diskFault).toBeUndefined()
    expect(logged).toContain('the spool is written to the disk again')
    const after = await reopened()
    expect([...new Set(instantsOf(after.oldest(60)))].toSorted((a, b) => a - b)).toEqual(instants.flat())
  })

  test('when full at the start of a file leaves no file behind, and the segment is written once there is space', async () => {
    const spool = open()
    folder.fullFrom = 2
    const instants = Array.from({ length: 8 }, () => fill(spool, 900))
    expect(spool.diskFault).toContain('ENOSPC')
    expect(files()).toHaveLength(1)
    folder.fullFrom = Number.POSITIVE_INFINITY
    folder.roomBytes = Number.POSITIVE_INFINITY
    await clock.advance(11_000)
    instants.push(fill(spool, 1))
    expect(spool.diskFault).toBeUndefined()
    expect([...drain(await reopened())].flat()).toEqual(instants.flat())
  })

  test('keeps the samples of the open file if the folder is deleted', async () => {
    const spool = open()
    const instants = [fill(spool, 3), fill(spool, 2, false)]
    rmSync(path, { recursive: true })
    instants.push(fill(spool, 1))
    expect(instantsOf(spool.oldest(60))).toEqual(instants.flat())
    expect(spool.diskFault).toBeUndefined()
    expect(instantsOf((await reopened()).oldest(60))).toEqual(instants.flat())
  })

  test('keeps samples in memory from the start if no folder can be created', () => {
    writeFileSync(path, 'a file in its place')
    const spool = open()
    const instants = fill(spool, 2)
    expect(instantsOf(spool.next(1))).toEqual(instants)
    expect(spool.diskFault).toBeDefined()
  })
})

describe('a folder that cannot be listed at the start', () => {
  test('keeps samples in memory until it can be listed; then samples of an earlier run are sent too, without number collisions', async () => {
    const earlier = open({ bytes: 400_000 })
    const instants = [0, 1, 2].flatMap(() => fill(earlier, 900))
    earlier.drop(earlier.oldest(1))
    folder.isAway = true
    const spool = await reopened()
    instants.push(...fill(spool, 3))
    spool.drop(spool.next(1))
    instants.push(...fill(spool, 2))
    expect(spool.diskFault).toContain('EIO')
    folder.isAway = false
    await clock.advance(11_000)
    instants.push(...fill(spool, 1))
    await clock.advance(100)
    expect(spool.diskFault).toBeUndefined()
    expect(logged).toContain('recovered undelivered samples of an earlier run: they are sent now')
    // 900 and 3 were dropped, before and after the start.
    expect(spool.totals.droppedSamples).toBe(903)
    const kept = instants.filter((_, index) => index >= 900 && (index < 2_700 || index >= 2_703))
    const after = await reopened()
    expect(after.totals.droppedSamples).toBe(903)
    expect([...drain(after)].flat().toSorted((a, b) => a - b)).toEqual(kept)
  })

  test('stays with another agent that locked it meanwhile', async () => {
    folder.isAway = true
    const spool = await reopened()
    fill(spool, 2)
    folder.isAway = false
    folder.lock = () => 4711
    await clock.advance(11_000)
    fill(spool, 1)
    expect(spool.diskFault).toContain('process 4711')
    expect(spool.samples).toBe(3)
  })
})

describe('a full spool', () => {
  test.each<[string, Partial<SpoolLimits>]>([
    ['bytes', { bytes: 400_000 }],
    ['time', { coveredMs: 30_000_000 }],
  ])('by %s: the oldest give way, counted exactly, and the count survives [AGENT-35]', async (_, limits) => {
    const spool = open(limits)
    const instants = Array.from({ length: 400 }, () => fill(spool, 50)).flat()
    const { droppedSamples } = spool.totals
    expect(droppedSamples).toBeGreaterThan(0)
    expect(droppedSamples + spool.samples).toBe(instants.length)
    const left = [...drain(await reopened(limits))].flat()
    expect(left).toEqual(instants.slice(droppedSamples))
    expect((await reopened(limits)).totals.droppedSamples).toBe(droppedSamples)
  })

  test('drops nothing because the clock was set ahead', () => {
    const spool = open()
    fill(spool, 3)
    taken += 10_000_000
    for (let batch = 0; batch < 100; batch++) fill(spool, 50)
    expect(spool.totals.droppedSamples).toBe(0)
  })

  test('does not drop a batch that is being sent', () => {
    const spool = open({ bytes: 300_000 })
    const first = fill(spool, 50)
    const underWay = spool.oldest(1)
    for (let batch = 0; batch < 200; batch++) fill(spool, 50)
    expect(spool.totals.droppedSamples).toBeGreaterThan(0)
    expect(instantsOf(spool.oldest(1))).toEqual(first)
    spool.remove(underWay)
    spool.endAttempt()
    expect(spool.samples + spool.totals.droppedSamples + 50).toBe(201 * 50)
  })
})

/** Everything, batch by batch from the oldest. */
function* drain(spool: Spool): Generator<number[]> {
  for (let batches = spool.oldest(60); batches.length > 0; batches = spool.oldest(60)) {
    yield instantsOf(batches)
    spool.remove(batches)
  }
}

describe('the lock', () => {
  test('a second agent is refused while the first runs; a lock of a dead process is ignored', () => {
    expect(folder.lock()).toBeUndefined()
    expect(new SpoolFolder(path).lock()).toBeUndefined()
    writeFileSync(join(path, 'lock'), `${process.ppid} an-earlier-boot 1`)
    expect(folder.lock()).toBeUndefined()
    folder.unlock()
    expect(readdirSync(path)).toEqual([])
  })
})
