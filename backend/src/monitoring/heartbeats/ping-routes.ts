import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { onTransaction } from '../checks/index.ts'
import { enforceLimit, hashSecret } from '../../access/auth/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Db } from '../../platform/db/index.ts'
import { ApiError, rateLimited } from '../../platform/errors.ts'
import {
  answerInFirstHook,
  type App,
  limitHeaders,
  limitKeyOfAddress,
  pathOf,
  type RateLimiter,
} from '../../platform/http/index.ts'
import { bodyText, KEPT_BODY_BYTES, MAX_BODY_BYTES, shortText } from './evidence.ts'
import type { Ping, PingAnswer, PingStore } from './ingest.ts'
import { parsePing, type ParsedPing, parsePush } from './ping-request.ts'
import { findKeyOwner, lockTargets } from './store.ts'

export interface PingRouteDeps {
  db: Db
  clock: Clock
  limiter: RateLimiter
  pings: PingStore
  /** Makes a heartbeat of this slug; false where the plan allows no more monitors. */
  provision(organization: { number: number; id: string }, slug: string, ip: string): Promise<boolean>
}

/** Secrets that were valid lately: their pings pass when their address has sent too many unknown ones. */
const MAX_KNOWN = 100_000
const TEXT = 'text/plain; charset=utf-8'
/** Pages of other origins may ping, as with Healthchecks; and no cache may answer in our place. */
const PING_HEADERS = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'cache-control': 'no-store',
}
const KUMA_UNKNOWN = 'Monitor not found or not active.'

/**
 * The addresses to which jobs send pings, without credentials but their own. They answer in the first hook: none of what the API
 * does for its requests applies, and a ping must be cheap.
 */
export function pingRoutes(app: App, { db, clock, limiter, pings, provision }: PingRouteDeps): void {
  const { admit, learn } = createPingLimits(limiter)

  /** Stores a ping; `name` identifies its secret, and its slug, for the limits. */
  async function take(
    request: FastifyRequest,
    reply: FastifyReply,
    ping: Omit<Ping, 'atMs' | 'method' | 'address' | 'userAgent'>,
  ) {
    const { hash, slug } = ping.target
    const name = slug === null ? hash.toString('latin1') : `${hash.toString('latin1')}${slug}`
    admit(request, reply, name)
    const arrived = {
      atMs: Math.round(clock.now()),
      method: request.method,
      address: request.ip,
      userAgent: shortText(request.headers['user-agent'], []),
    }
    const send = () => pings.take({ ...ping, ...arrived })
    const answer = await send()
    learn(request, name, answer)
    return { answer, again: send }
  }

  async function answerPing(request: FastifyRequest, reply: FastifyReply, parsed: ParsedPing, bytes: Buffer): Promise<void> {
    reply.type(TEXT)
    if ('status' in parsed) return void reply.code(parsed.status).send(parsed.text)
    const { secret, slug, kind, exitCode, rid, creates, fault } = parsed
    const target = { hash: hashSecret(secret), slug }
    if (fault) {
      const isKnown = (await lockTargets({ run: onTransaction(db) }, [target])).size > 0
      if (!isKnown) limiter.record(limitKeyOfAddress(request.ip, 'ping'), 'ping')
      return void reply.code(isKnown ? 400 : 404).send(isKnown ? fault : 'not found')
    }
    const encoding = request.headers['content-encoding']
    const body = encoding === undefined ? bodyText(bytes, request.headers['content-type'], [secret]) : null
    const { answer, again } = await take(request, reply, { target, kind, exitCode, rid, reportedMs: null, body })
    if (answer !== 'unknown') return void reply.code(200).headers(ANSWER_HEADERS).send('OK')
    if (!creates || slug === null || !(await create(target.hash, slug, request.ip))) return void reply.code(404).send('not found')
    await again()
    reply.code(201).headers(ANSWER_HEADERS).send('Created')
  }

  async function create(hash: Buffer, slug: string, ip: string): Promise<boolean> {
    const owner = await findKeyOwner(db, hash)
    if (owner === undefined) return false
    // From wherever they come, as many as an API key may make.
    await enforceLimit(limiter, `ping_key:${hash.toString('base64')}`, 'write')
    return provision(owner, slug, ip)
  }

  async function answerPush(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const [path, query] = split(request.url)
    const token = path.slice(PUSH.length)
    const parsed = parsePush(query)
    const refuse = (msg: string) => reply.code(404).send({ ok: false, msg })
    if ('refusal' in parsed) return void refuse(parsed.refusal)
    const { kind, reportedMs, message } = parsed
    const target = { hash: hashSecret(token), slug: null }
    const body = message === null ? null : bodyText(Buffer.from(message), undefined, [token])
    const { answer } = await take(request, reply, { target, kind, exitCode: null, rid: null, reportedMs, body })
    if (answer !== 'taken') return void refuse(KUMA_UNKNOWN)
    reply.code(200).send({ ok: true })
  }

  answerInFirstHook(app, { method: ['GET', 'HEAD', 'POST'], url: `${PING}*` }, async (request, reply) => {
    reply.headers(PING_HEADERS)
    const [path, query] = split(request.url)
    const bytes = await readBeginning(request.raw)
    await answerPing(request, reply, parsePing(path.slice(PING.length), query), bytes)
  })
  answerInFirstHook(app, { method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'], url: `${PUSH}*` }, (request, reply) => {
    reply.headers(PING_HEADERS)
    request.raw.resume()
    return answerPush(request, reply)
  })
}

function createPingLimits(limiter: RateLimiter) {
  const known = new Set<string>()

  /** Counts a ping by its secret, or by its address where the secret is unknown. In memory: a statement would cost as much. */
  function admit(request: FastifyRequest, reply: FastifyReply, name: string): void {
    const ofSecret = `ping:${name}`
    const key = known.has(name) ? ofSecret : limitKeyOfAddress(request.ip, 'ping')
    const { remaining } = limiter.peek(key, 'ping')
    const state = key === ofSecret ? limiter.record(key, 'ping') : limiter.peek(key, 'ping')
    reply.headers(limitHeaders(state))
    if (remaining > 0) return
    throw rateLimited('Too many pings.', { max: state.limit, nowMs: limiter.now(), untilMs: state.resetAtSeconds * 1000 })
  }

  function learn(request: FastifyRequest, name: string, answer: PingAnswer): void {
    if (answer === 'unknown') {
      known.delete(name)
      limiter.record(limitKeyOfAddress(request.ip, 'ping'), 'ping')
      return
    }
    if (known.has(name)) return
    if (known.size >= MAX_KNOWN) known.delete(known.values().next().value as string)
    known.add(name)
  }

  return { admit, learn }
}

const [PING, PUSH] = ['/ping/', '/api/push/']
const ANSWER_HEADERS = { 'ping-body-limit': String(KEPT_BODY_BYTES) }

const split = (url: string): [string, string] => {
  const path = pathOf(url)
  return [path, url.slice(path.length + 1)]
}

/** The beginning of a body when all of it has arrived; what is beyond is thrown away. */
async function readBeginning(raw: IncomingMessage): Promise<Buffer> {
  const { 'content-length': length, 'transfer-encoding': encoding } = raw.headers
  if (encoding === undefined && (length === undefined || length === '0')) return NOTHING
  let [received, kept] = [0, 0]
  const chunks: Buffer[] = []
  return new Promise((resolve, reject) => {
    raw.on('data', (chunk: Buffer) => {
      received += chunk.length
      if (kept < KEPT_BODY_BYTES) chunks.push(chunk.subarray(0, KEPT_BODY_BYTES - kept))
      kept = Math.min(KEPT_BODY_BYTES, received)
      if (received > MAX_BODY_BYTES) reject(new ApiError('payload_too_large', `The body has more than ${MAX_BODY_BYTES} bytes.`))
    })
    raw.on('end', () => resolve(Buffer.concat(chunks).subarray(0, KEPT_BODY_BYTES)))
    raw.on('error', (error) => reject(Object.assign(error, { statusCode: 400 })))
  })
}

const NOTHING = Buffer.alloc(0)
