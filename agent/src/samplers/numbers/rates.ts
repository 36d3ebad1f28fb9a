/** One reading of a counter that only grows; `atMs` is on the monotonic clock. */
export interface CounterReading {
  total: number
  atMs: number
}

/**
 * Growth per second between two readings of a counter that only grows.
 * Undefined on the first reading, after a reset or a wrap, when no time passed, and after a gap longer than `maxGapMs`:
 * an unknown rate is not a rate of zero.
 */
export function ratePerSecond(
  previous: CounterReading | undefined,
  current: CounterReading,
  maxGapMs: number,
): number | undefined {
  if (!previous || current.total < previous.total) return undefined
  const elapsedMs = current.atMs - previous.atMs
  return elapsedMs > 0 && elapsedMs <= maxGapMs ? ((current.total - previous.total) * 1000) / elapsedMs : undefined
}

/** Counters of several devices at one instant; each device has the same counters in the same order. */
export interface DeviceReading {
  atMs: number
  devices: ReadonlyMap<string, readonly number[]>
}

/** Rates by device. A device without an earlier reading is left out; a counter that decreased has no rate. */
export type DeviceRates = Map<string, (number | undefined)[]>

export function deviceRates(previous: DeviceReading | undefined, current: DeviceReading, maxGapMs: number): DeviceRates {
  const rates: DeviceRates = new Map()
  if (!previous) return rates
  for (const [name, totals] of current.devices) {
    const before = previous.devices.get(name)
    if (!before) continue
    rates.set(
      name,
      totals.map((total, index) => {
        const earlier = before[index]
        const reading = earlier === undefined ? undefined : { total: earlier, atMs: previous.atMs }
        return ratePerSecond(reading, { total, atMs: current.atMs }, maxGapMs)
      }),
    )
  }
  return rates
}

/**
 * The sum of one counter's rates over all devices. Undefined without any device, and if one of them has no rate: a sum without a
 * busy device would show a dip that did not happen.
 */
export function sumRates(rates: DeviceRates, index: number): number | undefined {
  let sum: number | undefined
  for (const rate of rates.values()) {
    const value = rate[index]
    if (value === undefined) return undefined
    sum = (sum ?? 0) + value
  }
  return sum
}
