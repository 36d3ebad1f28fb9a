import { statfs } from 'node:fs'
import { cpus, freemem, loadavg, networkInterfaces, totalmem } from 'node:os'
import type { Filesystem, NetworkInterface } from '@vedette/shared'
import { MAX_INTERFACES } from '@vedette/shared/metrics/limits'
import { type Clock, settlesWithin } from '../../clock.ts'
import { type Measured, roundRate, toGroup } from '../../precision.ts'
import { type DeviceReading, deviceRates, sumRates } from '../../rates.ts'
import { cpuPercents, type CpuTicks } from '../linux/cpu.ts'
import { type BlockCounts, toFilesystem } from '../linux/filesystems.ts'
import type { Reading, Sampler } from '../sampler.ts'
import type { Library } from './library.ts'
import { PacedCall } from './paced-call.ts'
import { physicalNames, toCounters, toFilesystems, toMemory } from './readings.ts'

const STATFS_WAIT_MS = 300
/**
 * Each call of the library starts programs (macOS) or asks a PowerShell that stays (Windows): once a minute is what that can
 * bear. A call that has not come back by then is given up.
 */
const PACE = { everyMs: 60_000, limitMs: 50_000 }
/** Which interfaces there are is the dearest question of all, and seldom has a new answer. */
const INTERFACES_PACE = { everyMs: 3_600_000, limitMs: 50_000 }
/** Two calls a minute apart have a rate over that minute, whatever the interval of samples. */
const MAX_RATE_GAP_MS = 3 * PACE.everyMs

export interface PortableDeps {
  clock: Clock
  platform: 'darwin' | 'win32'
  load: () => Promise<Library>
  /** Of the interfaces that Node knows. */
  names?: () => string[]
}

/**
 * macOS and Windows: processors, load and what else Node itself tells in every sample; the rest through systeminformation once
 * a minute, beside the path of samples. Disk rates and TCP are left out: the library has none on Windows and takes those of
 * macOS by their position in a text. What it could not read is absent.
 */
export function createPortableSampler({ clock, platform, load, names: nodeNames = namesOfNode }: PortableDeps): Sampler {
  const cpu = new NodeCpu(clock, platform)
  const root = new RootFilesystem(clock)
  const network = new PacedNetwork()
  let library: Promise<Library> | undefined
  let isClosed = false
  const opened = () => (library ??= open())
  async function open(): Promise<Library> {
    const loaded = await load()
    if (platform === 'win32' && !isClosed) loaded.powerShellStart()
    return loaded
  }
  /** A shell that does not answer is left to end, and the next call has a new one. */
  const renewShell = () => {
    if (platform === 'win32') void library?.then((loaded) => loaded.powerShellRelease())
    library = undefined
  }
  const paced = <T>(pace: typeof PACE, call: (loaded: Library) => Promise<T | undefined>) =>
    new PacedCall(clock, pace, async () => call(await opened()), renewShell)

  const memory = paced(PACE, async (loaded) => toMemory(await loaded.mem()))
  const drives = paced(PACE, async (loaded) => toFilesystems(await loaded.fsSize()))
  const names = paced(INTERFACES_PACE, async (loaded) => physicalNames(await loaded.networkInterfaces()))
  let chosen: string[] = []
  const counters = paced(PACE, async (loaded) =>
    chosen.length > 0 ? toCounters(await loaded.networkStats(chosen.join(','))) : undefined,
  )

  const startCalls = () => {
    // Node asks macOS for the names without a program; Windows has no names that tell a device.
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
      const told = memory.take()?.value
      const read = counters.take()
      const { totals, interfaces } = read ? network.read(read.value, read.atMs) : {}
      const fromDrives = drives.take()?.value
      const filesystem = platform === 'darwin' ? await root.read() : undefined
      const filesystems = fromDrives ?? (filesystem ? [filesystem] : undefined)
      const groups = {
        cpu: cpu.read(maxGapMs),
        memory: toGroup('memory', { ...nodeMemory(platform), ...told }),
        disk: toGroup('disk', { usage_percent: filesystems && Math.max(...filesystems.map(({ percent }) => percent)) }),
        network: totals && toGroup('network', totals),
      }
      return {
        values: Object.fromEntries(Object.entries(groups).filter(([, group]) => group !== undefined)),
        ...(filesystems && { filesystems }),
        ...(interfaces && { interfaces }),
      }
    },
    staleMounts: () => (root.isAsking ? ['/'] : []),
    hasCallOut: () => root.isAsking,
    close: () => {
      isClosed = true
      if (platform === 'win32') void library?.then((loaded) => loaded.powerShellRelease())
    },
  }
}

const namesOfNode = () => Object.keys(networkInterfaces())

/** Node's free memory is what programs can get on Windows; on macOS it leaves out what the kernel would give back. */
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
    // Node knows nothing of waiting for disks and of stolen time here: they are left out, not zero.
    const { percent, user_percent, system_percent } = cpuPercents(before, ticks)
    const [load_1, load_5, load_15] = loadavg()
    // Windows has no load: Node says 0.
    const loads = this.#platform === 'darwin' ? { load_1, load_5, load_15 } : {}
    return toGroup('cpu', { percent, user_percent, system_percent, cores: all.length, ...loads })
  }
}

/** The volume of the system, one call at a time. */
class RootFilesystem {
  readonly #clock: Clock
  isAsking = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async read(): Promise<Filesystem | undefined> {
    if (this.isAsking) return undefined
    this.isAsking = true
    const { promise, resolve } = Promise.withResolvers<BlockCounts | undefined>()
    statfs('/', (error, counts) => {
      this.isAsking = false
      resolve(error ? undefined : counts)
    })
    if (!(await settlesWithin(this.#clock, promise, STATFS_WAIT_MS))) return undefined
    const counts = await promise
    return counts && toFilesystem({ path: '/', fsType: 'apfs', device: '/' }, counts)
  }
}

/** Owns the baseline of interface counters. */
class PacedNetwork {
  #previous: DeviceReading | undefined

  read(devices: Map<string, number[]>, atMs: number): { totals: Measured<'network'>; interfaces: NetworkInterface[] } {
    const current = { atMs, devices }
    const rates = deviceRates(this.#previous, current, MAX_RATE_GAP_MS)
    this.#previous = current
    const interfaces = [...devices.keys()].slice(0, MAX_INTERFACES).map((name) => {
      const [received, sent] = rates.get(name) ?? []
      const rounded = (rate: number | undefined) => (rate === undefined ? null : roundRate(rate))
      return { name, rx_bytes_per_sec: rounded(received), tx_bytes_per_sec: rounded(sent) }
    })
    const totals = {
      rx_bytes_per_sec: sumRates(rates, 0),
      tx_bytes_per_sec: sumRates(rates, 1),
      rx_errors_per_sec: sumRates(rates, 2),
      tx_errors_per_sec: sumRates(rates, 3),
    }
    return { totals, interfaces }
  }
}
