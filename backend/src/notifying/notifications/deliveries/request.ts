import type { Socket } from 'node:net'
import { buildConnector, Client, errors } from 'undici'
import { after } from '../../../platform/time/monotonic.ts'
import { type DeliveryCode, DeliveryError, type OutboundRequest, type OutboundResponse } from '../messages/delivery.ts'

/** Connects to addresses that the target policy allows, as checks do; the errors it throws have a `code`. */
export type Connect = (
  target: { host: string; port: number },
  limits: { timeoutMs: number; signal?: AbortSignal },
) => Promise<Socket>

interface RequesterLimits {
  /** Name resolution, connection, TLS, redirects and response together. */
  limitMs?: number
  /** The rest of a longer response is not read. */
  maxResponseBytes?: number
  maxRedirects?: number
  /** Of requests that only read: all redirects are followed. */
  isReading?: boolean
}
/** Those that repeat the request; after the others a client sends a GET, which notifies nobody. */
const REPEATING: ReadonlySet<number> = new Set([307, 308])
const READING: ReadonlySet<number> = new Set([301, 302, 303, ...REPEATING])

// Only one connection is made by a client: a session could not be resumed.
const upgradeToTls = buildConnector({ allowH2: false, maxCachedSessions: 0 })

/**
 * Sends requests to targets that the policy allows, within limits of time and size. Each redirect is checked like the first target.
 * Throws DeliveryError where there is no response. `ending` aborts it.
 */
export function createRequester(
  connect: Connect,
  ending: AbortSignal,
  { limitMs = 10_000, maxResponseBytes = 16_384, maxRedirects = 3, isReading = false }: RequesterLimits = {},
) {
  const limits = { limitMs, maxResponseBytes, maxRedirects, isReading }
  return async (request: OutboundRequest): Promise<OutboundResponse> => {
    // Not `AbortSignal.any`: its listeners live as long as `ending`.
    const controller = new AbortController()
    const abort = () => controller.abort()
    let isLate = false
    const timeOut = () => {
      isLate = true
      abort()
    }
    const timer = after(limitMs, timeOut, { isKeptAlive: true })
    ending.addEventListener('abort', abort)
    if (ending.aborted) abort()
    try {
      return await sendFollowingRedirects(connect, request, controller.signal, limits)
    } catch (error) {
      if (isLate) throw new DeliveryError('timeout', `no response within ${limitMs / 1000} s`)
      throw toDeliveryError(error)
    } finally {
      timer.cancel()
      ending.removeEventListener('abort', abort)
    }
  }
}

async function sendFollowingRedirects(
  connect: Connect,
  request: OutboundRequest,
  signal: AbortSignal,
  limits: Required<RequesterLimits>,
): Promise<OutboundResponse> {
  let current = request
  for (let redirects = 0; ; redirects += 1) {
    const target = parseTarget(current.url)
    const response = await exchange(connect, target, current, signal, limits)
    const location = (limits.isReading ? READING : REPEATING).has(response.status) ? response.headers['location'] : undefined
    if (typeof location !== 'string') return response
    if (redirects >= limits.maxRedirects) throw new DeliveryError('protocol', `more than ${limits.maxRedirects} redirects`)
    const next = URL.parse(location, target)
    if (!next) throw new DeliveryError('protocol', 'the redirect is not a URL')
    if (next.origin !== target.origin && current.staysAtOrigin)
      throw new DeliveryError('blocked', 'the redirect leads to another origin')
    current = { ...(next.origin === target.origin ? current : withoutSecrets(current)), url: next.href }
  }
}

/** Secrets are for the origin that they were configured for. Throws DeliveryError where the body has one. */
function withoutSecrets({ secretHeaders: _secret, ...request }: OutboundRequest): OutboundRequest {
  const { headers, body, secrets = [] } = request
  const has = (text: string) =>
    secrets.some((secret) => text.includes(secret) || text.includes(JSON.stringify(secret).slice(1, -1)))
  if (has(body.toString()))
    throw new DeliveryError('protocol', 'the redirect leads to another origin, and the message has a secret')
  return { ...request, headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => !has(value))) }
}

function parseTarget(url: string): URL {
  const target = URL.parse(url)
  if (target?.protocol !== 'http:' && target?.protocol !== 'https:')
    throw new DeliveryError('blocked', 'the target is not http or https')
  return target
}

/** Each request has a connection of its own: the address is checked when it connects. */
async function exchange(
  connect: Connect,
  target: URL,
  { method = 'POST', headers, secretHeaders, body }: OutboundRequest,
  signal: AbortSignal,
  { limitMs: timeoutMs, maxResponseBytes }: Required<RequesterLimits>,
): Promise<OutboundResponse> {
  const client = new Client(target.origin, {
    allowH2: false,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connect: (options, callback) => void passSocket(open(connect, options, signal, timeoutMs), callback),
  })
  try {
    const {
      statusCode,
      headers: responseHeaders,
      body: stream,
    } = await client.request({
      method,
      path: `${target.pathname}${target.search}`,
      headers: { 'user-agent': 'Vedette', ...headers, ...secretHeaders },
      body: body.length === 0 ? null : body,
      signal,
    })
    stream.on('error', () => undefined) // the rest of a response that is not read
    const bytes = await readBeginning(stream, maxResponseBytes)
    return { status: statusCode, headers: responseHeaders, text: bytes.toString(), bytes }
  } finally {
    void client.destroy().catch(() => undefined)
  }
}

async function passSocket(opening: Promise<Socket>, callback: buildConnector.Callback): Promise<void> {
  let socket: Socket
  try {
    socket = await opening
  } catch (error) {
    callback(error as Error, null)
    return
  }
  callback(null, socket)
}

/** The socket of a request, after the TLS handshake; the certificate is verified against the host of the URL, also an address. */
async function open(connect: Connect, options: buildConnector.Options, signal: AbortSignal, timeoutMs: number): Promise<Socket> {
  const { protocol, hostname: host } = options
  const port = Number(options.port || (protocol === 'http:' ? 80 : 443))
  const socket = await connect({ host, port }, { timeoutMs, signal })
  signal.addEventListener('abort', () => socket.destroy(), { once: true })
  if (protocol === 'http:') return socket
  return new Promise((resolve, reject) => {
    upgradeToTls({ ...options, httpSocket: socket }, (error, secure) => {
      if (secure) resolve(secure)
      else reject(new DeliveryError('tls', error.message))
    })
  })
}

async function readBeginning(stream: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= maxBytes) break
  }
  return Buffer.concat(chunks).subarray(0, maxBytes)
}

const CONNECTION_CODES: ReadonlySet<string> = new Set(['dns', 'connect', 'tls', 'timeout', 'protocol', 'blocked', 'internal'])
/** Of responses that undici refuses after they were parsed. */
const PROTOCOL_CODES = /^UND_ERR_(?:HEADERS_OVERFLOW$|RES_)/

/** Errors of a guarded connection have their code; the others are a lost connection, or no HTTP. */
function toDeliveryError(error: unknown): DeliveryError {
  if (error instanceof DeliveryError) return error
  const { code = '', message } = error as { code?: string; message: string }
  if (CONNECTION_CODES.has(code)) return new DeliveryError(code as DeliveryCode, message)
  if (error instanceof errors.HTTPParserError || PROTOCOL_CODES.test(code))
    return new DeliveryError('protocol', 'the response is not valid HTTP')
  return new DeliveryError('connect', code === '' ? message : `the connection was lost (${code})`)
}
