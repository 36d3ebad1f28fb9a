import { statfs } from 'node:fs'
import { cpus, freemem, loadavg, networkInterfaces, totalmem } from 'node:os'
import type { Filesystem } from '@vedette/shared'
import { HOUR_MS } from '@vedette/shared/durations'
import { type Clock, settlesWithin } from '../../process/clock.ts'
import { type Measured, toGroup } from '../numbers/precision.ts'
import { cpuPercents, type CpuTicks } from '../linux/cpu.ts'
import { type BlockCounts, toFilesystem } from '../linux/filesystems.ts'
import { NetworkRates } from '../network-rates.ts'
import { type Reading, type Sampler, toValues } from '../sampler.ts'
import type { SystemInformation } from './systeminformation.ts'
import { BackgroundCall } from './background-call.ts'
import { physicalNames, toCounters, toFilesystems, toMemory } from './readings.ts'

const STATFS_WAIT_MS = 300
/**
 * Each call of systeminformation starts programs (macOS) or uses a persistent PowerShell (Windows), so it runs once per minute and is
 * abandoned if it takes longer.
 */
const PACE = { everyMs: 60_000, limitMs: 50_000 }
/** Listing the interfaces is the most expensive call, and they seldom change. */
const INTERFACES_PACE = { everyMs: HOUR_MS, limitMs: 50_000 }
/** Rates are over the minute between two calls, whatever the sample interval. */
const MAX_RATE_GAP_MS = 3 * PACE.everyMs

export interface PortableDeps {
  clock: Clock
  platform: 'darwin' | 'win32'
  load: () => Promise<SystemInformation>
  /** Names of the interfaces; default: those of Node. */
  names?: () => string[]
}

/**
 * macOS and Windows: CPU, load and everything else that Node provides in every sample; the rest through systeminformation once per
 * minute in the background. No disk rates and no TCP: systeminformation has none on Windows and parses those of macOS by position.
 * What could not be read is absent.
 */
export function createPortableSampler({ clock, platform, load, names: nodeNames = namesOfNode }: PortableDeps): Sampler {
  const cpu = new NodeCpu(clock, platform)
  const root = new RootFilesystem(clock)
  const network = new NetworkRates()
  let library: Promise<SystemInformation> | undefined
  let isClosed = false
  const opened = () => (library ??= open())
  async function open(): Promise<SystemInformation> {
    const loaded = await load()
    if (platform === 'win32' && !isClosed) loaded.powerShellStart()
    return loaded
  }
  /** Abandons a PowerShell that does not respond; the next call starts another. */
  const replaceShell = () => {
    if (platform === 'win32') void library?.then((loaded) => loaded.powerShellRelease())
    library = undefined
  }
  const paced = <T>(pace: typeof PACE, call: (loaded: SystemInformation) => Promise<T | undefined>) =>
    new BackgroundCall(clock, pace, async () => call(await opened()), replaceShell)

  const memory = paced(PACE, async (loaded) => toMemory(await loaded.mem()))
  const drives = paced(PACE, async (loaded) => toFilesystems(await loaded.fsSize()))
  const names = paced(INTERFACES_PACE, async (loaded) => physicalNames(await loaded.networkInterfaces()))
  let chosen: string[] = []
  const counters = paced(PACE, async (loaded) =>
    chosen.length > 0 ? toCounters(await loaded.networkStats(chosen.join(','))) : undefined,
  )

  const startCalls = () => {
    // On macOS Node's names identify the devices; on Windows they do not.
    if (platform === 'darwin') chosen = nodeNames().filter((name) => /^en\d+$/.test(name))
    else names.start()
    chosen = names.take()?.value ?? chosen
    memory.start()
    if (platform === 'win32') drives.start()
    if (chosen.length > 0) counters.start()
  }

  return {
    prime: () => void cpu.read(Number.MAX_SAFE_INTEGER),
    read: async (maxGapMs): Promise<Reading> => {
      startCalls()
      const memoryReading = memory.take()?.value
      const counterReading = counters.take()
      const { totals, interfaces } = counterReading
        ? network.update(counterReading.value, counterReading.atMs, MAX_RATE_GAP_MS)
        : {}
      const fromDrives = drives.take()?.value
      const filesystem = platform === 'darwin' ? await root.read() : undefined
      const filesystems = fromDrives ?? (filesystem ? [filesystem] : undefined)
      const groups = {
        cpu: cpu.read(maxGapMs),
        memory: toGroup('memory', { ...nodeMemory(platform), ...memoryReading }),
        disk: toGroup('disk', { usage_percent: filesystems && Math.max(...filesystems.map(({ percent }) => percent)) }),
        network: totals && toGroup('network', totals),
      }
      return {
        values: toValues(groups),
        ...(filesystems && { filesystems }),
        ...(interfaces && { interfaces }),
      }
    },
    staleMounts: () => (root.hasPendingCall ? ['/'] : []),
    hasPendingCall: () => root.hasPendingCall,
    close: () => {
      isClosed = true
      if (platform === 'win32') void library?.then((loaded) => loaded.powerShellRelease())
    },
  }
}

const namesOfNode = () => Object.keys(networkInterfaces())

/** Node's free memory is the available memory on Windows; on macOS it excludes reclaimable memory. */
function nodeMemory(platform: 'darwin' | 'win32'): Measured<'memory'> {
  const total = totalmem()
  if (platform === 'darwin') return { total_bytes: total }
  const used = total - freemem()
  return { used_bytes: used, total_bytes: total, percent: (used * 100) / total }
}

/** Owns the baseline of processor times. */
class NodeCpu {
  readonly #clock: Clock
  readonly #platform: 'darwin' | 'win32'
  #previous: { ticks: CpuTicks; atMs: number } | undefined

  constructor(clock: Clock, platform: 'darwin' | 'win32') {
    this.#clock = clock
    this.#platform = platform
  }

  read(maxGapMs: number) {
    const atMs = this.#clock.monotonicMs()
    const all = cpus()
    const ticks = { user: 0, nice: 0, system: 0, idle: 0, iowait: 0, irq: 0, softirq: 0, steal: 0 }
    for (const { times } of all) {
      ticks.user += times.user
      ticks.nice += times.nice
      ticks.system += times.sys
      ticks.idle += times.idle
      ticks.irq += times.irq
    }
    const before = this.#previous && atMs - this.#previous.atMs <= maxGapMs ? this.#previous.ticks : undefined
    this.#previous = { ticks, atMs }
    // Node has no iowait and steal here: they are absent, not 0.
    const { percent, user_percent, system_percent } = cpuPercents(before, ticks)
    const [load_1, load_5, load_15] = loadavg()
    // Windows has no load average: Node returns 0.
    const loads = this.#platform === 'darwin' ? { load_1, load_5, load_15 } : {}
    return toGroup('cpu', { percent, user_percent, system_percent, cores: all.length, ...loads })
  }
}

/** The system volume, one call at a time. */
class RootFilesystem {
  readonly #clock: Clock
  hasPendingCall = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async read(): Promise<Filesystem | undefined> {
    if (this.hasPendingCall) return undefined
    this.hasPendingCall = true
    const { promise, resolve } = Promise.withResolvers<BlockCounts | undefined>()
    statfs('/', (error, counts) => {
      this.hasPendingCall = false
      resolve(error ? undefined : counts)
    })
    if (!(await settlesWithin(this.#clock, promise, STATFS_WAIT_MS))) return undefined
    const counts = await promise
    return counts && toFilesystem({ path: '/', fsType: 'apfs', device: '/' }, counts)
  }
}
