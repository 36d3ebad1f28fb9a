import { roundPercent, roundRate } from '../../samplers/numbers/precision.ts'
import { type DeviceRates, type DeviceReading, deviceRates, ratePerSecond, sumRates } from '../../samplers/numbers/rates.ts'
import { inside, listIn, numberIn, textIn } from './api.ts'

/** What a container used since it started, and holds now. */
export interface Counters {
  /** On the monotonic clock. */
  atMs: number
  cpuSeconds: number | undefined
  /** Without the page cache. */
  memoryBytes: number | undefined
  oomKills: number | undefined
  /** Read and written bytes by device; one appears with its first byte. Undefined if they cannot be read. */
  disks: DeviceReading['devices'] | undefined
  /** Received and sent bytes by interface. */
  interfaces: DeviceReading['devices']
}

/** The fields of a container that come from its counters; what is unknown is left out. */
export function toUsage(
  previous: Counters | undefined,
  current: Counters,
  /** `available.memoryBytes`: its limit, else that of the host. */
  available: { maxGapMs: number; cores: number; memoryBytes: number },
): Record<string, number> {
  const { atMs, cpuSeconds, memoryBytes, oomKills } = current
  const { maxGapMs, cores } = available
  const cpuRate =
    cpuSeconds === undefined || previous?.cpuSeconds === undefined
      ? undefined
      : ratePerSecond({ total: previous.cpuSeconds, atMs: previous.atMs }, { total: cpuSeconds, atMs }, maxGapMs)
  const disks = diskRates(previous, current, maxGapMs)
  const interfaces = deviceRates(
    previous && { atMs: previous.atMs, devices: previous.interfaces },
    { atMs, devices: current.interfaces },
    maxGapMs,
  )
  return withoutUnknown({
    cpu_percent: cpuRate === undefined ? undefined : roundPercent(Math.min(100, (cpuRate * 100) / cores)),
    memory_bytes: memoryBytes,
    memory_percent: memoryBytes === undefined ? undefined : roundPercent((memoryBytes * 100) / available.memoryBytes),
    network_rx_bytes_per_sec: rounded(sumRates(interfaces, 0)),
    network_tx_bytes_per_sec: rounded(sumRates(interfaces, 1)),
    read_bytes_per_sec: rounded(disks && sumRates(disks, 0)),
    write_bytes_per_sec: rounded(disks && sumRates(disks, 1)),
    oom_kills: oomKills,
  })
}

const NO_DISK = 'none'
const NO_BYTES = [0, 0] as const

/** A container that has not used a disk has no line of it, which is a rate of 0. */
function diskRates(previous: Counters | undefined, current: Counters, maxGapMs: number): DeviceRates | undefined {
  if (!previous?.disks || !current.disks) return undefined
  const { atMs, disks } = previous
  const rateOf = (before: readonly number[], totals: readonly number[]) =>
    totals.map((total, index) => ratePerSecond({ total: before[index] ?? 0, atMs }, { total, atMs: current.atMs }, maxGapMs))
  const rates: DeviceRates = new Map([[NO_DISK, rateOf(NO_BYTES, NO_BYTES)]])
  for (const [device, totals] of current.disks) rates.set(device, rateOf(disks.get(device) ?? NO_BYTES, totals))
  return rates
}

const rounded = (rate: number | undefined): number | undefined => (rate === undefined ? undefined : roundRate(rate))

export function withoutUnknown(values: Record<string, number | undefined>): Record<string, number> {
  const known: Record<string, number> = {}
  for (const name of Object.keys(values)) {
    const value = values[name]
    if (value !== undefined && Number.isFinite(value)) known[name] = value
  }
  return known
}

/** The counters in an answer of `/containers/:id/stats`. */
export function parseStats(json: unknown, atMs: number): Counters {
  const cpuNanoseconds = numberIn(json, 'cpu_stats', 'cpu_usage', 'total_usage')
  const used = numberIn(json, 'memory_stats', 'usage')
  const details = inside(json, 'memory_stats', 'stats')
  const cache = numberIn(details, 'inactive_file') ?? numberIn(details, 'total_inactive_file') ?? 0
  return {
    atMs,
    cpuSeconds: cpuNanoseconds === undefined ? undefined : cpuNanoseconds / 1e9,
    memoryBytes: used === undefined ? undefined : Math.max(0, used - cache),
    oomKills: undefined,
    disks: parseDisks(json),
    interfaces: new Map(
      Object.entries(inside(json, 'networks') ?? {}).map(([name, counters]: [string, unknown]) => [
        name,
        [numberIn(counters, 'rx_bytes') ?? Number.NaN, numberIn(counters, 'tx_bytes') ?? Number.NaN],
      ]),
    ),
  }
}

/** Null where the engine cannot read them. */
function parseDisks(json: unknown): Map<string, [number, number]> | undefined {
  if (!Array.isArray(inside(json, 'blkio_stats', 'io_service_bytes_recursive'))) return undefined
  const disks = new Map<string, [number, number]>()
  for (const entry of listIn(json, 'blkio_stats', 'io_service_bytes_recursive')) {
    const device = `${numberIn(entry, 'major')}:${numberIn(entry, 'minor')}`
    const totals = disks.get(device) ?? [0, 0]
    const index = ['read', 'write'].indexOf(textIn(entry, 'op').toLowerCase())
    if (index >= 0) totals[index as 0 | 1] = numberIn(entry, 'value') ?? 0
    disks.set(device, totals)
  }
  return disks
}
