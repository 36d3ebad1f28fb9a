import type { Socket } from 'node:dgram'
import { after, type Alarm } from '../../../../../platform/time/monotonic.ts'
import type { Resolved } from '../../connect/connector.ts'
import { connectFault, type Fault } from '../../phases/fault.ts'
import type { Phase, Timeline } from '../../phases/timeline.ts'
import type { Attempt, ProbeTools } from '../kind.ts'
import { NO_HOST, targetOfUrl } from '../url-target.ts'
import { CheckFault, protocolFault } from './check-fault.ts'
import { runTalk, type Talked } from './run-talk.ts'

/** Datagrams and bytes that a check reads at most, also those that answer nothing. */
const MAX_DATAGRAMS = 1_000
const MAX_BYTES = 1_048_576
/** A lost request is repeated after this time, or after half of the timeout where that is shorter; then after twice as long. */
const FIRST_PATIENCE_MS = 1_000

export interface DatagramTarget {
  url: string
  /** Without a port in the URL. */
  defaultPort: number
  /** Of the check, seconds. */
  timeout: number
  /** How often a request without an answer is sent again; 1 without it. */
  retries?: number
}

/** The two ends of the socket that a request leaves by. */
export interface DatagramEnds {
  readonly localAddress: string
  readonly localPort: number
  readonly remoteAddress: string
}

/**
 * Datagrams to and from a target, for protocols of requests and answers over UDP. Waiting for the first answer is the phase
 * `first_byte`, all later waiting is `transfer`.
 */
export interface Datagrams {
  /**
   * Sends a request and resolves with what `accept` makes of an answer. Undefined passes over a datagram, as one that answers an earlier
   * request; what it throws ends the wait. Only datagrams of the address and port that the request was sent to are read. A target with
   * several addresses gets each try at the next one, until one of them answers. One request at a time.
   */
  request<Answer>(
    bytes: Uint8Array | ((ends: DatagramEnds) => Uint8Array),
    accept: (answer: Buffer, ends: DatagramEnds) => Answer | undefined,
  ): Promise<Answer>
}

/** Runs a check as requests over UDP; it ends with what `talk` returns, or with its fault. */
export function converseByDatagrams(
  attempt: Attempt,
  tools: ProbeTools,
  { url, defaultPort, timeout, retries = 1 }: DatagramTarget,
  talk: (datagrams: Datagrams) => Promise<Talked>,
): void {
  const target = targetOfUrl(url, defaultPort)
  if (!target) return attempt.fail(NO_HOST)
  let stopLookUp = () => {}
  const proceed = attempt.safely((resolved: Resolved | Fault) => {
    if ('code' in resolved) return attempt.fail(resolved)
    const patienceMs = Math.min(FIRST_PATIENCE_MS, timeout * 500)
    const { request, close } = openDatagrams({ ...resolved, retries, patienceMs }, attempt, tools)
    attempt.hold(close)
    void runTalk(attempt, () => talk({ request }))
  })
  // Held first: of an address `proceed` is called at once, and what it holds must stay held.
  attempt.hold(() => stopLookUp())
  stopLookUp = tools.connector.resolve(target, attempt.timeline, proceed)
}

interface Remote {
  addresses: readonly string[]
  port: number
  retries: number
  patienceMs: number
}

/** A request that waits for its answer. */
interface Waiting {
  bytesFor(ends: DatagramEnds): Uint8Array
  /** True where this datagram is the answer. */
  take(answer: Buffer, ends: DatagramEnds): boolean
  fail(error: unknown): void
  tries: number
  alarm?: Alarm
}

/** The request under way, if there is one. */
function createWait(timeline: Timeline) {
  let waiting: Waiting | undefined
  /** Ends the wait and returns its request. */
  function settle(): Waiting | undefined {
    const settled = waiting
    waiting = undefined
    settled?.alarm?.cancel()
    if (settled) timeline.endByEvent()
    return settled
  }
  return {
    current: () => waiting,
    settle,
    fail: (error: unknown) => settle()?.fail(error),
    begin(request: Waiting, phase: Phase): void {
      waiting = request
      timeline.begin(phase)
    },
    cancel(): void {
      waiting?.alarm?.cancel()
      waiting = undefined
    },
  }
}

/** Throws once a check has read more than any target sends. */
function createMeter(): (answer: Buffer) => void {
  let datagrams = 0
  let bytes = 0
  return (answer) => {
    datagrams += 1
    bytes += answer.length
    if (datagrams > MAX_DATAGRAMS || bytes > MAX_BYTES)
      throw protocolFault(`the target sent more than ${MAX_DATAGRAMS} datagrams or ${MAX_BYTES} bytes`)
  }
}

function openDatagrams(
  { addresses, port, retries, patienceMs }: Remote,
  { timeline, facts }: Attempt,
  { guard, connector, route }: ProbeTools,
) {
  const lines = new Map<string, Line>()
  const wait = createWait(timeline)
  const count = createMeter()
  let answering: string | undefined

  function receive(address: string, answer: Buffer, ends: DatagramEnds): void {
    try {
      count(answer)
      if (wait.current()?.take(answer, ends) !== true) return
    } catch (error) {
      return wait.fail(error)
    }
    answering ??= address
    facts.address = address
    wait.settle()
  }

  function lose(address: string, error: Error): void {
    lines.get(address)?.close()
    lines.delete(address)
    const isLast = answering !== undefined || (wait.current()?.tries ?? 0) >= addresses.length
    if (!isLast) return send()
    if (lines.size > 0) return
    const fault = connectFault(error, address, route)
    wait.fail(new CheckFault(fault.code, fault.message))
  }

  function open(address: string): Line {
    const line = openLine(connector.openDatagrams(address), address, port, {
      message: (answer, ends) => receive(address, answer, ends),
      error: (error) => lose(address, error),
    })
    lines.set(address, line)
    return line
  }

  /** The guard is consulted for each datagram that leaves. */
  function send(): void {
    const request = wait.current()
    if (!request) return
    request.alarm?.cancel()
    const address = answering ?? addresses[request.tries % addresses.length] ?? ''
    const refused = guard.portFault(port) ?? guard.addressFault(address)
    if (refused !== undefined) return wait.fail(new CheckFault('blocked', refused))
    facts.address ??= address
    const tries = request.tries
    request.tries += 1
    const line = lines.get(address) ?? open(address)
    line.send(request.bytesFor)
    // Each address gets a try, and one address as many more as there are retries.
    if (tries < Math.max(retries, answering === undefined ? addresses.length - 1 : 0))
      request.alarm = after(patienceMs * 2 ** Math.min(tries, 4), send, { isKeptAlive: true })
  }

  const request: Datagrams['request'] = (bytesOf, accept) =>
    new Promise((resolve, reject) => {
      wait.begin(waitingFor(bytesOf, accept, resolve, reject), answering === undefined ? 'firstByte' : 'transfer')
      send()
    })
  const close = () => {
    wait.cancel()
    for (const line of lines.values()) line.close()
    lines.clear()
  }
  return { request, close }
}

function waitingFor<Answer>(
  bytesOf: Uint8Array | ((ends: DatagramEnds) => Uint8Array),
  accept: (answer: Buffer, ends: DatagramEnds) => Answer | undefined,
  resolve: (answer: Answer) => void,
  fail: (error: unknown) => void,
): Waiting {
  return {
    bytesFor: (ends) => (typeof bytesOf === 'function' ? bytesOf(ends) : bytesOf),
    take(answer, ends) {
      const accepted = accept(answer, ends)
      if (accepted === undefined) return false
      resolve(accepted)
      return true
    },
    fail,
    tries: 0,
  }
}

interface Line {
  send(bytesFor: (ends: DatagramEnds) => Uint8Array): void
  close(): void
}

/**
 * A socket with a random port that is connected to one address: the system passes on what comes from there alone, and reports a closed
 * port as an error. Their source is compared as well.
 */
function openLine(
  socket: Socket,
  address: string,
  port: number,
  on: { message(answer: Buffer, ends: DatagramEnds): void; error(error: Error): void },
): Line {
  let ends: DatagramEnds | undefined
  let peer = ''
  const queue: ((ends: DatagramEnds) => Uint8Array)[] = []
  const transmit = (bytesFor: (ends: DatagramEnds) => Uint8Array) => {
    // With a callback Node gives it the error of sending, and emits none.
    if (ends) socket.send(bytesFor(ends), (error) => error && socket.emit('error', error))
  }
  socket.on('message', (answer, from) => {
    if (ends && from.address === peer && from.port === port) on.message(answer, ends)
  })
  let isLost = false
  // In a tick of its own: an error of opening it comes before the line is there.
  socket.on('error', (error) => {
    if (!isLost) process.nextTick(on.error, error)
    isLost = true
  })
  socket.connect(port, address, () => {
    const local = socket.address()
    peer = socket.remoteAddress().address
    ends = { localAddress: local.address, localPort: local.port, remoteAddress: address }
    for (const bytesFor of queue.splice(0)) transmit(bytesFor)
  })
  return {
    send: (bytesFor) => void (ends ? transmit(bytesFor) : queue.push(bytesFor)),
    close: () => closeSocket(socket),
  }
}

/** An error that comes after is of no interest. */
function closeSocket(socket: Socket): void {
  socket.removeAllListeners()
  socket.on('error', () => {})
  socket.close()
}
