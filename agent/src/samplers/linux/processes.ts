import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import type { Process } from '@vedette/shared'
import { type Clock, yieldToEventLoop } from '../../process/clock.ts'
import { type MeasuredProcess, topProcesses } from '../top-processes.ts'

/** After this time the event loop gets a turn: nothing may block it for 5 ms. */
export const SLICE_MS = 2
/** The clock is read each so many processes, which take less than a tenth of a slice. */
export const CLOCK_EVERY = 8
/** What begins with a digit in /proc is a process. */
const DIGIT_NINE = 57
/** Above this many processes the reading is too expensive. */
export const PROCESS_CEILING = 10_000

export interface ProcessStat {
  name: string
  /** It has ended, and its parent does not know yet. */
  isZombie: boolean
  /** CPU time since its start, without its children. */
  cpuTicks: number
  /** Start in ticks after the boot: with the pid it identifies a process. */
  startTicks: number
  residentPages: number
}

/** Parses /proc/<pid>/stat; undefined if malformed. The name is in parentheses and may contain some itself. */
export function parseProcessStat(text: string): ProcessStat | undefined {
  const open = text.indexOf('(')
  const close = text.lastIndexOf(')')
  if (open < 0 || close < open) return undefined
  const fields = text.slice(close + 2).split(' ', 22)
  const cpuTicks = Number(fields[11]) + Number(fields[12])
  const startTicks = Number(fields[19])
  const residentPages = Number(fields[21])
  if (!Number.isFinite(cpuTicks + startTicks + residentPages)) return undefined
  return { name: text.slice(open + 1, close), isZombie: fields[0] === 'Z', cpuTicks, startTicks, residentPages }
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
/** A quiet process is read each so many readings, unless the machine used more CPU time than is explained. */
const QUIET_READINGS = 5
/** Of one core: a process that used more is not quiet. */
const QUIET_SHARE = 0.001
/** How much CPU time may be unexplained, of one core. */
const UNEXPLAINED_SHARE = 0.01
/** The kernel keeps this much of a command name. */
const NAME_BYTES = 15

/** State of a process since its last reading; a field that is not known yet is undefined. */
export interface TrackedProcess extends MeasuredProcess {
  /** Its stat file if kept open; it belongs to this process even if the pid is reused. */
  fd: number | undefined
  /** With the pid it identifies a process. */
  startTicks: number
  cpuTicks: number
  /** CPU time between its last two readings. */
  usedTicks: number
  /** It used so little that it is not read each time. */
  isQuiet: boolean
  /** Whether this reading read it; else its figures are those of its last one. */
  isNew: boolean
  isZombie: boolean
  /** Its name as the kernel keeps it, the workers of the kernel under one. */
  command: string
  readAtMs: number | undefined
  /** CPU time per millisecond between its last two readings, in ticks. */
  ticksPerMs: number
  /** Number of the last reading that listed it. */
  reading: number
}

/** Reads command names, CPU and memory of processes, no arguments. Owns the baseline. */
export class ProcessSampler {
  readonly #clock: Clock
  readonly #procRoot: string
  readonly #units: { pageBytes: number; ticksPerSecond: number }
  readonly #buffer = Buffer.allocUnsafe(4_096)
  /** Updated in place: rebuilding it at each reading makes garbage that only a full collection frees. */
  readonly #tracked = new Map<number, TrackedProcess>()
  /** Those of the newest reading. */
  #listed: TrackedProcess[] = []
  #reading = 0
  #open = 0
  #updates = 0
  #previousMs: number | undefined
  #previousBusyTicks = Number.NaN
  #sliceEndMs = 0

  constructor(clock: Clock, procRoot: string) {
    this.#clock = clock
    this.#procRoot = procRoot
    this.#units = parseAuxv(readAuxv(procRoot))
  }

  /**
   * Undefined if the host hides the processes of others or has too many. `cores` is the number of cores of the machine, `busyTicks`
   * the CPU time of all its processes since the boot; without it all processes are read. A quiet process that is not read counts as
   * using what it used before; together they are off by at most the unexplained share.
   */
  async read(cores: number, busyTicks = Number.NaN): Promise<Process[] | undefined> {
    const pids = listPids(this.#procRoot)
    if (!pids) return undefined
    const atMs = this.#clock.monotonicMs()
    const elapsedMs = this.#previousMs === undefined ? 0 : atMs - this.#previousMs
    this.#reading++
    this.#sliceEndMs = atMs + SLICE_MS
    this.#listed = pids.map((name) => this.#track(Number(name)))
    const quiet: TrackedProcess[] = []
    let unexplained = busyTicks - this.#previousBusyTicks
    // By index here and below: an iterator makes garbage for each process, and nothing compiles it away.
    for (let index = 0; index < this.#listed.length; index++) {
      const tracked = this.#listed[index] as TrackedProcess
      if (tracked.isQuiet && (this.#reading + tracked.pid) % QUIET_READINGS !== 0) {
        tracked.isNew = false
        tracked.cpuPercent ??= 0
        unexplained -= tracked.ticksPerMs * elapsedMs
        quiet.push(tracked)
        continue
      }
      this.#update(tracked, atMs, cores)
      // Of a quiet one whose turn it is, only what falls to this interval.
      unexplained -= tracked.ticksPerMs * elapsedMs
      if (this.#isSliceOver()) await this.#beginSlice()
    }
    const isExplained = Math.abs(unexplained) <= this.#ticksOf(elapsedMs) * UNEXPLAINED_SHARE
    for (let index = isExplained ? quiet.length : 0; index < quiet.length; index++) {
      this.#update(quiet[index] as TrackedProcess, atMs, cores)
      if (this.#isSliceOver()) await this.#beginSlice()
    }
    this.#previousMs = atMs
    this.#previousBusyTicks = busyTicks
    this.#removeEnded()
    return topProcesses(this.#listed)
  }

  /** All of the newest reading. */
  all(): readonly Readonly<TrackedProcess>[] {
    return this.#listed
  }

  #track(pid: number): TrackedProcess {
    let tracked = this.#tracked.get(pid)
    if (!tracked) {
      tracked = {
        pid,
        name: '',
        cpuPercent: undefined,
        memoryBytes: undefined,
        fd: undefined,
        startTicks: 0,
        cpuTicks: 0,
        usedTicks: 0,
        isQuiet: false,
        isNew: true,
        isZombie: false,
        command: '',
        readAtMs: this.#previousMs,
        ticksPerMs: 0,
        reading: 0,
      }
      this.#tracked.set(pid, tracked)
    }
    tracked.reading = this.#reading
    return tracked
  }

  #isSliceOver(): boolean {
    this.#updates++
    return this.#updates % CLOCK_EVERY === 0 && this.#clock.monotonicMs() >= this.#sliceEndMs
  }

  async #beginSlice(): Promise<void> {
    await yieldToEventLoop()
    this.#sliceEndMs = this.#clock.monotonicMs() + SLICE_MS
  }

  #update(tracked: TrackedProcess, atMs: number, cores: number): void {
    const stat = this.#stat(tracked)
    // A new process used all of its CPU time since the last reading.
    const before = tracked.startTicks === stat?.startTicks ? tracked.cpuTicks : 0
    const used = Math.max(0, (stat?.cpuTicks ?? 0) - before)
    const elapsedMs = tracked.readAtMs === undefined ? 0 : atMs - tracked.readAtMs
    const ofCore = this.#ticksOf(elapsedMs)
    tracked.cpuPercent = stat && ofCore > 0 ? (used * 100) / (ofCore * cores) : undefined
    tracked.memoryBytes = stat && stat.residentPages * this.#units.pageBytes
    tracked.usedTicks = used
    tracked.isQuiet = stat !== undefined && used <= ofCore * QUIET_SHARE
    tracked.isNew = true
    tracked.ticksPerMs = elapsedMs > 0 ? used / elapsedMs : 0
    tracked.readAtMs = atMs
    if (!stat) return
    // The same text again would keep the whole line in memory.
    if (tracked.name !== stat.name) {
      tracked.name = stat.name
      tracked.command = toCommand(familyOf(stat.name))
    }
    tracked.startTicks = stat.startTicks
    tracked.isZombie = stat.isZombie
    tracked.cpuTicks = stat.cpuTicks
  }

  /** Ticks of one core in a time. */
  #ticksOf(durationMs: number): number {
    return (durationMs / 1000) * this.#units.ticksPerSecond
  }

  #stat(tracked: TrackedProcess): ProcessStat | undefined {
    if (tracked.fd !== undefined) {
      const stat = this.#readStat(tracked.fd)
      if (stat) return stat
      // The process ended, and another has its pid.
      this.#close(tracked)
    }
    let fd: number
    try {
      fd = openSync(`${this.#procRoot}/${tracked.pid}/stat`, 'r')
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
    if (tracked.fd === undefined) return
    closeSync(tracked.fd)
    this.#open--
    tracked.fd = undefined
  }

  #removeEnded(): void {
    if (this.#tracked.size === this.#listed.length) return
    for (const [pid, tracked] of this.#tracked) {
      if (tracked.reading === this.#reading) continue
      this.#close(tracked)
      this.#tracked.delete(pid)
    }
  }
}

/** Names of some kernel threads are longer than what the kernel keeps of others. */
export const toCommand = (name: string): string => Buffer.from(name).toString('utf8', 0, NAME_BYTES)

/** Workers of the kernel are named by what they do at the moment: each name would be a process of its own for as long as figures last. */
const familyOf = (name: string): string => (name.startsWith('kworker/') ? 'kworker' : name)

/** The ids of all processes; undefined if the host hides those of others or has too many. */
export function listPids(procRoot: string): string[] | undefined {
  let pids: string[]
  try {
    pids = readdirSync(procRoot).filter((name) => name.charCodeAt(0) <= DIGIT_NINE)
  } catch {
    return undefined
  }
  // With hidepid or ProtectProc only the agent's own processes are visible: a misleading list.
  return pids.includes('1') && pids.length <= PROCESS_CEILING ? pids : undefined
}

function readAuxv(procRoot: string): Buffer {
  try {
    return readFileSync(`${procRoot}/self/auxv`)
  } catch {
    return Buffer.alloc(0)
  }
}
