import { statfs } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { type Clock, settlesWithin } from '../clock.ts'
import { toGroup } from '../precision.ts'
import { type BlockCounts, toFilesystem } from './linux/filesystems.ts'
import { cpuPercents, type CpuTicks } from './linux/cpu.ts'
import type { Reading, Sampler } from './sampler.ts'

const STATFS_WAIT_MS = 300

/**
 * What Node itself tells on macOS, until that system has readers of its own: processor shares, load, memory size, the fill of
 * the root filesystem. Memory in use is left out: Node's free memory there does not count what the kernel gives back.
 */
export function createPortableSampler(clock: Clock): Sampler {
  let previous: { ticks: CpuTicks; atMs: number } | undefined
  let isAsking = false

  const readCpu = (maxGapMs: number) => {
    const atMs = clock.monotonicMs()
    const all = cpus()
    const ticks = { user: 0, nice: 0, system: 0, idle: 0, iowait: 0, irq: 0, softirq: 0, steal: 0 }
    for (const { times } of all) {
      ticks.user += times.user
      ticks.nice += times.nice
      ticks.system += times.sys
      ticks.idle += times.idle
      ticks.irq += times.irq
    }
    const before = previous && atMs - previous.atMs <= maxGapMs ? previous.ticks : undefined
    previous = { ticks, atMs }
    // Node knows nothing of waiting for disks and of stolen time here: they are left out, not zero.
    const { percent, user_percent, system_percent } = cpuPercents(before, ticks)
    const [load_1, load_5, load_15] = loadavg()
    return toGroup('cpu', { percent, user_percent, system_percent, cores: all.length, load_1, load_5, load_15 })
  }

  const readRoot = async () => {
    if (isAsking) return undefined
    isAsking = true
    const { promise, resolve } = Promise.withResolvers<BlockCounts | undefined>()
    statfs('/', (error, counts) => {
      isAsking = false
      resolve(error ? undefined : counts)
    })
    if (!(await settlesWithin(clock, promise, STATFS_WAIT_MS))) return undefined
    const counts = await promise
    return counts && toFilesystem({ path: '/', fsType: 'apfs', device: '/' }, counts)
  }

  return {
    prime: () => void readCpu(Number.MAX_SAFE_INTEGER),
    read: async (maxGapMs): Promise<Reading> => {
      const cpu = readCpu(maxGapMs)
      const memory = toGroup('memory', { total_bytes: totalmem() })
      const filesystem = await readRoot()
      const disk = toGroup('disk', { usage_percent: filesystem?.percent })
      return {
        values: { ...(cpu && { cpu }), ...(memory && { memory }), ...(disk && { disk }) },
        ...(filesystem && { filesystems: [filesystem] }),
      }
    },
    staleMounts: () => (isAsking ? ['/'] : []),
    hasCallOut: () => isAsking,
    close: () => undefined,
  }
}
