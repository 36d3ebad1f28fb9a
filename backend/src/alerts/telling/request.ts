import http, { type IncomingMessage, type RequestOptions } from 'node:http'
import https from 'node:https'
import { isIP, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { after } from '../../platform/monotonic.ts'
import { type DeliveryCode, DeliveryError, type OutAnswer, type OutRequest } from './delivery.ts'

/** A connection under the address rules of checks; what it throws has their `code`. */
export type Connect = (
  target: { host: string; port: number },
  limits: { timeoutMs: number; signal?: AbortSignal },
) => Promise<Socket>

/** All of it: names, connection, TLS, redirects, answer. */
const LIMIT_MS = 10_000
/** What a service says of a message is short; of what is longer the rest is left unread. */
const MAX_ANSWER_BYTES = 16_384
const MAX_REDIRECTS = 3
/** What repeats the request as it is. The others would make a GET of it, which tells nothing. */
const REPEATING: ReadonlySet<number> = new Set([307, 308])
/** Credentials of the place that they were given for. */
const BOUND_HEADERS = /^(?:authorization|x-gotify-key)$/i

/**
 * Sends a request under the rules of targets, with bounds of time and size. Throws DeliveryError where there is no answer. `ending`
 * cuts it off.
 */
export function createRequester(connect: Connect, ending: AbortSignal, limitMs = LIMIT_MS) {
  return async (request: OutRequest): Promise<OutAnswer> => {
    // Not `AbortSignal.any`: what listens to such a signal is kept for as long as `ending` lives.
    const cut = new AbortController()
    const end = () => cut.abort()
    let isLate = false
    const late = () => {
      isLate = true
      end()
    }
    const alarm = after(limitMs, late, { isKeptAlive: true })
    ending.addEventListener('abort', end)
    if (ending.aborted) end()
    try {
      return await follow(connect, request, cut.signal, limitMs)
    } catch (error) {
      if (isLate) throw new DeliveryError('timeout', `no answer within ${limitMs / 1000} s`)
      throw toDeliveryError(error)
    } finally {
      alarm.cancel()
      ending.removeEventListener('abort', end)
    }
  }
}

async function follow(connect: Connect, request: OutRequest, signal: AbortSignal, timeoutMs: number): Promise<OutAnswer> {
  let { url, headers } = request
  for (let hops = 0; ; hops += 1) {
    const target = parse(url)
    const answer = await exchange(target, { ...request, url, headers }, () => open(connect, target, signal, timeoutMs), signal)
    const location = REPEATING.has(answer.status) ? answer.headers['location'] : undefined
    if (typeof location !== 'string') return answer
    if (hops >= MAX_REDIRECTS) throw new DeliveryError('protocol', `it redirects more than ${MAX_REDIRECTS} times`)
    const next = URL.parse(location, target)
    if (!next) throw new DeliveryError('protocol', 'it redirects to something that is no URL')
    if (next.origin !== target.origin)
      headers = Object.fromEntries(Object.entries(headers).filter(([name]) => !BOUND_HEADERS.test(name)))
    url = next.href
  }
}

function parse(url: string): URL {
  const target = URL.parse(url)
  if (target?.protocol !== 'http:' && target?.protocol !== 'https:')
    throw new DeliveryError('blocked', 'the target is not http or https')
  return target
}

/** The connection that a request goes over, TLS included. */
async function open(connect: Connect, target: URL, signal: AbortSignal, timeoutMs: number): Promise<Duplex> {
  const host = target.hostname.startsWith('[') ? target.hostname.slice(1, -1) : target.hostname
  const isPlain = target.protocol === 'http:'
  const port = target.port === '' ? (isPlain ? 80 : 443) : Number(target.port)
  const socket = await connect({ host, port }, { timeoutMs, signal })
  signal.addEventListener('abort', () => socket.destroy(), { once: true })
  if (isPlain) return socket
  const secure = connectTls({ socket, ALPNProtocols: ['http/1.1'], ...(isIP(host) === 0 && { servername: host }) })
  return new Promise((resolve, reject) => {
    secure.once('secureConnect', () => resolve(secure))
    secure.once('error', (error) => reject(new DeliveryError('tls', error.message)))
  })
}

type CreateConnection = NonNullable<RequestOptions['createConnection']>

async function exchange(
  target: URL,
  { method = 'POST', headers, body }: OutRequest,
  openIt: () => Promise<Duplex>,
  signal: AbortSignal,
): Promise<OutAnswer> {
  const createConnection: CreateConnection = (_options, pass) => {
    // The library's type promises a stream with every call, where Node gives an error alone.
    openIt().then(
      (stream) => pass(null, stream),
      (error: unknown) => (pass as (error: Error) => void)(error as Error),
    )
    return undefined
  }
  const length = String(Buffer.byteLength(body))
  const options = { method, headers: { 'user-agent': 'Vedette', ...headers, 'content-length': length }, createConnection, signal }
  const request = (target.protocol === 'http:' ? http : https).request(target, options)
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve)
    request.on('error', reject)
  })
  request.end(body)
  const response = await answered
  const text = await readBeginning(response)
  request.destroy()
  return { status: response.statusCode ?? 0, headers: response.headers, text }
}

async function readBeginning(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= MAX_ANSWER_BYTES) break
  }
  return Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES).toString()
}

const CONNECTION_CODES: ReadonlySet<string> = new Set(['dns', 'connect', 'tls', 'timeout', 'protocol', 'blocked', 'internal'])

/** What a guarded connection throws has a code of its own; the rest is the connection's end, or no HTTP. */
function toDeliveryError(error: unknown): DeliveryError {
  if (error instanceof DeliveryError) return error
  const { code = '', message } = error as { code?: string; message: string }
  if (CONNECTION_CODES.has(code)) return new DeliveryError(code as DeliveryCode, message)
  if (code.startsWith('HPE_')) return new DeliveryError('protocol', 'what it answers is not HTTP')
  return new DeliveryError('connect', code === '' ? message : `the connection was lost (${code})`)
}
