import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { TSchema } from 'typebox'
import { type Db, inTransaction } from '../db/index.ts'
import { ApiError, invalid } from '../errors.ts'
import type { App } from './app.ts'
import { createSchemaOf } from './named-schemas.ts'
import { routeOf } from './route-methods.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * GET, PATCH and DELETE of one resource: the answer has an `ETag`, `If-None-Match` gets a 304, and `If-Match` a 412 where the
     * resource has changed. PATCH and DELETE use `Changing`.
     */
    hasEtag?: true
    /** Fields that measurements change: a PATCH may send them back whatever they are now. */
    measured?: readonly string[]
    /** Dotted fields that differ at each reading, whatever was measured: the ends of a window that ends now. No tag contains them. */
    moving?: readonly string[]
  }
}

/** What a PATCH or DELETE changes. */
export interface ChangedResource {
  /** Locks its row until the transaction ends. */
  lock(db: Db): Promise<unknown>
  /** As GET answers the caller. Throws not_found. */
  read(db: Db): Promise<object>
}

/**
 * Runs a change. Where the request has `If-Match` or read-only fields, the resource is locked and compared in the transaction in
 * which it is changed. `work` must store everything through the `db` that it receives.
 */
export type Changing = <T>(
  request: FastifyRequest,
  reply: FastifyReply,
  resource: ChangedResource,
  work: (db: Db) => Promise<T>,
) => Promise<T>

type Fields = Record<string, unknown>

/** Adds tags to the routes that are registered after it. */
export function addEtags(app: App, schemas: readonly TSchema[]): { changing(db: Db): Changing } {
  const propertiesOf = createPropertiesOf(schemas)
  /** What a PATCH may change, and what only GET shows, by the URL of the route. */
  const editable = new Map<string, ReadonlySet<string>>()
  const shown = new Map<string, ReadonlySet<string>>()
  const readOnly = new WeakMap<FastifyRequest, Fields>()
  const urlOf = (request: FastifyRequest) => routeOf(request).url ?? ''
  const versionOf = (request: FastifyRequest, resource: Fields) =>
    digest(pick(resource, ['updated_at', ...(editable.get(urlOf(request)) ?? [])]))
  const { noteTag, addTag } = createTagHooks(versionOf)

  const splitReadOnly = (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void => {
    const { body } = request
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) {
      const names = Object.keys(body).filter((name) => isReadOnly(urlOf(request), name))
      // Without them it would be empty, and the error would name no field.
      if (names.length > 0 && names.length === Object.keys(body).length)
        return done(invalid(...names.map((path) => ({ path, message: 'is read-only' }))))
      if (names.length > 0) readOnly.set(request, pick(body as Fields, names))
      for (const name of names) delete (body as Fields)[name]
    }
    done()
  }
  const isReadOnly = (url: string, name: string) => shown.get(url)?.has(name) === true && editable.get(url)?.has(name) !== true
  app.addHook('onRoute', (route: RouteOptions) => {
    const { method, url, schema, config } = route
    if (config?.hasEtag !== true) return
    if ([method].flat().includes('GET') && schema?.response) {
      shown.set(url, propertiesOf((schema.response as Fields)['200']))
      schema.response = {
        ...schema.response,
        304: { type: 'null', description: 'Unchanged since the version of `If-None-Match`' },
      }
    }
    if ([method].flat().includes('PATCH')) {
      editable.set(url, propertiesOf(schema?.body))
      route.preValidation = [splitReadOnly, ...[route.preValidation ?? []].flat()]
    }
    if ([method].flat().includes('DELETE')) return
    route.preSerialization = [noteTag, ...[route.preSerialization ?? []].flat()]
    // Before the compression.
    route.onSend = [addTag, ...[route.onSend ?? []].flat()]
  })

  const changing =
    (db: Db): Changing =>
    (request, reply, resource, work) => {
      const expected = request.headers['if-match']
      const sent = readOnly.get(request)
      if (expected === undefined && sent === undefined) return work(db)
      return inTransaction(db, async (transaction) => {
        await resource.lock(transaction)
        const current = asSent(await resource.read(transaction))
        const version = versionOf(request, current)
        if (expected !== undefined && !namesVersion(expected, version)) {
          reply.header('etag', tagOf(version, current, movingOf(request)))
          throw new ApiError('precondition_failed', 'The resource has changed since the version that If-Match names.')
        }
        refuseChanged(sent ?? {}, current, routeOf(request).config.measured ?? [])
        return work(transaction)
      })
    }
  return { changing }
}

type SendDone = (error: null, payload: unknown) => void

/** Takes the tag of an answer before it is written, and sends it; in place of what the client has it sends a 304. */
function createTagHooks(versionOf: (request: FastifyRequest, resource: Fields) => string) {
  const tags = new WeakMap<FastifyRequest, string>()
  const noteTag = (request: FastifyRequest, reply: FastifyReply, payload: unknown, done: SendDone) => {
    if (reply.statusCode === 200) {
      const sent = asSent(payload)
      tags.set(request, tagOf(versionOf(request, sent), sent, movingOf(request)))
    }
    done(null, payload)
  }
  const addTag = (request: FastifyRequest, reply: FastifyReply, payload: unknown, done: SendDone) => {
    const etag = tags.get(request)
    if (etag === undefined || reply.statusCode !== 200) return done(null, payload)
    reply.header('etag', etag)
    if (request.method !== 'PATCH' && namesTag(request.headers['if-none-match'], etag)) {
      // What has no body has no type: some clients would parse it.
      reply.code(304).removeHeader('content-type')
      return done(null, null)
    }
    done(null, payload)
  }
  return { noteTag, addTag }
}

function refuseChanged(sent: Fields, current: Fields, measured: readonly string[]): void {
  const faults = Object.entries(sent)
    .filter(([name, value]) => !measured.includes(name) && !isDeepStrictEqual(value, current[name]))
    .map(([path]) => ({ path, message: 'is read-only' }))
  if (faults.length > 0) throw invalid(...faults)
}

/** Names of the fields of a body or answer, also where it refers to a named schema. */
function createPropertiesOf(schemas: readonly TSchema[]): (schema: unknown) => ReadonlySet<string> {
  const schemaOf = createSchemaOf(schemas)
  return (schema) => new Set(Object.keys(schemaOf(schema).properties ?? {}))
}

const asSent = (payload: unknown): Fields => JSON.parse(JSON.stringify(payload)) as Fields
const pick = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.filter((name) => Object.hasOwn(fields, name)).map((name) => [name, fields[name]]))
const DIGEST_LENGTH = 16
const digest = (value: object): string => hash('sha256', JSON.stringify(value), 'base64url').slice(0, DIGEST_LENGTH)

/**
 * What may be changed, then everything: measurements change the second part alone, and do not make an `If-Match` fail. Of the resource
 * as it was read: the serializer of an answer writes the fields in another order.
 */
const tagOf = (version: string, resource: Fields, moving: readonly string[]): string =>
  `W/"${version}.${digest(moving.reduce(without, resource))}"`

const movingOf = (request: FastifyRequest): readonly string[] => routeOf(request).config.moving ?? []

/** A copy without the field of this dotted path. */
function without(fields: Fields, path: string): Fields {
  const [name = '', ...rest] = path.split('.')
  if (rest.length > 0) return { ...fields, [name]: without(fields[name] as Fields, rest.join('.')) }
  const { [name]: _moved, ...others } = fields
  return others
}

const tagsOf = (header: string): string[] => header.split(',').map((tag) => tag.trim().replace(/^W\//, '').replaceAll('"', ''))
const namesVersion = (header: string, version: string): boolean =>
  header.trim() === '*' || tagsOf(header).some((tag) => tag.split('.')[0] === version)

/** Whether an `If-None-Match` names this tag. Weak comparison: an encoding of the answer is the same resource. */
export function namesTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.trim() === '*' || tagsOf(header).includes(tagsOf(etag)[0] ?? '')
}
