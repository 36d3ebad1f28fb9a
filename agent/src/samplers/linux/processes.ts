import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import type { Process } from '@vedette/shared'
import { type Clock, nextTurn } from '../../clock.ts'
import { type MeasuredProcess, topProcesses } from '../top-processes.ts'

/** A reading longer than this lets others have a turn: nothing may hold the event loop for 5 ms. */
const SLICE_MS = 2
/** Above this many processes the reading would cost more than it is worth. */
export const PROCESS_CEILING = 10_000

export interface ProcessStat {
  name: string
  /** Since its start, without its children. */
  cpuTicks: number
  /** When it started, ticks after the boot: with the pid it names a process for good. */
  startTicks: number
  residentPages: number
}

/** /proc/<pid>/stat. Undefined when it is not what it should be. The name stands in brackets and may hold some itself. */
export function parseProcessStat(text: string): ProcessStat | undefined {
  const open = text.indexOf('(')
  const close = text.lastIndexOf(')')
  if (open < 0 || close < open) return undefined
  const fields = text.slice(close + 2).split(' ', 22)
  const cpuTicks = Number(fields[11]) + Number(fields[12])
  const startTicks = Number(fields[19])
  const residentPages = Number(fields[21])
  if (!Number.isFinite(cpuTicks + startTicks + residentPages)) return undefined
  return { name: text.slice(open + 1, close), cpuTicks, startTicks, residentPages }
}

/** What the kernel tells each process of the machine: pairs of numbers, in words of the machine. */
export function parseAuxv(bytes: Buffer): { pageBytes: number; ticksPerSecond: number } {
  const found = new Map<bigint, bigint>()
  for (let at = 0; at + 16 <= bytes.length; at += 16) found.set(bytes.readBigUInt64LE(at), bytes.readBigUInt64LE(at + 8))
  // 6: AT_PAGESZ, 17: AT_CLKTCK. Without them what nearly every machine has.
  return { pageBytes: Number(found.get(6n) ?? 4096n), ticksPerSecond: Number(found.get(17n) ?? 100n) }
}

/** Of so many processes the file stays open: to open and close it costs more than to read it. */
const MAX_KEPT_OPEN = 512

/** What is known of a process since the last reading. */
interface Known {
  /** Its file, where that stays open. It is of this process alone, whatever its number is given to later. */
  fd: number | undefined
  /** With the pid it names a process for good. */
  startTicks: number
  cpuTicks: number
  /** Which reading saw it last. */
  reading: number
}

/** Names of commands, CPU and memory of all processes; reads no arguments. Owns the baseline. */
export class ProcessSampler {
  readonly #clock: Clock
  readonly #procRoot: string
  readonly #units: { pageBytes: number; ticksPerSecond: number }
  readonly #buffer = Buffer.allocUnsafe(4_096)
  /** Changed in place: made anew at each reading it would be garbage that only a full collection takes. */
  readonly #known = new Map<number, Known>()
  #reading = 0
  #open = 0
  #previousMs: number | undefined

  constructor(clock: Clock, procRoot: string) {
    this.#clock = clock
    this.#procRoot = procRoot
    this.#units = parseAuxv(readAuxv(procRoot))
  }

  /** Undefined where the host hides the processes of others, or has too many. `cores`: those of the machine. */
  async read(cores: number): Promise<Process[] | undefined> {
    const pids = this.#list()
    if (!pids) return undefined
    const atMs = this.#clock.monotonicMs()
    const elapsedMs = this.#previousMs === undefined ? 0 : atMs - this.#previousMs
    this.#previousMs = atMs
    this.#reading++
    const all: MeasuredProcess[] = []
    let sliceEndMs = atMs + SLICE_MS
    for (const name of pids) {
      const pid = Number(name)
      const known = this.#know(pid)
      const stat = this.#stat(pid, known)
      if (stat) all.push(this.#measure(pid, stat, known, elapsedMs, cores))
      if (this.#clock.monotonicMs() < sliceEndMs) continue
      await nextTurn()
      sliceEndMs = this.#clock.monotonicMs() + SLICE_MS
    }
    this.#forgetEnded()
    return topProcesses(all)
  }

  #list(): string[] | undefined {
    let pids: string[]
    try {
      pids = readdirSync(this.#procRoot).filter((name) => /^\d+$/.test(name))
    } catch {
      return undefined
    }
    // Where /proc is mounted with hidepid, or the unit says ProtectProc, only our own would be told: a list that misleads.
    return pids.includes('1') && pids.length <= PROCESS_CEILING ? pids : undefined
  }

  #know(pid: number): Known {
    let known = this.#known.get(pid)
    if (!known) {
      known = { fd: undefined, startTicks: 0, cpuTicks: 0, reading: 0 }
      this.#known.set(pid, known)
    }
    known.reading = this.#reading
    return known
  }

  #stat(pid: number, known: Known): ProcessStat | undefined {
    if (known.fd !== undefined) {
      const stat = this.#readStat(known.fd)
      if (stat) return stat
      // It ended, and another has its number.
      this.#close(known)
    }
    let fd: number
    try {
      fd = openSync(`${this.#procRoot}/${pid}/stat`, 'r')
    } catch {
      // It ended since the listing.
      return undefined
    }
    const stat = this.#readStat(fd)
    if (stat && this.#open < MAX_KEPT_OPEN) {
      known.fd = fd
      this.#open++
    } else closeSync(fd)
    return stat
  }

  #readStat(fd: number): ProcessStat | undefined {
    try {
      const length = readSync(fd, this.#buffer, 0, this.#buffer.length, 0)
      return parseProcessStat(this.#buffer.toString('utf8', 0, length))
    } catch {
      return undefined
    }
  }

  #close(known: Known): void {
    if (known.fd === undefined) return
    closeSync(known.fd)
    known.fd = undefined
    this.#open--
  }

  #forgetEnded(): void {
    for (const [pid, known] of this.#known) {
      if (known.reading === this.#reading) continue
      this.#close(known)
      this.#known.delete(pid)
    }
  }

  #measure(pid: number, stat: ProcessStat, known: Known, elapsedMs: number, cores: number): MeasuredProcess {
    // One that was not there before used all of its time since.
    const before = known.startTicks === stat.startTicks ? known.cpuTicks : 0
    known.startTicks = stat.startTicks
    known.cpuTicks = stat.cpuTicks
    const available = (elapsedMs / 1000) * this.#units.ticksPerSecond * cores
    return {
      pid,
      name: stat.name,
      cpuPercent: available > 0 ? (Math.max(0, stat.cpuTicks - before) * 100) / available : undefined,
      memoryBytes: stat.residentPages * this.#units.pageBytes,
    }
  }
}

function readAuxv(procRoot: string): Buffer {
  try {
    return readFileSync(`${procRoot}/self/auxv`)
  } catch {
    return Buffer.alloc(0)
  }
}
