import { type Measured, toGroup } from '../numbers/precision.ts'
import { parseNumbers } from './text.ts'

/** Ticks since boot, summed over all processors; guest time is part of user and nice already. */
export interface CpuTicks {
  user: number
  nice: number
  system: number
  idle: number
  iowait: number
  irq: number
  softirq: number
  steal: number
}

export interface CpuReading {
  ticks: CpuTicks
  /** Processors online. */
  cores: number
}

/** Parses /proc/stat. Undefined if its first line is unexpected. Kernels before 2.6.11 have no steal: it counts as 0. */
export function parseStat(text: string): CpuReading | undefined {
  if (!text.startsWith('cpu ')) return undefined
  const lineEnd = text.indexOf('\n')
  const [user, nice, system, idle, iowait = 0, irq = 0, softirq = 0, steal = 0] = parseNumbers(text, 4, lineEnd)
  if (user === undefined || nice === undefined || system === undefined || idle === undefined) return undefined
  let cores = 0
  let position = lineEnd + 1
  while (text.startsWith('cpu', position)) {
    cores++
    position = text.indexOf('\n', position) + 1
    if (position === 0) break
  }
  return { ticks: { user, nice, system, idle, iowait, irq, softirq, steal }, cores }
}

/**
 * Percentages of the whole machine between two readings: idle and iowait are idle, steal is busy. Empty on the first reading and
 * if idle or busy time decreased (CPU hot-plug, restored host): the newer reading is the new baseline.
 */
export function cpuPercents(previous: CpuTicks | undefined, current: CpuTicks): Measured<'cpu'> {
  if (!previous) return {}
  if (current.idle < previous.idle || current.user < previous.user || current.system < previous.system) return {}
  // According to the kernel's documentation iowait and similar times may decrease slightly: that is noise, not a reset.
  const grown = (name: keyof CpuTicks) => Math.max(0, current[name] - previous[name])
  const user = grown('user') + grown('nice')
  const system = grown('system') + grown('irq') + grown('softirq')
  const iowait = grown('iowait')
  const steal = grown('steal')
  const busy = user + system + steal
  const total = busy + iowait + grown('idle')
  if (total === 0) return {}
  const percent = (part: number) => (part * 100) / total
  return {
    percent: percent(busy),
    user_percent: percent(user),
    system_percent: percent(system),
    iowait_percent: percent(iowait),
    steal_percent: percent(steal),
  }
}

/** Parses /proc/loadavg. */
export function parseLoadavg(text: string): Measured<'cpu'> {
  const [load1, load5, load15] = text.split(' ', 3).map(Number.parseFloat)
  return { load_1: load1, load_5: load5, load_15: load15 }
}

/** Turns readings of the two files into the cpu group; owns the baseline. A gap longer than `maxGapMs` gives no percentages. */
export class CpuSampler {
  #previous: { ticks: CpuTicks; atMs: number } | undefined

  read(statText: string | undefined, loadavgText: string | undefined, atMs: number, maxGapMs: number) {
    const reading = statText === undefined ? undefined : parseStat(statText)
    const previous = this.#previous
    this.#previous = reading && { ticks: reading.ticks, atMs }
    const isFresh = previous !== undefined && atMs - previous.atMs <= maxGapMs
    return toGroup('cpu', {
      ...(reading && cpuPercents(isFresh ? previous.ticks : undefined, reading.ticks)),
      cores: reading && reading.cores > 0 ? reading.cores : undefined,
      ...(loadavgText === undefined ? {} : parseLoadavg(loadavgText)),
    })
  }
}
