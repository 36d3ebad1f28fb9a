import type { SampleValues } from '@vedette/shared'
import { type Alias, HOST_ALIASES } from './host-aliases.ts'
import type { LabelSet, ReceivedSeries } from './received.ts'

/** Points whose times are no further apart are of one sample: a collector reads one group after the other. */
const SAMPLE_MS = 1_000
/** A counter that was not read for an hour is gone, or begins again. */
const COUNTER_MS = 3_600_000

export interface HostSample {
  /** Of the newest point in it. */
  atMs: number
  values: SampleValues
}

/** What a request leaves for the next one of the same host. */
export interface HostState {
  /** The last reading of each counter, by its labels. */
  counters: ReadonlyMap<string, { atMs: number; value: number }>
  /** Those of the newest sample, which is not whole yet. */
  waiting: readonly Reading[]
}
export const NEW_HOST: HostState = { counters: new Map(), waiting: [] }

/**
 * The samples of one host in the series of a request, oldest first, and what the next request needs. Rates are absent at the first
 * reading of a counter and after a reset. Series that say nothing of a host are left out. `isCut`: one sample may come in several
 * requests, so that the newest one waits for a later one.
 */
export function toHostSamples(
  series: readonly ReceivedSeries[],
  { counters, waiting }: HostState,
  isCut = false,
): { samples: HostSample[]; state: HostState } {
  const next = new Map(counters)
  const readings = withoutRepeats([...waiting, ...series.flatMap(readingsOf)]).sort((left, right) => left.atMs - right.atMs)
  const samples: HostSample[] = []
  let kept: readonly Reading[] = []
  for (let from = 0; from < readings.length; ) {
    let to = from + 1
    while (to < readings.length && (readings[to]?.atMs ?? 0) - (readings[from]?.atMs ?? 0) <= SAMPLE_MS) to += 1
    const sample = readings.slice(from, to)
    if (isCut && to === readings.length) {
      kept = sample
      break
    }
    const values = valuesOf(partsOf(sample, next))
    if (Object.keys(values).length > 0) samples.push({ atMs: sample.at(-1)?.atMs ?? 0, values })
    from = to
  }
  const newestMs = readings.at(-1)?.atMs ?? 0
  for (const [counter, { atMs }] of next) if (atMs < newestMs - COUNTER_MS) next.delete(counter)
  return { samples, state: { counters: next, waiting: kept } }
}

interface Reading {
  atMs: number
  value: number
  part: string
  /** The processor, device or mount; empty where there is one of it. */
  of: string
  isCounter: boolean
  /** Its labels as text. */
  series: string
}

/** What is sent again while it waits is there already. */
function withoutRepeats(readings: readonly Reading[]): Reading[] {
  return [...new Map(readings.map((reading) => [`${reading.atMs} ${reading.series}`, reading])).values()]
}

function readingsOf({ labels, times, values }: ReceivedSeries): Reading[] {
  const alias = HOST_ALIASES.get(valueOf(labels, ['__name__']) ?? '')
  if (!alias || isLeftOut(alias, labels)) return []
  const part = partOf(alias, labels)
  if (part === undefined) return []
  const { isCounter } = alias
  const own = JSON.stringify(labels)
  const of = valueOf(labels, alias.of) ?? ''
  return Array.from(times, (atMs, index) => ({
    atMs,
    value: values[index] ?? Number.NaN,
    part,
    of,
    isCounter,
    series: own,
  })).filter(({ value }) => Number.isFinite(value))
}

function partOf({ labels: names, parts }: Alias, labels: LabelSet): string | undefined {
  if (typeof parts === 'string') return parts
  const value = valueOf(labels, names)
  return value !== undefined && Object.hasOwn(parts, value) ? parts[value] : undefined
}

const isLeftOut = ({ without }: Alias, labels: LabelSet): boolean =>
  without !== undefined && without.pattern.test(valueOf(labels, without.labels) ?? '')

function valueOf(labels: LabelSet, names: readonly string[]): string | undefined {
  for (const wanted of names) {
    const label = labels.find(([name]) => name === wanted)
    if (label) return label[1]
  }
  return undefined
}

/** Values by part, and in a part by what they are of. Counters are rates in it. */
type Parts = ReadonlyMap<string, ReadonlyMap<string, number>>

function partsOf(readings: readonly Reading[], state: Map<string, { atMs: number; value: number }>): Parts {
  const parts = new Map<string, Map<string, number>>()
  for (const reading of readings) {
    const value = reading.isCounter ? rateOf(reading, state) : reading.value
    if (value === undefined) continue
    const part = parts.get(reading.part) ?? new Map<string, number>()
    parts.set(reading.part, part.set(reading.of, (part.get(reading.of) ?? 0) + value))
  }
  return parts
}

function rateOf(
  { atMs, value, series: counter }: Reading,
  state: Map<string, { atMs: number; value: number }>,
): number | undefined {
  const before = state.get(counter)
  if (before && before.atMs >= atMs) return undefined
  state.set(counter, { atMs, value })
  return before && before.value <= value ? ((value - before.value) * 1_000) / (atMs - before.atMs) : undefined
}

function valuesOf(parts: Parts): SampleValues {
  const get = (part: string) => sumOf(parts.get(part))
  const groups = {
    cpu: withoutAbsent({ ...cpuOf(parts), load_1: get('load.1'), load_5: get('load.5'), load_15: get('load.15') }),
    memory: withoutAbsent({ ...memoryOf(get), ...swapOf(get) }),
    disk: withoutAbsent({
      read_iops: get('disk.reads'),
      write_iops: get('disk.writes'),
      read_throughput_bps: get('disk.read_bytes'),
      write_throughput_bps: get('disk.write_bytes'),
      usage_percent: fullestOf(parts),
    }),
    network: withoutAbsent({
      rx_bytes_per_sec: get('network.rx'),
      tx_bytes_per_sec: get('network.tx'),
      active_connections: get('tcp.established'),
      rx_errors_per_sec: get('network.rx_errors'),
      tx_errors_per_sec: get('network.tx_errors'),
    }),
    tcp: withoutAbsent({
      ...Object.fromEntries(TCP_FIELDS.map((field) => [field, get(`tcp.${field}`)])),
      retransmits_per_sec: get('tcp.retransmits'),
      resets_per_sec: get('tcp.resets'),
    }),
  }
  return Object.fromEntries(Object.entries(groups).filter(([, group]) => Object.keys(group).length > 0))
}

const TCP_FIELDS = 'established syn_sent syn_recv fin_wait time_wait close_wait last_ack listen closing'.split(' ')

const withoutAbsent = (group: Record<string, number | undefined>): Record<string, number> =>
  Object.fromEntries(Object.entries(group).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

function sumOf(part: ReadonlyMap<string, number> | undefined): number | undefined {
  if (!part) return undefined
  let sum = 0
  for (const value of part.values()) sum += value
  return sum
}

const percentOf = (share: number | undefined, total: number | undefined): number | undefined =>
  share === undefined || total === undefined || total <= 0 ? undefined : (share / total) * 100

/** Shares of all processors together; what a system does not count is absent. */
function cpuOf(parts: Parts): Record<string, number | undefined> {
  const get = (mode: string) => sumOf(parts.get(`cpu.${mode}`))
  const [user, idle, iowait, irq] = [get('user'), get('idle'), get('iowait'), get('irq')]
  const cores = get('cores') ?? parts.get('cpu.idle')?.size
  if (user === undefined || idle === undefined) return { cores }
  const system = (get('system') ?? 0) + (irq ?? 0)
  const total = user + idle + system + (iowait ?? 0) + (get('steal') ?? 0)
  return {
    percent: percentOf(total - idle - (iowait ?? 0), total),
    user_percent: percentOf(user, total),
    system_percent: percentOf(system, total),
    iowait_percent: percentOf(iowait, total),
    steal_percent: percentOf(get('steal'), total),
    cores,
  }
}

type Get = (part: string) => number | undefined

/** A collector that does not say what is available says what is used, free, cached and in buffers. */
function memoryOf(get: Get): Record<string, number | undefined> {
  const available = get('memory.available')
  const states = [get('memory.used'), get('memory.free'), get('memory.cached'), get('memory.buffers')]
  const sum = states[0] === undefined ? undefined : states.reduce<number>((all, state) => all + (state ?? 0), 0)
  const total = get('memory.total') ?? sum
  const used = total !== undefined && available !== undefined ? total - available : states[0]
  return { used_bytes: used, total_bytes: total, percent: percentOf(used, total) }
}

function swapOf(get: Get): Record<string, number | undefined> {
  const free = get('swap.free')
  const [usedThere, totalThere] = [get('swap.used'), get('swap.total')]
  const total = totalThere ?? (usedThere === undefined || free === undefined ? undefined : usedThere + free)
  const used = usedThere ?? (total === undefined || free === undefined ? undefined : total - free)
  return { swap_used_bytes: used, swap_total_bytes: total, swap_percent: percentOf(used, total) }
}

/** As `df` reports the fullest: used / (used + available). */
function fullestOf(parts: Parts): number | undefined {
  const shares = Array.from(parts.get('filesystem.available') ?? [], ([mount, available]) => {
    const [size, free] = [parts.get('filesystem.size')?.get(mount), parts.get('filesystem.free')?.get(mount)]
    const used = parts.get('filesystem.used')?.get(mount) ?? (size === undefined || free === undefined ? undefined : size - free)
    return used === undefined ? undefined : percentOf(used, used + available)
  }).filter((share) => share !== undefined)
  return shares.length === 0 ? undefined : Math.max(...shares)
}
