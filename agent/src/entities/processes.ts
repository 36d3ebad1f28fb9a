import { closeSync, openSync, readSync } from 'node:fs'
import { type Clock, yieldToEventLoop } from '../process/clock.ts'
import type { ProcessReader } from '../samplers/linux/process-reader.ts'
import { CLOCK_EVERY, SLICE_MS, toCommand, type TrackedProcess } from '../samplers/linux/processes.ts'
import { toReading } from './reading.ts'
import type { EntityReading, EntitySource } from './source.ts'

const TOP_BY_DISK = 5
/** Files kept open: opening and closing one costs more than reading it. */
const MAX_KEPT_OPEN = 512

/** What a process read and wrote, by its file `io`. */
interface DiskUse {
  /** With the pid it identifies a process. */
  startTicks: number
  /** Its file if kept open; it belongs to this process even if the pid is reused. */
  fd: number | undefined
  /** The agent may not read it, or the process has ended. */
  isRefused: boolean
  readBytes: number
  writtenBytes: number
  readAtMs: number
  /** Bytes per second between its last two readings; undefined before the second. */
  rates: DiskRates | undefined
  /** Number of the last reading that listed it. */
  reading: number
}

interface DiskRates {
  read: number
  written: number
}

/** The processes of one name together. */
interface NameTotals {
  count: number
  cpuPercent: number | undefined
  memoryBytes: number | undefined
  disk: DiskRates | undefined
}

/**
 * Processes of watched names, also where none runs, and the names that use the disks most. The latter are known where the agent may
 * read the I/O of other users' processes: as root, or with CAP_SYS_PTRACE.
 */
export class ProcessSource implements EntitySource {
  readonly name = 'processes'
  readonly #clock: Clock
  readonly #processes: ProcessReader
  /** The names as the kernel keeps them, with those of the config. */
  readonly #watched: ReadonlyMap<string, string>
  /** Until it is found that only the agent's own process can be read. */
  #readsDisk: boolean
  readonly #buffer = Buffer.allocUnsafe(1_024)
  /** Updated in place, as the processes are. */
  readonly #disk = new Map<number, DiskUse>()
  #open = 0
  #reading = 0
  #previousMs: number | undefined
  /** Since when no two readings lay too far apart: older counters give no rate. */
  #soundSinceMs = 0

  constructor(clock: Clock, processes: ProcessReader, watched: readonly string[], includesBusiest: boolean) {
    this.#clock = clock
    this.#processes = processes
    this.#watched = new Map(watched.map((name) => [toCommand(name), name]))
    this.#readsDisk = includesBusiest
  }

  async prime(): Promise<void> {
    await this.read(0)
  }

  async read(maxGapMs: number): Promise<EntityReading[]> {
    if (this.#watched.size === 0 && !this.#readsDisk) return []
    // Undefined where the host hides processes: that none is seen says nothing then.
    if (!(await this.#processes.read())) return []
    if (this.#readsDisk) await this.#readDisk(maxGapMs)
    const names = new Set([...this.#watched.keys(), ...this.#busiest()])
    const totals = this.#totalsOf(names)
    return [...names].map((command) => {
      const { count = 0, cpuPercent, memoryBytes, disk } = totals.get(command) ?? {}
      const watchedAs = this.#watched.get(command)
      return toReading(
        'process',
        watchedAs ?? command,
        {
          count,
          cpu_percent: cpuPercent === undefined ? undefined : Math.min(100, cpuPercent),
          memory_bytes: memoryBytes,
          read_bytes_per_sec: disk?.read,
          write_bytes_per_sec: disk?.written,
        },
        { watched: watchedAs === undefined ? undefined : 'yes' },
      )
    })
  }

  close(): void {
    for (const use of this.#disk.values()) this.#close(use)
    this.#disk.clear()
  }

  /** The names that used the disks most, the first most. */
  #busiest(): string[] {
    const byName = new Map<string, number>()
    this.#processes.all().forEach(({ pid, command, isZombie }) => {
      const used = isZombie ? 0 : total(this.#disk.get(pid)?.rates)
      if (used > 0) byName.set(command, (byName.get(command) ?? 0) + used)
    })
    return [...byName]
      .sort(([, a], [, b]) => b - a)
      .slice(0, TOP_BY_DISK)
      .map(([name]) => name)
  }

  #totalsOf(names: ReadonlySet<string>): Map<string, NameTotals> {
    const totals = new Map<string, NameTotals>()
    if (names.size === 0) return totals
    this.#processes.all().forEach((process) => {
      if (!process.isZombie && names.has(process.command)) addTo(totals, process, this.#disk.get(process.pid)?.rates)
    })
    return totals
  }

  /**
   * Bytes per second of each process since its last reading. One that used no CPU time did no I/O either: its file is not read, and
   * neither is that of a quiet process whose turn it is not.
   */
  async #readDisk(maxGapMs: number): Promise<void> {
    const atMs = this.#clock.monotonicMs()
    const gapMs = this.#previousMs === undefined ? 0 : atMs - this.#previousMs
    if (gapMs > maxGapMs) this.#soundSinceMs = atMs
    this.#previousMs = atMs
    this.#reading++
    let sliceEndMs = atMs + SLICE_MS
    const all = this.#processes.all()
    let isOfOthers = false
    // By index: an iterator makes garbage for each process.
    for (let index = 0; index < all.length; index++) {
      const tracked = all[index] as TrackedProcess
      const isRefused = this.#update(tracked, atMs)
      if (!isRefused && tracked.pid !== process.pid) isOfOthers = true
      if (index % CLOCK_EVERY !== 0 || this.#clock.monotonicMs() < sliceEndMs) continue
      await yieldToEventLoop()
      sliceEndMs = this.#clock.monotonicMs() + SLICE_MS
    }
    if (this.#disk.size > all.length) this.#removeEnded()
    if (isOfOthers) return
    this.#readsDisk = false
    this.close()
  }

  #removeEnded(): void {
    for (const [pid, use] of this.#disk) {
      if (use.reading === this.#reading) continue
      this.#close(use)
      this.#disk.delete(pid)
    }
  }

  /** Whether its file may not be read. */
  #update({ pid, startTicks, usedTicks, isNew }: Readonly<TrackedProcess>, atMs: number): boolean {
    let use = this.#disk.get(pid)
    const isKnown = use?.startTicks === startTicks
    if (!use || !isKnown) {
      if (use) this.#close(use)
      use = {
        startTicks,
        fd: undefined,
        isRefused: false,
        readBytes: 0,
        writtenBytes: 0,
        readAtMs: Number.NEGATIVE_INFINITY,
        rates: undefined,
        reading: 0,
      }
      this.#disk.set(pid, use)
    }
    use.reading = this.#reading
    const isSound = use.readAtMs >= this.#soundSinceMs
    if (!isSound) use.rates = undefined
    if (use.isRefused || (isKnown && isSound && !isNew)) return use.isRefused
    if (isKnown && usedTicks === 0) {
      use.rates = isSound ? NONE : undefined
      use.readAtMs = atMs
      return false
    }
    const elapsedMs = atMs - use.readAtMs
    const { readBytes, writtenBytes } = use
    use.isRefused = !this.#readBytes(pid, use)
    use.readAtMs = atMs
    const perSecond = (from: number, to: number) => (Math.max(0, to - from) * 1_000) / elapsedMs
    use.rates =
      isKnown && isSound && !use.isRefused && elapsedMs > 0
        ? { read: perSecond(readBytes, use.readBytes), written: perSecond(writtenBytes, use.writtenBytes) }
        : undefined
    return use.isRefused
  }

  /** False if it has ended, or may not be read. */
  #readBytes(pid: number, use: DiskUse): boolean {
    try {
      const fd = use.fd ?? openSync(`${this.#processes.procRoot}/${pid}/io`, 'r')
      try {
        const text = this.#buffer.toString('latin1', 0, readSync(fd, this.#buffer, 0, this.#buffer.length, 0))
        const [, read, written] = /^read_bytes: (\d+)\nwrite_bytes: (\d+)$/m.exec(text) ?? []
        if (read === undefined) return false
        use.readBytes = Number(read)
        use.writtenBytes = Number(written)
        if (use.fd !== undefined || this.#open >= MAX_KEPT_OPEN) return true
        use.fd = fd
        this.#open++
        return true
      } finally {
        if (use.fd === undefined) closeSync(fd)
      }
    } catch {
      this.#close(use)
      return false
    }
  }

  #close(use: DiskUse): void {
    if (use.fd === undefined) return
    closeSync(use.fd)
    this.#open--
    use.fd = undefined
  }
}

const NONE: DiskRates = { read: 0, written: 0 }

function addTo(totals: Map<string, NameTotals>, process: Readonly<TrackedProcess>, disk: DiskRates | undefined): void {
  const before = totals.get(process.command)
  if (!before) {
    const { cpuPercent, memoryBytes } = process
    totals.set(process.command, { count: 1, cpuPercent, memoryBytes, disk: disk && { ...disk } })
    return
  }
  before.count++
  before.cpuPercent = sum(before.cpuPercent, process.cpuPercent)
  before.memoryBytes = sum(before.memoryBytes, process.memoryBytes)
  if (disk) before.disk = { read: disk.read + (before.disk?.read ?? 0), written: disk.written + (before.disk?.written ?? 0) }
}

/** Of those that are known. */
const sum = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : a + b

const total = (disk: DiskRates | undefined): number => (disk ? disk.read + disk.written : 0)
