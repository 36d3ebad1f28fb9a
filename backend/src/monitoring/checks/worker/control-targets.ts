import { getServers, Resolver } from 'node:dns'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import type { ControlTarget } from '@vedette/shared'
import { assertTcpReachable } from '../../../platform/system/tcp-reachable.ts'
import type { Reach } from './control.ts'

/** The setting: addresses, none, or those that this machine uses. */
export type ControlSetting = readonly string[] | 'none' | undefined

/** Targets by the setting; without it the gateways and resolvers of this machine. */
export function findControlTargets(setting: ControlSetting): ControlTarget[] {
  if (setting === 'none') return []
  if (setting) return setting.map((address) => ({ type: 'setting', address }))
  const gateways = [...gatewaysIn(readText('/proc/net/route')), ...ipv6GatewaysIn(readText('/proc/net/ipv6_route'))]
  return [
    ...gateways.map((address) => ({ type: 'gateway', address }) as const),
    ...findResolvers().map((address) => ({ type: 'resolver', address }) as const),
  ]
}

const MAX_EACH = 4

/** A resolver on this machine answers without a network: systemd-resolved names those behind it. */
function findResolvers(): string[] {
  const own = serversOf(getServers())
  return own.length > 0 ? own : serversOf(namesIn(readText('/run/systemd/resolve/resolv.conf')))
}

const serversOf = (servers: readonly string[]): string[] =>
  [...new Set(servers)].filter((server) => !/^(?:127\.|\[?::1\]?(?:$|:))/.test(server)).slice(0, MAX_EACH)

const namesIn = (text: string): string[] => text.split('\n').flatMap((line) => /^nameserver\s+(\S+)/.exec(line)?.[1] ?? [])

/** RTF_GATEWAY of <linux/route.h>. */
const GATEWAY = 0x2

/**
 * Gateways of default routes in /proc/net/route: `Iface Destination Gateway Flags …`, addresses as hexadecimal numbers in the byte
 * order of the machine, which is little-endian on all systems that Node runs on but s390x.
 */
export function gatewaysIn(text: string): string[] {
  const gateways = text.split('\n').flatMap((line) => {
    const [, destination, gateway = '', flags = ''] = line.split(/\s+/)
    if (destination !== '00000000' || !/^[0-9A-F]{8}$/i.test(gateway) || !hasGateway(flags)) return []
    return [Buffer.from(gateway, 'hex').toReversed().join('.')]
  })
  return [...new Set(gateways)].slice(0, MAX_EACH)
}

/** The same of /proc/net/ipv6_route: `destination length source length next-hop metric references uses flags interface`. */
export function ipv6GatewaysIn(text: string): string[] {
  const gateways = text.split('\n').flatMap((line) => {
    const [destination = '', length, , , hop = '', , , , flags = '', device = ''] = line.trim().split(/\s+/)
    if (!/^0{32}$/.test(destination) || length !== '00' || !/^(?!0{32})[0-9a-f]{32}$/.test(hop) || !hasGateway(flags)) return []
    const address = (hop.match(/.{4}/g) ?? []).join(':')
    return [address.startsWith('fe8') ? `${address}%${device}` : address]
  })
  return [...new Set(gateways)].slice(0, MAX_EACH)
}

const hasGateway = (flags: string): boolean => (Number.parseInt(flags, 16) & GATEWAY) !== 0

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // Another system.
    return ''
  }
}

const NO_WAY: ReadonlySet<unknown> = new Set(['ENETUNREACH', 'EHOSTUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL'])

/** Whether a target answers: a connection to a setting, any answer of a gateway, any answer of a resolver. */
export async function reachControlTarget({ type, address }: ControlTarget, signal: AbortSignal): Promise<Reach> {
  if (type === 'resolver') return reachResolver(address)
  if (type === 'setting') return reachPort(address, signal)
  const host = isIP(address) === 4 ? address : `[${address}]`
  const seen = await Promise.all(GATEWAY_PORTS.map((port) => reachPort(`${host}:${port}`, signal, true)))
  return seen.find((each) => each === 'reached') ?? seen[0] ?? 'silent'
}

/** A gateway refuses or accepts these; both are an answer. */
const GATEWAY_PORTS = [53, 80]

async function reachPort(target: string, signal: AbortSignal, isRefusalAnswer = false): Promise<Reach> {
  try {
    await assertTcpReachable(target, signal)
    return 'reached'
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (isRefusalAnswer && code === 'ECONNREFUSED') return 'reached'
    return NO_WAY.has(code) ? 'unreachable' : 'silent'
  }
}

const RESOLVER_TIMEOUT_MS = 900

/** Asks for the name servers of the root, which every resolver knows; also a refusal is an answer. */
function reachResolver(server: string): Promise<Reach> {
  const resolver = new Resolver({ timeout: RESOLVER_TIMEOUT_MS, tries: 2 })
  return new Promise((resolve) => {
    try {
      resolver.setServers([server])
      resolver.resolveNs('.', (error) =>
        resolve(error === null || !['ETIMEOUT', 'ECONNREFUSED', 'ECANCELLED'].includes(error.code ?? '') ? 'reached' : 'silent'),
      )
    } catch {
      resolve('silent')
    }
  })
}
