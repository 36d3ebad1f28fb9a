import { createSocket, type Socket as DatagramSocket } from 'node:dgram'
import { isIP, isIPv6 } from 'node:net'
import type { AddressGuard } from '../address/guard.ts'
import { connectFault, type Fault } from '../phases/fault.ts'
import type { NameResolver } from '../names/lookup.ts'
import type { Timeline } from '../phases/timeline.ts'
import { connectByProxy, type ProxyParts } from './proxy.ts'
import { raceConnections } from './race.ts'
import { resolveTarget } from './resolve.ts'
import type { Connection } from './connection.ts'
import { DIRECT, redirected, type Route } from './route.ts'

export interface Target {
  /** A name or an address; IPv6 without brackets. */
  host: string
  port: number
  /** See `openConnection`. */
  plain: boolean
  /** Mail ports are open to checks that speak to mail servers and send no mail. */
  isMail?: boolean
}

/** Where a target is: the guard allows each of the addresses, and the port. */
export interface Resolved {
  addresses: readonly string[]
  port: number
}

/**
 * The only way to a target: resolves its name, checks every address with the guard, and connects to one of those addresses by
 * number, so that a later DNS response cannot lead elsewhere. Records the phases `dns` and `connect`. What a route changes, it changes for
 * each of these functions. They call `done` once, and return a function that cancels; `done` is not called after it.
 */
export interface Connector {
  connect(target: Target, timeline: Timeline, done: (outcome: Connection | Fault) => void): () => void
  /** For what is no connection, or to connect later. May call `done` synchronously. */
  resolve(
    target: Pick<Target, 'host' | 'port' | 'isMail'>,
    timeline: Timeline,
    done: (outcome: Resolved | Fault) => void,
  ): () => void
  /** Connects to one of the addresses, which have been checked. */
  connectTo(target: Resolved & Pick<Target, 'plain'>, timeline: Timeline, done: (outcome: Connection | Fault) => void): () => void
  /** A socket for datagrams to one of the addresses. Errors of opening it are emitted by the socket. */
  openDatagrams(address: string): DatagramSocket
}

const NOTHING = () => {}

export function createConnector(guard: AddressGuard, names: NameResolver, route: Route = DIRECT): Connector {
  const parts = { guard, names, route }
  const resolve: Connector['resolve'] = ({ host, port, isMail = false }, timeline, done) => {
    const to = route.redirect ? redirected(route, host, port) : { host, port }
    const fault = isMail ? undefined : guard.portFault(to.port)
    if (fault !== undefined) {
      done({ code: 'blocked', message: fault })
      return NOTHING
    }
    return resolveTarget(parts, to.host, timeline, (resolved) => {
      if ('code' in resolved) return done(resolved)
      const family = route.family ?? (route.proxy ? undefined : route.source?.family)
      const addresses = family === undefined ? resolved : resolved.filter((address) => isIPv6(address) === (family === 6))
      if (addresses.length === 0) done({ code: 'dns', message: `the host has no IPv${family} address` })
      else done({ addresses, port: to.port })
    })
  }

  const connectTo: Connector['connectTo'] = ({ addresses, port, plain }, timeline, done) => {
    if (route.proxy) return connectByProxy({ ...parts, proxy: route.proxy }, { hosts: addresses, port, plain }, timeline, done)
    const cancel = raceConnections(
      addresses,
      port,
      plain,
      (outcome) => {
        timeline.endByEvent()
        done('error' in outcome ? connectFault(outcome.error, outcome.address, route) : outcome)
      },
      route.source?.address,
    )
    // Node connects in the next tick, after the other work of this one.
    process.nextTick(() => timeline.begin('connect'))
    return cancel
  }

  return {
    resolve,
    connectTo,
    connect(target, timeline, done) {
      const { host, port, plain, isMail } = target
      if (route.proxy?.resolves === true) return connectByName({ ...parts, proxy: route.proxy }, target, timeline, done)
      let cancel = NOTHING
      const stopLookUp = resolve({ host, port, ...(isMail === true && { isMail }) }, timeline, (resolved) => {
        if ('code' in resolved) return done(resolved)
        cancel = connectTo({ ...resolved, plain }, timeline, done)
      })
      return () => {
        stopLookUp()
        cancel()
      }
    },
    openDatagrams: (address) => openDatagrams(address, route.source?.address),
  }
}

/** A name goes to the proxy as it is; nobody here knows where it leads. */
function connectByName(
  { guard, names, route, proxy }: ProxyParts,
  { host, port, plain, isMail = false }: Target,
  timeline: Timeline,
  done: (outcome: Connection | Fault) => void,
): () => void {
  const to = redirected(route, host, port)
  const fault =
    (isMail ? undefined : guard.portFault(to.port)) ??
    guard.nameFault(to.host) ??
    (isIP(to.host) === 0 ? undefined : guard.addressFault(to.host))
  if (fault === undefined)
    return connectByProxy({ guard, names, route, proxy }, { hosts: [to.host], port: to.port, plain }, timeline, done)
  done({ code: 'blocked', message: fault })
  return NOTHING
}

function openDatagrams(address: string, source: string | undefined): DatagramSocket {
  const family = isIPv6(address) ? 6 : 4
  // Only addresses are passed; Node would look up each of them.
  const socket = createSocket({ type: `udp${family}`, lookup: (host, _options, done) => done(null, host, family) })
  if (source !== undefined) socket.bind({ address: source, port: 0, exclusive: true })
  return socket
}
