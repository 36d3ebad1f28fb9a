import type { Process } from '@vedette/shared'
import { MAX_PROCESS_NAME_LENGTH, TOP_PROCESSES } from '@vedette/shared/metrics/limits'
import { roundPercent } from './numbers/precision.ts'

export interface MeasuredProcess {
  pid: number
  name: string
  /** Percent of the whole machine. */
  cpuPercent: number | undefined
  memoryBytes: number | undefined
}

/** The processes with the highest CPU use, then those with the highest memory use. Processes that use neither are left out. */
export function topProcesses(all: readonly MeasuredProcess[]): Process[] {
  const byCpu = largest(all, ({ cpuPercent }) => cpuPercent ?? 0)
  const byMemory = largest(all, ({ memoryBytes }) => memoryBytes ?? 0)
  return [...new Set([...byCpu, ...byMemory])].map(({ pid, name, cpuPercent, memoryBytes }) => ({
    pid,
    name: toName(name),
    cpu_percent: cpuPercent === undefined ? null : roundPercent(Math.min(100, cpuPercent)),
    memory_bytes: memoryBytes ?? null,
  }))
}

/** The largest first, ties by pid. In one pass, because few of hundreds are needed. */
function largest(all: readonly MeasuredProcess[], measure: (process: MeasuredProcess) => number): MeasuredProcess[] {
  const top: MeasuredProcess[] = []
  const isLarger = (process: MeasuredProcess, value: number, other: MeasuredProcess) =>
    value > measure(other) || (value === measure(other) && process.pid < other.pid)
  let least = 0
  // By index: an iterator makes garbage for each process.
  for (let index = 0; index < all.length; index++) {
    const process = all[index] as MeasuredProcess
    const value = measure(process)
    if (value <= 0 || (top.length === TOP_PROCESSES && value < least)) continue
    let at = top.length
    while (at > 0 && isLarger(process, value, top[at - 1] as MeasuredProcess)) at--
    top.splice(at, 0, process)
    if (top.length > TOP_PROCESSES) top.pop()
    least = measure(top[top.length - 1] as MeasuredProcess)
  }
  return top
}

/** A process may set any name, including terminal control codes. */
function toName(name: string): string {
  const printable = name.toWellFormed().replaceAll(/\p{Cc}/gu, '?')
  return Array.from(printable).slice(0, MAX_PROCESS_NAME_LENGTH).join('') || '?'
}
