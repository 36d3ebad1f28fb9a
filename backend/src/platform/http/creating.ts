import type { RouteOptions } from 'fastify'
import type { Clock } from '../clock.ts'
import { type Db, inTransaction } from '../db/index.ts'
import { ApiError } from '../errors.ts'
import { runOnce } from '../idempotency/index.ts'
import type { Sealer } from '../sealer.ts'
import type { App } from './app.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Whether a repeat with the same `Idempotency-Key` is answered like the first request (`true`), with a conflict that names
     * what was made because the answer held a secret (`'secret'`), or is a request like any other (`false`). A POST under /v1
     * that answers 201 and does not say stops the start-up. Both of the first go through `Creating`.
     */
    idempotent?: true | 'secret' | false
  }
}

/** What a creating request made. */
export interface Made<T> {
  status: 200 | 201
  /** As clients know it: `mon_…`. */
  id: string
  /** Path of what was made, where it has one. */
  location?: string | undefined
  body: T
}

/** Who sends the request; keys of different credentials have nothing to do with each other. */
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
  /** Of the answers that are kept: what is sealed elsewhere must not stand in them as it is. */
  sealer: Sealer
}

/**
 * Answers a creating request: does the work in one transaction, or, for a repeat under the same `Idempotency-Key`, gives the
 * first answer again. Everything that the work stores goes through the `db` that it is passed; services that open a
 * transaction of their own on it join this one. Only successes are kept: after an error the same key tries anew.
 */
export type Creating = <T>(request: CreatingRequest, reply: CreatingReply, work: (db: Db) => Promise<Made<T>>) => Promise<T>

export function createCreating(deps: CreatingDeps): Creating {
  return async <T>(request: CreatingRequest, reply: CreatingReply, work: (db: Db) => Promise<Made<T>>): Promise<T> => {
    const { method, url, body, routeOptions } = request
    const key = request.headers[HEADER.toLowerCase()] as string | undefined
    if (key === undefined) return answer(reply, await inTransaction(deps.db, work))
    const { credential, organization } = deps.senderOf(request)
    const isSecret = routeOptions.config.idempotent === 'secret'
    const context = `${credential} ${key}`
    const repeatable = { credential, key, content: [organization ?? null, method, url, body ?? null] }
    const outcome = await runOnce(deps, repeatable, async (db) => {
      const made = await work(db)
      const kept = { status: made.status, madeId: made.id, location: made.location }
      return { result: made, kept: { ...kept, body: isSecret ? undefined : seal(deps.sealer, serialize(reply, made), context) } }
    })
    if ('result' in outcome) return answer(reply, outcome.result)
    const { kept } = outcome
    if (kept.location !== undefined) reply.header('Location', kept.location)
    if (kept.body === undefined) throw alreadyMade(kept.madeId, HELD_SECRET)
    const text = unseal(deps.sealer, kept.body, context)
    if (text === undefined) throw alreadyMade(kept.madeId, SEAL_IS_GONE)
    reply.code(kept.status)
    reply.header('Idempotent-Replayed', 'true')
    reply.type('application/json; charset=utf-8')
    // Serialized before, and sent as it is; the route's type knows only what it was serialized from.
    return text as T
  }
}

function answer<T>(reply: CreatingReply, { status, location, body }: Made<T>): T {
  reply.code(status)
  if (location !== undefined) reply.header('Location', location)
  return body
}

/** The body as it goes out: the serializer follows from route and status, and those of JSON give text. */
function serialize<T>(reply: CreatingReply, { status, body }: Made<T>): string {
  reply.code(status)
  return reply.serialize(body) as string
}

const seal = (sealer: Sealer, text: string, context: string): string => sealer.seal(Buffer.from(text), context).toString('base64')

const unseal = (sealer: Sealer, sealed: string, context: string): string | undefined =>
  sealer.open(Buffer.from(sealed, 'base64'), context)?.toString()

const HELD_SECRET = 'Its answer held a secret, which is shown once and not kept.'
/** The installation's secret was replaced within the day. */
const SEAL_IS_GONE = 'Its answer cannot be read any more.'

const alreadyMade = (id: string, why: string): ApiError =>
  new ApiError('conflict', `This request was done before and made ${id}. ${why}`, { details: [{ path: 'id', message: id }] })

const HEADER = 'Idempotency-Key'

const HEADERS_SCHEMA = {
  type: 'object',
  properties: {
    [HEADER.toLowerCase()]: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      pattern: '^[ -~]*$',
      description:
        'Makes the request safe to repeat for 24 hours: the same key with the same request is answered like the first one (where ' +
        'that answer held a secret: 409 with the id of what was made), with another request or while the first is under way with 409.',
    },
  },
}

/** Every creating route says whether it may be repeated; those that may take the header. */
export function requireIdempotency(app: App): void {
  app.addHook('onRoute', (route) => completeRoute(route))
}

function completeRoute({ method, url, schema, config }: RouteOptions): void {
  if (!url.startsWith('/v1') || ![method].flat().includes('POST') || !schema) return
  const makes = Object.hasOwn(schema.response ?? {}, '201')
  const idempotent = config?.idempotent
  if (makes && idempotent === undefined) throw new Error(`POST ${url} makes something and does not say whether it is idempotent`)
  if (idempotent) schema.headers ??= HEADERS_SCHEMA
}
