import type { TLSSocket } from 'node:tls'
import { decodedPath } from '@vedette/shared'
import { closeConnection, type Connection } from '../../connect/connection.ts'
import type { Attempt, ProbeTools } from '../kind.ts'
import { codeOf } from '../../phases/fault.ts'
import type { Phase, Timeline } from '../../phases/timeline.ts'
import type { TlsOutcome } from '../../tls/handshake.ts'
import { NO_HOST, targetOfUrl } from '../url-target.ts'
import { CheckFault, protocolFault } from './check-fault.ts'
import { runTalk, type Talked } from './run-talk.ts'

/** Bytes that a check reads at most. */
const MAX_BYTES = 1_048_576
/** A target may send a million messages of one byte, each of which costs some microseconds. */
const MAX_READS = 10_000
const MAX_LINE_BYTES = 8_192

export interface ConversationTarget {
  url: string
  /** Without a port in the URL. */
  defaultPort: number
  /** Mail ports are refused otherwise. */
  isMail?: boolean
  /** `implicit`: from the first byte. `later`: `secure` may be called. */
  tls: 'off' | 'implicit' | 'later'
  verify: boolean
  /** Is sent as SNI and verified, in place of the host of the URL. */
  serverName?: string | undefined
  /** All waiting belongs to this phase. */
  phase?: Phase
}

/**
 * Bytes to and from a target over one connection, for protocols in which both sides take turns. Waiting for the first byte is the
 * phase `first_byte`, all later waiting is `transfer`; the time of the probe between them does not count. Its functions reject
 * with a `CheckFault` that ends the check.
 */
export interface Conversation {
  readonly localAddress: string | undefined
  /** Undefined behind a proxy. */
  readonly remoteAddress: string | undefined
  /** Of the target, for another connection to it. */
  readonly targetAddress: string
  /** Undefined: it is in plain text. */
  readonly tlsSocket: TLSSocket | undefined
  write(bytes: string | Uint8Array): void
  /** Exactly so many bytes. */
  read(count: number): Promise<Buffer>
  /** Without its line break, one character for each byte. */
  readLine(): Promise<string>
  /** Changes to TLS. Bytes that came in plain text and were not read are refused: they may have been injected. */
  secure(): Promise<void>
}

/** Runs a check as a conversation; it ends with what `talk` returns, or with its fault. */
export function converse(
  attempt: Attempt,
  tools: ProbeTools,
  target: ConversationTarget,
  talk: (conversation: Conversation) => Promise<Talked>,
): void {
  const { url, defaultPort, isMail = false, tls } = target
  const address = targetOfUrl(url, defaultPort)
  if (!address) return attempt.fail(NO_HOST)
  const begin = attempt.safely((outcome: Parameters<Parameters<typeof tools.connector.connect>[2]>[0]) => {
    if ('code' in outcome) return attempt.fail(outcome)
    attempt.facts.address = outcome.address
    attempt.hold(() => closeConnection(outcome))
    const host = target.serverName ?? address.host
    const conversation = createConversation(attempt, tools, { ...target, host }, outcome)
    void runTalk(attempt, async () => {
      if (tls === 'implicit') await conversation.secure()
      return talk(conversation)
    })
  })
  attempt.hold(tools.connector.connect({ ...address, plain: tls !== 'implicit', isMail }, attempt.timeline, begin))
}

const NOTHING = () => {}

function createConversation(
  { timeline, facts, safely }: Attempt,
  tools: ProbeTools,
  { host, verify, phase }: Pick<ConversationTarget, 'verify' | 'phase'> & { host: string },
  connection: Connection,
): Conversation {
  let sink: { write(bytes: string | Uint8Array): unknown } = connection.socket
  let tlsSocket: TLSSocket | undefined
  let listen = NOTHING
  const { take, onEnd, onError, ...reader } = createReader(timeline, phase, () => listen())

  connection.onBytes = take
  connection.onEnd = onEnd
  connection.onError = onError

  return {
    localAddress: connection.socket.localAddress,
    remoteAddress: connection.isProxied ? undefined : connection.socket.remoteAddress,
    targetAddress: connection.address,
    get tlsSocket() {
      return tlsSocket
    },
    write: (bytes) => void sink.write(bytes),
    read: reader.read,
    readLine: reader.readLine,
    async secure() {
      if (reader.unread() > 0) throw protocolFault('the target sent more in plain text after it agreed to TLS')
      connection.onBytes = () => {}
      connection.onEnd = () => {}
      const outcome = await new Promise<TlsOutcome>((resolve) => {
        tools.tls.start(connection, { host, verify }, timeline, safely(resolve))
      })
      if (outcome.certificate) facts.certificate = outcome.certificate
      if ('fault' in outcome) throw new CheckFault(outcome.fault.code, outcome.fault.message)
      const { socket } = outcome
      tlsSocket = socket
      sink = socket
      connection.onError = onError
      // Only once bytes are awaited: a check of TLS alone need not read the session tickets after a handshake.
      listen = () => {
        listen = NOTHING
        socket.on('data', take)
        socket.on('end', onEnd)
        socket.on('error', onError)
        // Closed without a TLS alert.
        socket.on('close', onEnd)
      }
    },
  }
}

/** What a connection brings, for one reader that waits for it. `listen` is called before each wait. */
function createReader(timeline: Timeline, phase: Phase | undefined, listen: () => void) {
  const memory = createMemory()
  let received = 0
  let reads = 0
  let fault: CheckFault | undefined
  let waiting: { isReady: () => boolean; settle: (fault?: CheckFault) => void } | undefined

  const take = (bytes: Buffer) => {
    if (fault) return
    const isFirst = received === 0
    received += bytes.length
    if (received > MAX_BYTES) return end(protocolFault(`the target sent more than ${MAX_BYTES} bytes`))
    memory.append(bytes)
    if (waiting?.isReady() === true) {
      timeline.endByEvent()
      settle()
    } else if (isFirst && waiting) timeline.passByEvent(phase ?? 'transfer')
  }
  const end = (reason: CheckFault) => {
    fault ??= reason
    if (!waiting) return
    timeline.endByEvent()
    settle(fault)
  }
  function settle(reason?: CheckFault): void {
    const { settle: call } = waiting as NonNullable<typeof waiting>
    waiting = undefined
    call(reason)
  }
  const onEnd = () => end(protocolFault(closedAfter(received)))
  const onError = (error: Error) => end(protocolFault(brokenAfter(error, received)))

  async function until(isReady: () => boolean): Promise<void> {
    if (++reads > MAX_READS) throw protocolFault(`the target sent more than ${MAX_READS} messages`)
    if (isReady()) return
    if (fault) throw fault
    listen()
    await new Promise<void>((resolve, reject) => {
      waiting = { isReady, settle: (reason) => (reason ? reject(reason) : resolve()) }
      timeline.begin(phase ?? (received === 0 ? 'firstByte' : 'transfer'))
    })
  }

  return {
    take,
    onEnd,
    onError,
    unread: () => memory.length(),
    async read(count: number) {
      if (count > MAX_BYTES) throw protocolFault('the target sent a message that is too large')
      await until(() => memory.length() >= count)
      return memory.cut(count)
    },
    async readLine() {
      const endOf = () => memory.bytes().indexOf(0x0a)
      await until(() => endOf() !== -1 || memory.length() > MAX_LINE_BYTES)
      const length = endOf()
      if (length === -1 || length > MAX_LINE_BYTES)
        throw protocolFault(`the target sent a line of more than ${MAX_LINE_BYTES} bytes`)
      return memory
        .cut(length + 1)
        .toString('latin1')
        .replace(/\r?\n$/, '')
    },
  }
}

/** Bytes in the order of their arrival. */
function createMemory() {
  let memory = EMPTY
  let from = 0
  let to = 0
  function append(bytes: Buffer): void {
    if (to + bytes.length > memory.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * (to - from), to - from + bytes.length))
      memory.copy(larger, 0, from, to)
      memory = larger
      to -= from
      from = 0
    }
    to += bytes.copy(memory, to)
  }

  return {
    append,
    length: () => to - from,
    bytes: () => memory.subarray(from, to),
    /** A copy, because the memory is used again. */
    cut: (count: number): Buffer => Buffer.from(memory.subarray(from, (from += count))),
  }
}

const EMPTY = Buffer.alloc(0)

const closedAfter = (bytes: number): string =>
  bytes === 0 ? 'the connection was closed without an answer' : 'the connection was closed before the answer was complete'

function brokenAfter(error: Error, bytes: number): string {
  const code = codeOf(error)
  const how = /RESET|EPIPE/.test(code) ? 'was reset' : `failed (${code || error.message})`
  return `the connection ${how} ${bytes === 0 ? 'without an answer' : 'before the answer was complete'}`
}

/** The path of a URL without its first slash, decoded; empty without one. */
export const pathNameOf = (url: string): string => decodedPath(new URL(url))
