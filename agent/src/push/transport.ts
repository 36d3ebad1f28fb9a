import type { Agent, AgentOptions, ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import type { LookupFunction } from 'node:net'
import { systemClock } from '../process/clock.ts'
import { messageOf } from '../process/log.ts'
import { createPinnedAgent } from './pinned-agent.ts'
import { isDirect, type ProxyVariables } from './proxy.ts'
import { createLookup } from './resolve-name.ts'

/** Above the largest answer of a backend, which may reject every sample of a request. */
const MAX_ANSWER_BYTES = 1_048_576
const REQUEST_TIMEOUT_MS = 15_000

interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT'
  /** The whole address. */
  url: string
  headers?: Record<string, string>
  body?: Buffer
  timeoutMs?: number
  /** Receives the body of a 200 in pieces; the answer's `body` is empty then. */
  sink?: { maxBytes: number; write(piece: Buffer): void }
}

/** The answer, or why there is none (no connection, timeout, too long). */
export type HttpAnswer =
  | { status: number; headers: IncomingMessage['headers']; body: string }
  | { status: 0; reason: string; isTooLong?: boolean }

/** Trusted certificates, proxy and lookup. */
export interface TransportOptions {
  /** The proxy variables of the environment; the loopback is never reached through a proxy. */
  proxy?: ProxyVariables
  /** PEM of the certificate authorities to trust instead of the default ones. */
  ca?: string
  /** SHA-256 of the backend's certificate, trusted instead of any authority. */
  fingerprint?: string
  /** Default: hosts file, DNS, then the system's lookup. */
  lookup?: LookupFunction
  /** For requests without a timeout of their own. */
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
 * HTTP over one keep-alive connection. Uses Node's own client, because fetch and undici cost tens of megabytes, and loads it with
 * the first request, because TLS takes megabytes too.
 */
export function createTransport(options: TransportOptions = {}): Transport {
  const { lookup = createLookup(), timeoutMs: defaultTimeoutMs = REQUEST_TIMEOUT_MS } = options
  const agents = new Map<string, { protocol: Protocol; agent: Agent }>()
  const agentFor = (url: URL) => {
    const usesProxy = options.proxy !== undefined && !isDirect(options.proxy.NO_PROXY, url)
    const key = `${url.protocol} ${usesProxy}`
    let entry = agents.get(key)
    if (!entry) {
      entry = url.protocol === 'https:' ? openHttps(options, usesProxy) : openHttp(options, usesProxy)
      agents.set(key, entry)
    }
    return entry
  }
  return {
    send: (request) => {
      const url = new URL(request.url)
      const { protocol, agent } = agentFor(url)
      const timeoutMs = request.timeoutMs ?? defaultTimeoutMs
      return exchange(request, timeoutMs, (headers) =>
        // With a timeout Node's agent gives up on a proxy that opens no tunnel.
        protocol.request(url, { method: request.method, agent, headers, lookup, timeout: timeoutMs }),
      )
    },
    close: () => {
      for (const { agent } of agents.values()) agent.destroy()
    },
  }
}

function connectionOptions({ proxy }: TransportOptions, usesProxy: boolean): AgentOptions {
  // Whether a host is reached through the proxy is decided: Node does not read networks and domains in NO_PROXY.
  return { keepAlive: true, maxSockets: 1, ...(proxy && usesProxy && { proxyEnv: { ...proxy, NO_PROXY: '' } }) }
}

function openHttp(options: TransportOptions, usesProxy: boolean): { protocol: Protocol; agent: Agent } {
  const http = process.getBuiltinModule('node:http')
  return { protocol: http, agent: new http.Agent(connectionOptions(options, usesProxy)) }
}

function openHttps(options: TransportOptions, usesProxy: boolean): { protocol: Protocol; agent: Agent } {
  const https = process.getBuiltinModule('node:https')
  const { ca, fingerprint } = options
  const trust = { ...connectionOptions(options, usesProxy), ...(ca !== undefined && { ca }) }
  return { protocol: https, agent: fingerprint === undefined ? new https.Agent(trust) : createPinnedAgent(trust, fingerprint) }
}

/** Sends one request and returns its answer; never rejects. The timeout covers the whole exchange. */
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
    const timeoutError = new Error(`no answer within ${timeoutMs / 1000} s`)
    outgoing.destroy(timeoutError)
    // A request that is destroyed before it has a connection emits no error.
    fail(timeoutError)
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
    // A connection that breaks during the answer emits no "end".
    incoming.on('close', () => finish({ status: 0, reason: 'the connection broke during the answer' }))
  })
  outgoing.end(request.body)
  return promise
}

/** A full disk ends the exchange, not the program. */
function writeTo(sink: NonNullable<HttpRequest['sink']>, piece: Buffer, incoming: IncomingMessage): void {
  try {
    sink.write(piece)
  } catch (error) {
    incoming.destroy(error instanceof Error ? error : new Error(String(error)))
  }
}

/** If several addresses fail, the error itself has no message. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ')
  return messageOf(error)
}
