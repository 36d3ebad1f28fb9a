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
  const [user, system, start, resident] = [fields[11], fields[12], fields[19], fields[21]].map(Number)
  const numbers = { cpuTicks: (user ?? Number.NaN) + (system ?? Number.NaN), startTicks: start, residentPages: resident }
  if (!Object.values(numbers).every(Number.isFinite)) return undefined
  return { name: text.slice(open + 1, close), ...(numbers as Omit<ProcessStat, 'name'>) }
}

/** What the kernel tells each process of the machine: pairs of numbers, in words of the machine. */
export function parseAuxv(bytes: Buffer): { pageBytes: number; ticksPerSecond: number } {
  const found = new Map<bigint, bigint>()
  for (let at = 0; at + 16 <= bytes.length; at += 16) found.set(bytes.readBigUInt64LE(at), bytes.readBigUInt64LE(at + 8))
  // 6: AT_PAGESZ, 17: AT_CLKTCK. Without them what nearly every machine has.
  return { pageBytes: Number(found.get(6n) ?? 4096n), ticksPerSecond: Number(found.get(17n) ?? 100n) }
}

/** What is known of a process since the last reading. */
interface Known {
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
    for (const pid of pids) {
      const stat = this.#stat(pid)
      if (stat) all.push(this.#measure(Number(pid), stat, elapsedMs, cores))
      if (this.#clock.monotonicMs() < sliceEndMs) continue
      await nextTurn()
      sliceEndMs = this.#clock.monotonicMs() + SLICE_MS
    }
    for (const [pid, { reading }] of this.#known) if (reading !== this.#reading) this.#known.delete(pid)
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

  #stat(pid: string): ProcessStat | undefined {
    let fd: number
    try {
      fd = openSync(`${this.#procRoot}/${pid}/stat`, 'r')
    } catch {
      // It ended since the listing.
      return undefined
    }
    try {
      const length = readSync(fd, this.#buffer, 0, this.#buffer.length, 0)
      return parseProcessStat(this.#buffer.toString('utf8', 0, length))
    } catch {
      return undefined
    } finally {
      closeSync(fd)
    }
  }

  #measure(pid: number, stat: ProcessStat, elapsedMs: number, cores: number): MeasuredProcess {
    // One that was not there before used all of its time since.
    const used = Math.max(0, stat.cpuTicks - this.#replaceTicks(pid, stat))
    const available = (elapsedMs / 1000) * this.#units.ticksPerSecond * cores
    return {
      pid,
      name: stat.name,
      cpuPercent: available > 0 ? (used * 100) / available : undefined,
      memoryBytes: stat.residentPages * this.#units.pageBytes,
    }
  }

  /** The ticks at the reading before; 0 for a process that was not there. */
  #replaceTicks(pid: number, { startTicks, cpuTicks }: ProcessStat): number {
    const known = this.#known.get(pid)
    if (!known) {
      this.#known.set(pid, { startTicks, cpuTicks, reading: this.#reading })
      return 0
    }
    const before = known.startTicks === startTicks ? known.cpuTicks : 0
    known.startTicks = startTicks
    known.cpuTicks = cpuTicks
    known.reading = this.#reading
    return before
  }
}

function readAuxv(procRoot: string): Buffer {
  try {
    return readFileSync(`${procRoot}/self/auxv`)
  } catch {
    return Buffer.alloc(0)
  }
}
