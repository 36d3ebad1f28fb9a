import type { Agent, AgentOptions, ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import type { LookupFunction } from 'node:net'
import { systemClock } from './clock.ts'
import { messageOf } from './log.ts'
import { createPinnedAgent } from './pinned-agent.ts'
import { type ProxyVariables, withoutLoopback } from './proxy.ts'
import { createLookup } from './resolve-name.ts'

/** A refusal of each sample of a request may take a while to read out; more than this is not from our backend. */
const MAX_ANSWER_BYTES = 1_048_576
const REQUEST_TIMEOUT_MS = 15_000

interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT'
  /** The whole address. */
  url: string
  headers?: Record<string, string>
  body?: Buffer
  timeoutMs?: number
  /** Gets the body of a 200 piece by piece, in place of the answer's `body`. */
  sink?: { maxBytes: number; write(piece: Buffer): void }
}

/** What came back. No answer at all (no connection, no time left, too long) is a value with the reason. */
export type HttpAnswer =
  | { status: number; headers: IncomingMessage['headers']; body: string }
  | { status: 0; reason: string; isTooLong?: boolean }

/** Whom to trust, and the way there. */
export interface TransportOptions {
  /** The proxy variables of the environment, by their common names; loopback never goes by a proxy. */
  proxy?: ProxyVariables
  /** PEM of the certificate authorities to trust, in place of the usual ones. */
  ca?: string
  /** SHA-256 of the backend's certificate, in place of any authority. */
  fingerprint?: string
  /** In place of the hosts file, DNS and the system, in this order. */
  lookup?: LookupFunction
  /** For an exchange that does not say it itself. */
  timeoutMs?: number
}

export interface Transport {
  send(request: HttpRequest): Promise<HttpAnswer>
  close(): void
}

interface Protocol {
  request(url: URL, options: RequestOptions): ClientRequest
}

class TooLong extends Error {}

/**
 * HTTP over one kept connection. Node's own client, because fetch and undici cost tens of megabytes; and loaded when the first
 * request needs it, because TLS is megabytes too.
 */
export function createTransport(options: TransportOptions = {}): Transport {
  const { lookup = createLookup(), timeoutMs: usualMs = REQUEST_TIMEOUT_MS } = options
  const agents = new Map<string, { protocol: Protocol; agent: Agent }>()
  const agentFor = (scheme: string) => {
    let entry = agents.get(scheme)
    if (!entry) {
      entry = scheme === 'https:' ? openHttps(options) : openHttp(options)
      agents.set(scheme, entry)
    }
    return entry
  }
  return {
    send: (request) => {
      const url = new URL(request.url)
      const { protocol, agent } = agentFor(url.protocol)
      const timeoutMs = request.timeoutMs ?? usualMs
      return exchange(request, timeoutMs, (headers) =>
        // The agent gives a proxy that makes no tunnel up by itself only when it is told how long it may take.
        protocol.request(url, { method: request.method, agent, headers, lookup, timeout: timeoutMs }),
      )
    },
    close: () => {
      for (const { agent } of agents.values()) agent.destroy()
    },
  }
}

function connectionOptions({ proxy }: TransportOptions): AgentOptions {
  return { keepAlive: true, maxSockets: 1, ...(proxy && { proxyEnv: { ...withoutLoopback(proxy) } }) }
}

function openHttp(options: TransportOptions): { protocol: Protocol; agent: Agent } {
  const http = process.getBuiltinModule('node:http')
  return { protocol: http, agent: new http.Agent(connectionOptions(options)) }
}

function openHttps(options: TransportOptions): { protocol: Protocol; agent: Agent } {
  const https = process.getBuiltinModule('node:https')
  const { ca, fingerprint } = options
  const trust = { ...connectionOptions(options), ...(ca !== undefined && { ca }) }
  return { protocol: https, agent: fingerprint === undefined ? new https.Agent(trust) : createPinnedAgent(trust, fingerprint) }
}

/** One request and its answer; never rejects. The time limit is for the whole exchange, whatever part of it is slow. */
function exchange(
  request: HttpRequest,
  timeoutMs: number,
  open: (headers: Record<string, string>) => ClientRequest,
): Promise<HttpAnswer> {
  const { promise, resolve } = Promise.withResolvers<HttpAnswer>()
  const bodyHeaders: Record<string, string> = request.body
    ? { 'content-type': 'application/json', 'content-length': String(request.body.length) }
    : {}
  const outgoing = open({ accept: 'application/json', ...bodyHeaders, ...request.headers })
  const cancelTimer = systemClock.after(timeoutMs, () => {
    const late = new Error(`no answer within ${timeoutMs / 1000} s`)
    outgoing.destroy(late)
    // While it waits for its connection a request that is destroyed says nothing.
    fail(late)
  })
  const finish = (answer: HttpAnswer) => {
    cancelTimer()
    resolve(answer)
  }
  const fail = (error: unknown) =>
    finish({ status: 0, reason: reasonOf(error), ...(error instanceof TooLong && { isTooLong: true }) })
  outgoing.on('error', fail)
  outgoing.on('response', (incoming) => {
    const pieces: Buffer[] = []
    let length = 0
    const sink = incoming.statusCode === 200 ? request.sink : undefined
    const maxBytes = sink?.maxBytes ?? MAX_ANSWER_BYTES
    incoming.on('data', (piece: Buffer) => {
      length += piece.length
      if (length > maxBytes) incoming.destroy(new TooLong('the answer is too long to be from a Vedette backend'))
      else if (sink) writeTo(sink, piece, incoming)
      else pieces.push(piece)
    })
    incoming.on('error', fail)
    incoming.on('end', () => {
      finish({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: Buffer.concat(pieces).toString('utf8') })
    })
    // A connection that breaks within the answer ends it without "end".
    incoming.on('close', () => finish({ status: 0, reason: 'the connection broke within the answer' }))
  })
  outgoing.end(request.body)
  return promise
}

/** A disk that is full ends the exchange, not the program. */
function writeTo(sink: NonNullable<HttpRequest['sink']>, piece: Buffer, incoming: IncomingMessage): void {
  try {
    sink.write(piece)
  } catch (error) {
    incoming.destroy(error instanceof Error ? error : new Error(String(error)))
  }
}

/** Several addresses tried in vain make an error without a message of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ')
  return messageOf(error)
}
