import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts the CPU time that it shows in hundredths of a second, whatever the kernel's own tick. */
const TICKS_PER_SECOND = 100

interface Stat {
  pid: number
  parent: number
  /** CPU seconds of the process itself, all threads. */
  own: number
  /** CPU seconds of its children that have ended. */
  ended: number
}

function readStat(pid: number): Stat | undefined {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    // Ended since the folder was listed: its parent counts it from now on.
    return undefined
  }
  // The name stands in parentheses and may hold anything, blanks included.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const seconds = (first: number) => (Number(fields[first]) + Number(fields[first + 1])) / TICKS_PER_SECOND
  return { pid, parent: Number(fields[1]), own: seconds(11), ended: seconds(13) }
}

/** The process and all that it started, and what those started. */
export function treeOf(root: number): number[] {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readStat(Number(name)) ?? []) : []))
  const tree = [root]
  for (const pid of tree) tree.push(...all.filter(({ parent }) => parent === pid).map(({ pid }) => pid))
  return tree
}

/** CPU seconds of one process with its threads, without its children. */
export function cpuOf(pid: number): number {
  return readStat(pid)?.own ?? 0
}

/** CPU seconds of a process and of every child that it has or had. */
export function cpuOfTree(root: number): number {
  return treeOf(root).reduce((sum, pid) => {
    const stat = readStat(pid)
    return sum + (stat ? stat.own + stat.ended : 0)
  }, 0)
}

/**
 * CPU seconds of the threads that a process has now, to the nanosecond: the ticks of `stat` are as long as ten samples of an agent.
 * Without its children and the threads that have ended.
 */
export function exactCpuOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  const nanoseconds = threads.map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]))
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e9
}

/** How often the threads that these processes have now went to sleep and were woken again; what has ended since counts for nothing. */
export function wakeUpsOf(pids: readonly number[]): number {
  const statusesOf = (pid: number) =>
    readdirSync(`/proc/${pid}/task`).map((thread) => readFileSync(`/proc/${pid}/task/${thread}/status`, 'latin1'))
  const wakeUpsIn = (status: string) => Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1] ?? 0)
  return pids.flatMap(statusesOf).reduce((sum, status) => sum + wakeUpsIn(status), 0)
}

export interface MemoryMb {
  /** All pages that are present, shared ones in full. */
  rss: number
  /** Shared pages by their share: the one number that may be added up over processes. */
  pss: number
  /** What is the process's own and came from no file. */
  anonymous: number
}

/** Memory of these processes, summed; only `pss` and `anonymous` mean something for more than one. */
export function memoryOf(pids: readonly number[]): MemoryMb {
  const total: MemoryMb = { rss: 0, pss: 0, anonymous: 0 }
  for (const pid of pids) {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    const mb = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(rollup)?.[1] ?? 0) / 1024
    total.rss += mb('Rss')
    total.pss += mb('Pss')
    total.anonymous += mb('Anonymous')
  }
  return { rss: round(total.rss), pss: round(total.pss), anonymous: round(total.anonymous) }
}

/** To one decimal. */
export const round = (value: number): number => Math.round(value * 10) / 10

/** To two decimals. */
export const round2 = (value: number): number => Math.round(value * 100) / 100

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}
