import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import type { NetworkInterface } from '@vedette/shared'
import { MAX_INTERFACES } from '@vedette/shared/metrics/limits'
import { type Measured, roundRate } from '../../precision.ts'
import { type DeviceReading, deviceRates, sumRates } from '../../rates.ts'
import { eachLine, parseNumbers } from './text.ts'

/** Interfaces come and go: which ones count is looked up anew this often, and whenever the list of names changes. */
const CHOICE_LIFETIME_MS = 60_000

/** Order of the counters kept per interface. */
const RX_BYTES = 0
const TX_BYTES = 1
const RX_ERRORS = 2
const TX_ERRORS = 3

/** /proc/net/dev: each interface, and where its numbers begin. */
export function findInterfaces(text: string): Map<string, number> {
  const found = new Map<string, number>()
  eachLine(text, (start, end) => {
    const colon = text.indexOf(':', start)
    if (colon >= 0 && colon < end) found.set(text.slice(start, colon).trim(), colon + 1)
  })
  return found
}

/** Bytes received, bytes sent, receive errors, send errors of the interface whose numbers begin at `start`. */
export function parseInterface(text: string, start: number): number[] | undefined {
  const [rxBytes, , rxErrors, , , , , , txBytes, , txErrors] = parseNumbers(text, start, text.length)
  if (rxBytes === undefined || rxErrors === undefined || txBytes === undefined || txErrors === undefined) return undefined
  return [rxBytes, txBytes, rxErrors, txErrors]
}

/** What /sys knows of an interface. */
export interface InterfaceKind {
  name: string
  /** A device of the machine stands behind it: a card, or what a hypervisor gives in its place. */
  hasDevice: boolean
  /** The interface (bond, bridge, failover pair) that this one is a member of. */
  master: string | undefined
  /** It stands on another interface of this host: bond, bridge, VLAN. */
  isStacked: boolean
}

/** Made by software for software: what passes here passes, or never passes, a real interface. */
const SOFTWARE_NAME =
  /^(?:lo|ifb|dummy|docker|br-|virbr|veth|vnet|tun|tap|wg|sit|gre|gretap|erspan|ip6|ip_vti|tunl|teql|nlmon|bond)/
const USUAL_NAME = /^(?:en|eth|wl|ww|venet|ib)/

/**
 * The interfaces whose sum is the host's traffic. Those with a device, but not the members of one that has a device itself
 * (the failover pairs of cloud hosts count their members' traffic already). A container has none of these: there the plain
 * interfaces at the bottom of every stack count, as eth0, the inner end of a pair, does.
 */
export function chooseInterfaces(kinds: readonly InterfaceKind[]): string[] {
  const physical = new Set(kinds.filter((kind) => kind.hasDevice).map((kind) => kind.name))
  const chosen =
    physical.size > 0
      ? kinds.filter((kind) => kind.hasDevice && !(kind.master !== undefined && physical.has(kind.master)))
      : kinds.filter((kind) => kind.master === undefined && !kind.isStacked && !SOFTWARE_NAME.test(kind.name))
  return chosen.map((kind) => kind.name)
}

/** Traffic of the host's interfaces; owns the baseline. */
export class NetworkSampler {
  readonly #folder: string
  #chosen = new Set<string>()
  #chosenFrom = ''
  #chosenUntilMs = 0
  #previous: DeviceReading | undefined

  constructor(sysRoot: string) {
    this.#folder = `${sysRoot}/class/net`
  }

  read(
    text: string | undefined,
    atMs: number,
    maxGapMs: number,
  ): { totals: Measured<'network'>; interfaces: NetworkInterface[] | undefined } {
    if (text === undefined) return { totals: {}, interfaces: undefined }
    const starts = findInterfaces(text)
    this.#choose([...starts.keys()], atMs)
    const devices = new Map<string, number[]>()
    for (const name of this.#chosen) {
      const start = starts.get(name)
      const counters = start === undefined ? undefined : parseInterface(text, start)
      if (counters) devices.set(name, counters)
    }
    const current = { atMs, devices }
    const rates = deviceRates(this.#previous, current, maxGapMs)
    this.#previous = current
    const interfaces: NetworkInterface[] = [...devices.keys()].slice(0, MAX_INTERFACES).map((name) => ({
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

  #choose(names: string[], atMs: number): void {
    const from = names.join(' ')
    if (from === this.#chosenFrom && atMs < this.#chosenUntilMs) return
    this.#chosenFrom = from
    this.#chosenUntilMs = atMs + CHOICE_LIFETIME_MS
    const hasSys = existsSync(this.#folder)
    this.#chosen = new Set(
      hasSys ? chooseInterfaces(names.map((name) => this.#kindOf(name))) : names.filter((name) => USUAL_NAME.test(name)),
    )
  }

  #kindOf(name: string): InterfaceKind {
    const entry = `${this.#folder}/${name}`
    let parts: string[]
    let master: string | undefined
    try {
      parts = readdirSync(entry)
      if (parts.includes('master')) master = basename(readlinkSync(`${entry}/master`))
    } catch {
      // Gone between two readings, or an entry of another namespace: it counts as what its name says.
      parts = []
    }
    return { name, hasDevice: parts.includes('device'), master, isStacked: parts.some((part) => part.startsWith('lower_')) }
  }
}

function roundOrNull(rate: number | undefined): number | null {
  return rate === undefined ? null : roundRate(rate)
}
