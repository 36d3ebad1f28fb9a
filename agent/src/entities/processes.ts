import { closeSync, openSync, readSync } from 'node:fs'
import { type Clock, yieldToEventLoop } from '../process/clock.ts'
import type { ProcessReader } from '../samplers/linux/process-reader.ts'
import { toCommand } from '../samplers/linux/process-watch.ts'
import { SLICE_MS, type TrackedProcess } from '../samplers/linux/processes.ts'
import { toReading } from './reading.ts'
import type { EntityReading, EntitySource } from './source.ts'

const TOP_BY_DISK = 5

interface DiskBytes {
  startTicks: number
  read: number
  written: number
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
  #disk = new Map<number, DiskBytes>()
  #previousMs: number | undefined

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
    const rates = this.#readsDisk ? await this.#diskRates(maxGapMs) : new Map<number, DiskRates>()
    const totals = new Map<string, NameTotals>()
    for (const process of this.#processes.all()) if (!process.isZombie) addTo(totals, process, rates.get(process.pid))
    const busiest = [...totals]
      .filter(([, { disk }]) => total(disk) > 0)
      .sort(([, a], [, b]) => total(b.disk) - total(a.disk))
      .slice(0, TOP_BY_DISK)
    const names = new Set([...this.#watched.keys(), ...busiest.map(([name]) => name)])
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

  /** Bytes per second of each process since the previous reading. One that used no CPU time did no I/O either: it is not read. */
  async #diskRates(maxGapMs: number): Promise<Map<number, DiskRates>> {
    const atMs = this.#clock.monotonicMs()
    const elapsedMs = this.#previousMs === undefined ? 0 : atMs - this.#previousMs
    this.#previousMs = atMs
    const isKnown = elapsedMs > 0 && elapsedMs <= maxGapMs
    const rates = new Map<number, DiskRates>()
    const previous = this.#disk
    const { pid: ownPid } = process
    this.#disk = new Map()
    let sliceEndMs = atMs + SLICE_MS
    for (const { pid, startTicks, isIdle } of this.#processes.all()) {
      const before = previous.get(pid)
      const earlier = before?.startTicks === startTicks ? before : undefined
      const now = isIdle && earlier ? earlier : this.#diskBytes(pid, startTicks)
      if (!now) continue
      this.#disk.set(pid, now)
      if (earlier && isKnown) {
        const perSecond = (from: number, to: number) => (Math.max(0, to - from) * 1_000) / elapsedMs
        rates.set(pid, { read: perSecond(earlier.read, now.read), written: perSecond(earlier.written, now.written) })
      }
      if (this.#clock.monotonicMs() < sliceEndMs) continue
      await yieldToEventLoop()
      sliceEndMs = this.#clock.monotonicMs() + SLICE_MS
    }
    if ([...this.#disk.keys()].every((pid) => pid === ownPid)) this.#readsDisk = false
    return rates
  }

  /** Undefined if it has ended, or may not be read. */
  #diskBytes(pid: number, startTicks: number): DiskBytes | undefined {
    try {
      const fd = openSync(`${this.#processes.procRoot}/${pid}/io`, 'r')
      try {
        const text = this.#buffer.toString('latin1', 0, readSync(fd, this.#buffer, 0, this.#buffer.length, 0))
        const [, read, written] = /^read_bytes: (\d+)\nwrite_bytes: (\d+)$/m.exec(text) ?? []
        return read === undefined ? undefined : { startTicks, read: Number(read), written: Number(written) }
      } finally {
        closeSync(fd)
      }
    } catch {
      return undefined
    }
  }
}

function addTo(totals: Map<string, NameTotals>, process: Readonly<TrackedProcess>, disk: DiskRates | undefined): void {
  const name = familyOf(toCommand(process.name))
  const before = totals.get(name)
  totals.set(name, {
    count: (before?.count ?? 0) + 1,
    cpuPercent: sum(before?.cpuPercent, process.cpuPercent),
    memoryBytes: sum(before?.memoryBytes, process.memoryBytes),
    disk: disk
      ? { read: disk.read + (before?.disk?.read ?? 0), written: disk.written + (before?.disk?.written ?? 0) }
      : before?.disk,
  })
}

/** Workers of the kernel are named by what they do at the moment: each name would be a process of its own for as long as figures last. */
const familyOf = (command: string): string => (command.startsWith('kworker/') ? 'kworker' : command)

/** Of those that are known. */
const sum = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : a + b

const total = (disk: DiskRates | undefined): number => (disk ? disk.read + disk.written : 0)
