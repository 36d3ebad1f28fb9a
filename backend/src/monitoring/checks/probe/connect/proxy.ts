import { isIPv6 } from 'node:net'
import type { AddressGuard } from '../address/guard.ts'
import type { NameResolver } from '../names/lookup.ts'
import { codeOf, connectFault, type Fault } from '../phases/fault.ts'
import type { Timeline } from '../phases/timeline.ts'
import { closeConnection, type Connection } from './connection.ts'
import { type Destination, faultOfHandshake, handshakeOf, MAX_HEAD_BYTES, ofProxy } from './proxy-handshake.ts'
import { raceConnections } from './race.ts'
import { resolveTarget } from './resolve.ts'
import type { Proxy, Route } from './route.ts'

export interface ProxyParts {
  guard: AddressGuard
  names: NameResolver
  route: Route
  proxy: Proxy
}

interface ProxiedTarget {
  /** Addresses, or one name that the proxy resolves; the next one is tried when the proxy cannot connect to one. */
  hosts: readonly string[]
  port: number
  plain: boolean
}

/**
 * A connection through a proxy: the guard applies to its addresses as to those of a target. Where it does not do its part, nothing is
 * known of the target, and the fault is `internal`. Records the phases `dns` and `connect`, which lasts until the proxy passes bytes on.
 */
export function connectByProxy(
  parts: ProxyParts,
  target: ProxiedTarget,
  timeline: Timeline,
  done: (outcome: Connection | Fault) => void,
): () => void {
  let cancel = () => {}
  const [host = '', ...others] = target.hosts
  const finish = (outcome: Connection | Fault) => {
    timeline.waitsFor = undefined
    if ('code' in outcome && outcome.code === 'connect' && others.length > 0)
      cancel = connectByProxy(parts, { ...target, hosts: others }, timeline, done)
    else done(outcome)
  }
  const stopConnecting = connectToProxy(parts, timeline, (connection) => {
    if ('code' in connection) return finish(connection)
    cancel = () => closeConnection(connection)
    shake(connection, parts.proxy, { host, port: target.port }, timeline, (fault, rest) => {
      if (fault) {
        closeConnection(connection)
        return finish(fault)
      }
      connection.address = host
      connection.isProxied = true
      finish(connection)
      handOver(connection, rest, target.plain)
    })
  })
  return () => {
    stopConnecting()
    cancel()
  }
}

/** What the target has said together with the proxy's last word. */
function handOver(connection: Connection, rest: Buffer, plain: boolean): void {
  if (rest.length === 0 || connection.socket.destroyed) return
  if (plain) process.nextTick(() => connection.onBytes(rest))
  else connection.socket.unshift(rest)
}

function connectToProxy(
  { guard, names, route, proxy }: ProxyParts,
  timeline: Timeline,
  done: (outcome: Connection | Fault) => void,
): () => void {
  const refused = guard.portFault(proxy.port)
  if (refused !== undefined) {
    done({ code: 'blocked', message: `the proxy: ${refused}` })
    return () => {}
  }
  let cancel = () => {}
  timeline.waitsFor = { text: 'the proxy', isOurs: true }
  const stopLookUp = resolveTarget({ guard, names }, proxy.host, timeline, (resolved) => {
    if ('code' in resolved) {
      const message = `the proxy: ${resolved.message}`
      return done(resolved.code === 'blocked' ? { ...resolved, message } : { code: 'internal', message })
    }
    const { source } = route
    const addresses = source ? resolved.filter((address) => isIPv6(address) === (source.family === 6)) : resolved
    if (addresses.length === 0) return done(ofProxy(`the proxy has no address of the family of ${source?.address}`))
    // Bytes are read, whatever the target's owner needs: the proxy answers first.
    cancel = raceConnections(
      addresses,
      proxy.port,
      true,
      (outcome) => {
        timeline.endByEvent()
        if (!('error' in outcome)) return done(outcome)
        const { message } = connectFault(outcome.error, outcome.address, route)
        done({ code: 'internal', message: `the proxy cannot be reached: ${message}` })
      },
      source?.address,
    )
    process.nextTick(() => timeline.begin('connect'))
  })
  return () => {
    stopLookUp()
    cancel()
  }
}

const EMPTY = Buffer.alloc(0)

/** Runs the handshake over a connection to the proxy; `rest` came behind its end. */
function shake(
  connection: Connection,
  proxy: Proxy,
  destination: Destination,
  timeline: Timeline,
  done: (fault: Fault | undefined, rest: Buffer) => void,
): void {
  const handshake = handshakeOf(proxy, destination)
  let unread: Buffer = EMPTY
  let wait: number | 'head' = 0
  let isDone = false

  const finish = (fault?: Fault) => {
    isDone = true
    connection.onBytes = () => {}
    connection.onEnd = () => {}
    connection.onError = () => {}
    timeline.endByEvent()
    done(fault, unread)
  }
  /** Undefined until all of them are there. */
  function take(): Buffer | undefined {
    const end = wait === 'head' ? endOfHead(unread) : unread.length < wait ? -1 : wait
    if (end === -1) return undefined
    const taken = unread.subarray(0, end)
    unread = unread.subarray(end)
    return taken
  }
  function advance(given: Buffer): void {
    for (let bytes: Buffer | undefined = given; bytes; bytes = take()) {
      const next = handshake.next(bytes)
      if (next.done === true) return finish(next.value && faultOfHandshake(next.value))
      if (next.value.send) connection.socket.write(next.value.send)
      if (next.value.isConnecting === true) timeline.waitsFor = { text: "the proxy's connection to the target", isOurs: false }
      wait = next.value.wait
    }
    checkBounds()
  }
  const fail = (message: string) => {
    if (!isDone) finish(ofProxy(message))
  }
  connection.onBytes = (bytes) => {
    if (isDone) return
    // The bytes are overwritten when this returns.
    unread = Buffer.concat([unread, bytes])
    const taken = take()
    if (taken) advance(taken)
    else checkBounds()
  }
  function checkBounds(): void {
    if (isDone) return
    if (unread.length > MAX_HEAD_BYTES) finish(ofProxy(`the proxy answered with more than ${MAX_HEAD_BYTES} bytes`))
    else if (wait === 'head' && !mayBeHttp(unread)) finish(ofProxy('the proxy does not speak HTTP'))
  }
  connection.onEnd = () => fail('the proxy closed the connection before it had connected to the target')
  connection.onError = (error) => fail(`the proxy broke off the connection (${codeOf(error) || error.message})`)
  timeline.begin('connect')
  advance(EMPTY)
}

const START = 'HTTP/1.'

const mayBeHttp = (bytes: Buffer): boolean => START.startsWith(bytes.toString('latin1', 0, Math.min(bytes.length, START.length)))

/** Behind the empty line; -1 without one. */
function endOfHead(bytes: Buffer): number {
  const crlf = bytes.indexOf('\r\n\r\n')
  if (crlf !== -1) return crlf + 4
  const lf = bytes.indexOf('\n\n')
  return lf === -1 ? -1 : lf + 2
}
