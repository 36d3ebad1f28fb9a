import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import type { Process } from '@vedette/shared'
import { type Clock, yieldToEventLoop } from '../../clock.ts'
import { type MeasuredProcess, topProcesses } from '../top-processes.ts'

/** After this time the event loop gets a turn: nothing may block it for 5 ms. */
const SLICE_MS = 2
/** Above this many processes the reading is too expensive. */
export const PROCESS_CEILING = 10_000

export interface ProcessStat {
  name: string
  /** CPU time since its start, without its children. */
  cpuTicks: number
  /** Start in ticks after the boot: with the pid it identifies a process. */
  startTicks: number
  residentPages: number
  threads: number
}

/** Parses /proc/<pid>/stat; undefined if malformed. The name is in parentheses and may contain some itself. */
export function parseProcessStat(text: string): ProcessStat | undefined {
  const open = text.indexOf('(')
  const close = text.lastIndexOf(')')
  if (open < 0 || close < open) return undefined
  const fields = text.slice(close + 2).split(' ', 22)
  const cpuTicks = Number(fields[11]) + Number(fields[12])
  const threads = Number(fields[17])
  const startTicks = Number(fields[19])
  const residentPages = Number(fields[21])
  if (!Number.isFinite(cpuTicks + startTicks + residentPages)) return undefined
  return { name: text.slice(open + 1, close), cpuTicks, startTicks, residentPages, threads }
}

/** Parses the auxiliary vector of a process: pairs of 64-bit numbers. */
export function parseAuxv(bytes: Buffer): { pageBytes: number; ticksPerSecond: number } {
  const found = new Map<bigint, bigint>()
  for (let at = 0; at + 16 <= bytes.length; at += 16) found.set(bytes.readBigUInt64LE(at), bytes.readBigUInt64LE(at + 8))
  // 6: AT_PAGESZ, 17: AT_CLKTCK, with the usual values as defaults.
  return { pageBytes: Number(found.get(6n) ?? 4096n), ticksPerSecond: Number(found.get(17n) ?? 100n) }
}

/** Files kept open: opening and closing one costs more than reading it. */
const MAX_KEPT_OPEN = 1_024
/** The memory of a process that does not run changes only when the kernel reclaims some: it is read each so many readings. */
const IDLE_READINGS = 5

/** State of a process since the last reading. */
interface TrackedProcess {
  /** Its stat file if kept open; it belongs to this process even if the pid is reused. */
  fd: number | undefined
  /** Its schedstat file if kept open, and what it said. */
  scheduledFd: number | undefined
  scheduled: string | undefined
  /** What the stat file said last. */
  stat: ProcessStat | undefined
  /** With the pid it identifies a process. */
  startTicks: number
  cpuTicks: number
  /** Number of the last reading that found it. */
  reading: number
}

/** Reads command names, CPU and memory of all processes, no arguments. Owns the baseline. */
export class ProcessSampler {
  readonly #clock: Clock
  readonly #procRoot: string
  readonly #units: { pageBytes: number; ticksPerSecond: number }
  readonly #hasScheduled: boolean
  readonly #buffer = Buffer.allocUnsafe(4_096)
  /** Updated in place: rebuilding it at each reading makes garbage that only a full collection frees. */
  readonly #tracked = new Map<number, TrackedProcess>()
  #reading = 0
  #open = 0
  #previousMs: number | undefined

  constructor(clock: Clock, procRoot: string) {
    this.#clock = clock
    this.#procRoot = procRoot
    this.#units = parseAuxv(readAuxv(procRoot))
    this.#hasScheduled = existsSync(`${procRoot}/1/schedstat`)
  }

  /** Undefined if the host hides the processes of others or has too many. `cores` is the number of cores of the machine. */
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
      const tracked = this.#track(pid)
      const hasRun = this.#hasRun(pid, tracked)
      if (hasRun || (this.#reading + pid) % IDLE_READINGS === 0) tracked.stat = this.#stat(pid, tracked)
      const { stat } = tracked
      if (stat) all.push(this.#measure(pid, stat, tracked, elapsedMs, cores))
      if (this.#clock.monotonicMs() < sliceEndMs) continue
      await yieldToEventLoop()
      sliceEndMs = this.#clock.monotonicMs() + SLICE_MS
    }
    this.#removeEnded()
    return topProcesses(all)
  }

  #list(): string[] | undefined {
    let pids: string[]
    try {
      pids = readdirSync(this.#procRoot).filter((name) => /^\d+$/.test(name))
    } catch {
      return undefined
    }
    // With hidepid or ProtectProc only the agent's own processes are visible: a misleading list.
    return pids.includes('1') && pids.length <= PROCESS_CEILING ? pids : undefined
  }

  #track(pid: number): TrackedProcess {
    let tracked = this.#tracked.get(pid)
    if (!tracked) {
      tracked = {
        fd: undefined,
        scheduledFd: undefined,
        scheduled: undefined,
        stat: undefined,
        startTicks: 0,
        cpuTicks: 0,
        reading: 0,
      }
      this.#tracked.set(pid, tracked)
    }
    tracked.reading = this.#reading
    return tracked
  }

  /**
   * Whether the process may have run since the last call. The kernel answers that for a thread at a fraction of the cost of the stat
   * file, so it is known of processes with one thread: most are, those of the kernel too.
   */
  #hasRun(pid: number, tracked: TrackedProcess): boolean {
    const before = tracked.scheduled
    tracked.scheduled = this.#hasScheduled && tracked.stat?.threads === 1 ? this.#readScheduled(pid, tracked) : undefined
    return before === undefined || tracked.scheduled !== before
  }

  #readScheduled(pid: number, tracked: TrackedProcess): string | undefined {
    try {
      if (tracked.scheduledFd === undefined) {
        if (this.#open >= MAX_KEPT_OPEN) return undefined
        tracked.scheduledFd = openSync(`${this.#procRoot}/${pid}/schedstat`, 'r')
        this.#open++
      }
      return this.#buffer.toString('latin1', 0, readSync(tracked.scheduledFd, this.#buffer, 0, this.#buffer.length, 0))
    } catch {
      // The process ended.
      return undefined
    }
  }

  #stat(pid: number, tracked: TrackedProcess): ProcessStat | undefined {
    if (tracked.fd !== undefined) {
      const stat = this.#readStat(tracked.fd)
      if (stat) return stat
      // The process ended, and another has its pid.
      this.#close(tracked)
    }
    let fd: number
    try {
      fd = openSync(`${this.#procRoot}/${pid}/stat`, 'r')
    } catch {
      // The process ended since the listing.
      return undefined
    }
    const stat = this.#readStat(fd)
    if (stat && this.#open < MAX_KEPT_OPEN) {
      tracked.fd = fd
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

  #close(tracked: TrackedProcess): void {
    for (const fd of [tracked.fd, tracked.scheduledFd]) {
      if (fd === undefined) continue
      closeSync(fd)
      this.#open--
    }
    tracked.fd = undefined
    tracked.scheduledFd = undefined
  }

  #removeEnded(): void {
    for (const [pid, tracked] of this.#tracked) {
      if (tracked.reading === this.#reading) continue
      this.#close(tracked)
      this.#tracked.delete(pid)
    }
  }

  #measure(pid: number, stat: ProcessStat, tracked: TrackedProcess, elapsedMs: number, cores: number): MeasuredProcess {
    // A new process used all of its CPU time since the last reading.
    const before = tracked.startTicks === stat.startTicks ? tracked.cpuTicks : 0
    tracked.startTicks = stat.startTicks
    tracked.cpuTicks = stat.cpuTicks
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
