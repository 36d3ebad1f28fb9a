import type { NetworkInterface } from '@vedette/shared'
import { MAX_INTERFACES } from '@vedette/shared/metrics/limits'
import { type Measured, roundRate } from './numbers/precision.ts'
import { type DeviceReading, deviceRates, sumRates } from './numbers/rates.ts'

/** Order of the counters of an interface. */
const [RX_BYTES, TX_BYTES, RX_ERRORS, TX_ERRORS] = [0, 1, 2, 3] as const

export interface NetworkReading {
  totals: Measured<'network'>
  interfaces: NetworkInterface[]
}

/** Turns counters of interfaces (received bytes, sent bytes, receive errors, send errors) into rates; owns the baseline. */
export class NetworkRates {
  #previous: DeviceReading | undefined

  update(devices: ReadonlyMap<string, readonly number[]>, atMs: number, maxGapMs: number): NetworkReading {
    const current = { atMs, devices }
    const rates = deviceRates(this.#previous, current, maxGapMs)
    this.#previous = current
    const interfaces = [...devices.keys()].slice(0, MAX_INTERFACES).map((name) => ({
      name,
      rx_bytes_per_sec: roundOrNull(rates.get(name)?.[RX_BYTES]),
      tx_bytes_per_sec: roundOrNull(rates.get(name)?.[TX_BYTES]),
    }))
    const totals = {
      rx_bytes_per_sec: sumRates(rates, RX_BYTES),
      tx_bytes_per_sec: sumRates(rates, TX_BYTES),
      rx_errors_per_sec: sumRates(rates, RX_ERRORS),
      tx_errors_per_sec: sumRates(rates, TX_ERRORS),
    }
    return { totals, interfaces }
  }
}

function roundOrNull(rate: number | undefined): number | null {
  return rate === undefined ? null : roundRate(rate)
}
