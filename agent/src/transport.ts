import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { systemClock } from './clock.ts'
import { messageOf } from './log.ts'
import { createLookup } from './resolve-name.ts'

/** An answer is small; more than this is not from our backend. */
const MAX_ANSWER_BYTES = 65_536
const REQUEST_TIMEOUT_MS = 15_000

interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT'
  /** The whole address. */
  url: string
  headers?: Record<string, string>
  body?: Buffer
  timeoutMs?: number
}

/** What came back. No answer at all (no connection, no time left, too long) is a value with the reason. */
export type HttpAnswer = { status: number; headers: IncomingMessage['headers']; body: string } | { status: 0; reason: string }

const lookup = createLookup()

export interface Transport {
  send(request: HttpRequest): Promise<HttpAnswer>
  close(): void
}

interface Protocol {
  request(url: URL, options: RequestOptions): ClientRequest
  Agent: typeof Agent
}

/**
 * HTTP over one kept connection. Node's own client, because fetch and undici cost tens of megabytes; and loaded when the first
 * request needs it, because TLS is megabytes too.
 */
export function createTransport(): Transport {
  const agents = new Map<string, { protocol: Protocol; agent: Agent }>()
  const agentFor = (scheme: string) => {
    let entry = agents.get(scheme)
    if (!entry) {
      const protocol: Protocol =
        scheme === 'https:' ? process.getBuiltinModule('node:https') : process.getBuiltinModule('node:http')
      entry = { protocol, agent: new protocol.Agent({ keepAlive: true, maxSockets: 1 }) }
      agents.set(scheme, entry)
    }
    return entry
  }
  return {
    send: (request) => {
      const url = new URL(request.url)
      const { protocol, agent } = agentFor(url.protocol)
      return exchange(request, (headers) => protocol.request(url, { method: request.method, agent, headers, lookup }))
    },
    close: () => {
      for (const { agent } of agents.values()) agent.destroy()
    },
  }
}

/** One request and its answer; never rejects. The time limit is for the whole exchange, whatever part of it is slow. */
function exchange(request: HttpRequest, open: (headers: Record<string, string>) => ClientRequest): Promise<HttpAnswer> {
  const { promise, resolve } = Promise.withResolvers<HttpAnswer>()
  const timeoutMs = request.timeoutMs ?? REQUEST_TIMEOUT_MS
  const bodyHeaders: Record<string, string> = request.body
    ? { 'content-type': 'application/json', 'content-length': String(request.body.length) }
    : {}
  const outgoing = open({ accept: 'application/json', ...bodyHeaders, ...request.headers })
  const cancelTimer = systemClock.after(timeoutMs, () => outgoing.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)))
  const finish = (answer: HttpAnswer) => {
    cancelTimer()
    resolve(answer)
  }
  const fail = (error: unknown) => finish({ status: 0, reason: reasonOf(error) })
  outgoing.on('error', fail)
  outgoing.on('response', (incoming) => {
    const pieces: Buffer[] = []
    let length = 0
    incoming.on('data', (piece: Buffer) => {
      length += piece.length
      if (length > MAX_ANSWER_BYTES) incoming.destroy(new Error('the answer is too long to be from a Vedette backend'))
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

/** Several addresses tried in vain make an error without a message of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ')
  return messageOf(error)
}
