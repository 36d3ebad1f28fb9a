import type { RouteOptions } from 'fastify'
import type { Clock } from '../time/clock.ts'
import { type Db, inTransaction } from '../db/index.ts'
import { ApiError } from '../errors.ts'
import { runOnce } from '../idempotency/index.ts'
import type { Encrypter } from '../crypto/encrypter.ts'
import type { App } from './app.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * How a repeat with the same `Idempotency-Key` is handled: it gets the first answer (`true`), a conflict with the created id
     * because the answer contained a secret (`'secret'`), or is an ordinary request (`false`). The start-up fails for a POST under
     * /v1 without this field. Routes with `true` and `'secret'` use `Creating`.
     */
    idempotent?: true | 'secret' | false
  }
}

/** The result of a creating request. */
export interface Creation<T> {
  status: 200 | 201
  /** Public id: `mon_…`. */
  id: string
  /** Path of the created resource, where it has one. */
  location?: string | undefined
  body: T
}

/** The sender of the request; keys of different credentials are independent. */
export interface Sender {
  credential: string
  /** The organization that the request acts in. */
  organization: string | undefined
}

interface CreatingRequest {
  method: string
  url: string
  headers: Record<string, string | string[] | undefined>
  body?: unknown
  routeOptions: { config: { idempotent?: true | 'secret' | false } }
}

interface CreatingReply {
  code(status: number): unknown
  header(name: string, value: string): unknown
  type(type: string): unknown
  serialize(payload: unknown): string | ArrayBuffer | Buffer
}

export interface CreatingDeps {
  db: Db
  clock: Clock
  senderOf(request: object): Sender
  /** Encrypts the stored answers, which contain values that are encrypted elsewhere. */
  encrypter: Encrypter
}

/**
 * Answers a creating request: runs the work in one transaction, or returns the first answer again for a repeat under the same
 * `Idempotency-Key`. The work must store everything through the `db` that it receives; services that open a transaction on it
 * join this one. Only successes are stored: after an error the same key runs the work again.
 */
export type Creating = <T>(request: CreatingRequest, reply: CreatingReply, work: (db: Db) => Promise<Creation<T>>) => Promise<T>

export function createCreating(deps: CreatingDeps): Creating {
  return async <T>(request: CreatingRequest, reply: CreatingReply, work: (db: Db) => Promise<Creation<T>>): Promise<T> => {
    const { method, url, body, routeOptions } = request
    const key = request.headers[HEADER.toLowerCase()] as string | undefined
    if (key === undefined) return answer(reply, await inTransaction(deps.db, work))
    const { credential, organization } = deps.senderOf(request)
    const isSecret = routeOptions.config.idempotent === 'secret'
    const context = `${credential} ${key}`
    const repeatable = { credential, key, content: [organization ?? null, method, url, body ?? null] }
    const outcome = await runOnce(deps, repeatable, async (db) => {
      const creation = await work(db)
      const answer = { status: creation.status, madeId: creation.id, location: creation.location }
      return {
        result: creation,
        stored: { ...answer, body: isSecret ? undefined : encrypt(deps.encrypter, serialize(reply, creation), context) },
      }
    })
    if ('result' in outcome) return answer(reply, outcome.result)
    const { stored } = outcome
    if (stored.location !== undefined) reply.header('Location', stored.location)
    if (stored.body === undefined) throw alreadyMade(stored.madeId, HELD_SECRET)
    const text = decrypt(deps.encrypter, stored.body, context)
    if (text === undefined) throw alreadyMade(stored.madeId, UNREADABLE)
    reply.code(stored.status)
    reply.header('Idempotent-Replayed', 'true')
    reply.type('application/json; charset=utf-8')
    // Already serialized and sent unchanged; the type of the route describes the value before that.
    return text as T
  }
}

function answer<T>(reply: CreatingReply, { status, location, body }: Creation<T>): T {
  reply.code(status)
  if (location !== undefined) reply.header('Location', location)
  return body
}

/** The serialized body: route and status determine the serializer, and those of JSON return text. */
function serialize<T>(reply: CreatingReply, { status, body }: Creation<T>): string {
  reply.code(status)
  return reply.serialize(body) as string
}

const encrypt = (encrypter: Encrypter, text: string, context: string): string =>
  encrypter.encrypt(Buffer.from(text), context).toString('base64')

const decrypt = (encrypter: Encrypter, encrypted: string, context: string): string | undefined =>
  encrypter.decrypt(Buffer.from(encrypted, 'base64'), context)?.toString()

const HELD_SECRET = 'Its answer contained a secret, which is shown only once and not stored.'
/** The installation's secret was replaced within the last 24 hours. */
const UNREADABLE = 'Its answer can no longer be decrypted.'

const alreadyMade = (id: string, why: string): ApiError =>
  new ApiError('conflict', `This request was already executed and created ${id}. ${why}`, {
    details: [{ path: 'id', message: id }],
  })

const HEADER = 'Idempotency-Key'

const HEADERS_SCHEMA = {
  type: 'object',
  properties: {
    [HEADER.toLowerCase()]: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      pattern: '^[ -~]*$',
      'x-form': '1 to 255 printable ASCII characters',
      description:
        'Makes the request safe to repeat for 24 hours: the same key with the same request is answered like the first one (where ' +
        'that answer contained a secret: 409 with the id of the created resource), with another request or while the first is under way with 409.',
    },
  },
}

/**
 * Requires every POST to declare whether it is idempotent, and adds the header to those that are. Not only those that answer 201:
 * a comment, a new token or many changes at once answer 200.
 */
export function requireIdempotency(app: App): void {
  app.addHook('onRoute', (route) => completeRoute(route))
}

function completeRoute({ method, url, schema, config }: RouteOptions): void {
  if (!url.startsWith('/v1') || ![method].flat().includes('POST') || !schema) return
  const idempotent = config?.idempotent
  if (idempotent === undefined) throw new Error(`POST ${url} does not declare whether it is idempotent`)
  if (idempotent) schema.headers ??= HEADERS_SCHEMA
}
