import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { tryReadText } from '../../process/files.ts'
import { type NetworkReading, NetworkRates } from '../network-rates.ts'
import { eachLine, parseNumbers } from './text.ts'

/** The selection of interfaces is renewed this often, and whenever the list of names changes. */
const SELECTION_LIFETIME_MS = 300_000

/** The interfaces of /proc/net/dev and the position of their numbers. */
export function findInterfaces(text: string): Map<string, number> {
  const positions = new Map<string, number>()
  eachLine(text, (start, end) => {
    const colon = text.indexOf(':', start)
    if (colon >= 0 && colon < end) positions.set(text.slice(start, colon).trim(), colon + 1)
  })
  return positions
}

/** Received bytes, sent bytes, receive errors and send errors of the interface whose numbers begin at `start`. */
export function parseInterface(text: string, start: number): number[] | undefined {
  const [rxBytes, , rxErrors, , , , , , txBytes, , txErrors] = parseNumbers(text, start, text.length)
  if (rxBytes === undefined || rxErrors === undefined || txBytes === undefined || txErrors === undefined) return undefined
  return [rxBytes, txBytes, rxErrors, txErrors]
}

/** What /sys says about an interface. */
export interface InterfaceKind {
  name: string
  /** It belongs to a physical or virtual device. */
  hasDevice: boolean
  /** The interface (bond, bridge, failover pair) that this one is a member of. */
  master: string | undefined
  /** The interfaces of this host that it is built on: of a bond, a bridge, a VLAN, a port of a switch. */
  lowers: readonly string[]
  /** The end of a tunnel, or the representor of a virtual card: its traffic passes another interface as well. */
  isRepeated: boolean
}

/** Software interfaces: their traffic passes a physical interface as well, or never leaves the host. */
const SOFTWARE_NAME =
  /^(?:lo|ifb|dummy|docker|br-|virbr|veth|vnet|tun|tap|wg|sit|gre|gretap|erspan|ip6|ip_vti|tunl|teql|nlmon|bond)/
/** Numbers of /usr/include/linux/if_arp.h: PPP, tunnels over IP (IPIP, IPv6, SIT, GRE), and none, as WireGuard has. */
const TUNNEL_TYPES = new Set(['512', '768', '769', '776', '778', '823', '65534'])
const TUNNEL_DEVTYPE = /^DEVTYPE=(?:vxlan|geneve|wireguard|gretap|bareudp|amt)$/m
/** `phys_port_name` of the representor of a virtual function on its host, as drivers/net/ethernet and devlink write it. */
const REPRESENTOR = /^(?:c\d+)?pf\d+(?:vf|sf)\d+$/
const USUAL_NAME = /^(?:en|eth|wl|ww|venet|ib)/

/**
 * The interfaces whose sum is the host's traffic: those with a device, except members of one that has a device itself (failover pairs
 * of cloud hosts include the traffic of their members), and those on top of one (ports of a switch, whose traffic passes the card that
 * the switch is connected to). A container has none: there the lowest interfaces count, such as eth0, the
 * inner end of a veth pair.
 */
export function selectInterfaces(kinds: readonly InterfaceKind[]): string[] {
  const physical = new Set(kinds.filter((kind) => kind.hasDevice).map((kind) => kind.name))
  const selected =
    physical.size > 0
      ? kinds.filter(
          ({ hasDevice, master, lowers, isRepeated }) =>
            hasDevice &&
            !isRepeated &&
            !(master !== undefined && physical.has(master)) &&
            !lowers.some((name) => physical.has(name)),
        )
      : kinds.filter(
          ({ name, master, lowers, isRepeated }) =>
            master === undefined && lowers.length === 0 && !isRepeated && !SOFTWARE_NAME.test(name),
        )
  return selected.map((kind) => kind.name)
}

/** Reads the traffic of the host's interfaces. */
export class NetworkSampler {
  readonly #folder: string
  #selected = new Set<string>()
  #selectedFrom = ''
  #selectedUntilMs = 0
  readonly #rates = new NetworkRates()

  constructor(sysRoot: string) {
    this.#folder = `${sysRoot}/class/net`
  }

  read(text: string | undefined, atMs: number, maxGapMs: number): Pick<NetworkReading, 'totals'> & Partial<NetworkReading> {
    if (text === undefined) return { totals: {} }
    const starts = findInterfaces(text)
    this.#select([...starts.keys()], atMs)
    const devices = new Map<string, number[]>()
    for (const name of this.#selected) {
      const start = starts.get(name)
      const counters = start === undefined ? undefined : parseInterface(text, start)
      if (counters) devices.set(name, counters)
    }
    return this.#rates.update(devices, atMs, maxGapMs)
  }

  #select(names: string[], atMs: number): void {
    const from = names.join(' ')
    if (from === this.#selectedFrom && atMs < this.#selectedUntilMs) return
    this.#selectedFrom = from
    this.#selectedUntilMs = atMs + SELECTION_LIFETIME_MS
    const hasSys = existsSync(this.#folder)
    this.#selected = new Set(
      hasSys ? selectInterfaces(names.map((name) => this.#kindOf(name))) : names.filter((name) => USUAL_NAME.test(name)),
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
      // Removed since the listing, or in another namespace: its name decides.
      parts = []
    }
    const read = (file: string) => (parts.includes(file) ? (tryReadText(`${entry}/${file}`)?.trim() ?? '') : '')
    const lowers = parts.filter((part) => part.startsWith('lower_')).map((part) => part.slice('lower_'.length))
    const isTunnel = parts.includes('tun_flags') || TUNNEL_TYPES.has(read('type')) || TUNNEL_DEVTYPE.test(read('uevent'))
    return {
      name,
      hasDevice: parts.includes('device'),
      master,
      lowers,
      isRepeated: isTunnel || REPRESENTOR.test(read('phys_port_name')),
    }
  }
}
