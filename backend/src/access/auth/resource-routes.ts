import { type ErrorDetail, type IdKind, Ref } from '@vedette/shared'
import type { FastifyRequest } from 'fastify'
import { type Static, type TSchema } from 'typebox'
import type { Db, PageRequest } from '../../platform/db/index.ts'
import {
  type App,
  type ChangedResource,
  type IsRefused,
  noContent,
  NoContent,
  type OwnFaults,
  pageOf,
  writeWithoutSchema,
} from '../../platform/http/index.ts'
import { decodeId } from '../../platform/ids.ts'
import { type Access, type Caller, type Principal, type Tenant, tenantOf } from './principal.ts'
import { callerOf, type ChangingRouteDeps } from './route-deps.ts'

/** What the routes of a resource answer and take. `details` is the answer of all but the list. */
interface Schemas {
  params: TSchema
  query: TSchema
  list: TSchema
  details: TSchema
  create?: TSchema
  patch: TSchema
}

type Texts = Record<'list' | 'get' | 'update' | 'delete', string> & { create?: string }

type CreateBody<Kind extends Schemas> = Static<NonNullable<Kind['create']>>

type Create<Deps, Kind extends Schemas, Prepared> = (
  deps: Deps,
  actor: Caller,
  body: CreateBody<Kind>,
  prepared: Prepared,
) => Promise<Static<Kind['details']> & { id: string }>

/** What is created has a body, a text and a function; one alone does not compile. */
type Created<Deps, Kind extends Schemas, Prepared> = Kind['create'] extends TSchema
  ? { create: Create<Deps, Kind, Prepared>; texts: { create: string } }
  : { create?: never; texts: { create?: never } }

/** A resource of an organization that is listed, created, read, changed and deleted by its id. Servers register: they have no `create`. */
export interface Resource<Deps extends { db: Db }, Kind extends Schemas, Prepared = undefined> {
  kind: IdKind
  /** `/v1/slos` */
  path: string
  /** In the ids of operations: `['Slo', 'Slos']`. */
  operation: readonly [one: string, many: string]
  /** In texts, with the article: `['an SLO', 'SLOs']`. */
  noun: readonly [one: string, many: string]
  tags: string[]
  /** Who may read it and who may change it. */
  access: { read: Access; change: Access; create?: Access; delete?: Access }
  schemas: Kind
  /** Descriptions of the routes. */
  texts: Texts
  /** Summaries that are not the usual ones. */
  summaries?: Partial<Texts>
  /** Its answers have sentences of the server, in the language of the reader. */
  speaks?: boolean
  /** Its lists are written without looking at each value; see `writeWithoutSchema`. */
  hasLongList?: boolean
  /** The answer to a creation has a secret, which a repeat of the request does not get. */
  createsSecret?: boolean
  /** Fields that measurements change: a PATCH may send them back whatever they are now. */
  measured?: readonly string[]
  /** Dotted fields that differ at each reading, whatever was measured. */
  moving?: readonly string[]
  /** Further statuses with their reasons. */
  refuses?: Partial<Record<keyof Texts, Record<number, string>>>
  /** Of a body of a creation; see `ownFaults` of a route. */
  ownFaults?: OwnFaults
  /** The same of a change, which depends on what is stored; none where that is not found. */
  ownChangeFaults?(
    deps: Deps,
    principal: Principal,
    id: string,
    body: Static<Kind['patch']>,
    isRefused: IsRefused,
  ): Promise<readonly ErrorDetail[]>
  /** What a creation or a change needs that must not hold a transaction. */
  prepare?: {
    create(body: CreateBody<Kind>): Promise<Prepared>
    patch(deps: Deps, principal: Principal, id: string, body: Static<Kind['patch']>): Promise<Prepared>
  }
  /** Locks its row until the transaction ends. */
  lock(db: Db, organization: number, id: string): Promise<unknown>
  /** These throw not_found across organizations; the changing ones join the transaction of `deps.db`. */
  list(
    deps: Deps,
    tenant: Tenant,
    query: Static<Kind['query']> & PageRequest,
    principal: Principal,
  ): Promise<Static<Kind['list']>>
  get(deps: Deps, tenant: Tenant, id: string, principal: Principal): Promise<Static<Kind['details']>>
  create?: Create<Deps, Kind, Prepared>
  patch(deps: Deps, actor: Caller, id: string, body: Static<Kind['patch']>, prepared: Prepared): Promise<Static<Kind['details']>>
  delete(deps: Deps, actor: Caller, id: string): Promise<void>
}

export const ORGANIZATION_DELETED = { 404: 'The organization was deleted while the request ran' }

/** The routes of a resource. Routes that only it has are registered next to them. */
export function resourceRoutes<Deps extends { db: Db }, Kind extends Schemas, Prepared = undefined>(
  resource: Resource<Deps, Kind, Prepared> & Created<Deps, Kind, Prepared>,
): (app: App, context: Deps & ChangingRouteDeps) => void {
  return (app, context) => {
    listRoute(app, resource, context)
    createRoute(app, resource, context)
    readRoute(app, resource, context)
    changeRoutes(app, resource, context)
  }
}

function listRoute<Deps extends { db: Db }, Kind extends Schemas, Prepared>(
  app: App,
  { path, operation, noun, tags, access, schemas, texts, summaries, refuses, ...resource }: Resource<Deps, Kind, Prepared>,
  context: Deps & ChangingRouteDeps,
): void {
  app.get(
    path,
    {
      schema: {
        operationId: `list${operation[1]}`,
        summary: summaries?.list ?? `List ${noun[1]}`,
        description: texts.list,
        tags,
        querystring: schemas.query,
        response: { 200: Ref(schemas.list) },
      },
      config: { access: access.read, ...spoken(resource), ...refused(refuses?.list) },
      ...(resource.hasLongList && { serializerCompiler: writeWithoutSchema }),
    },
    // The schema has filled in the defaults of the page.
    async (request) => {
      const principal = context.principalOf(request)
      return resource.list(context, tenantOf(principal), pageOf(request.query as Partial<PageRequest>) as never, principal)
    },
  )
}

function createRoute<Deps extends { db: Db }, Kind extends Schemas, Prepared>(
  app: App,
  { path, operation, noun, tags, access, schemas, texts, summaries, refuses, ...resource }: Resource<Deps, Kind, Prepared>,
  context: Deps & ChangingRouteDeps,
): void {
  const { create } = resource
  if (!schemas.create || !create) return
  app.post(
    path,
    {
      schema: {
        operationId: `create${operation[0]}`,
        summary: summaries?.create ?? `Create ${noun[0]}`,
        description: texts.create ?? '',
        tags,
        body: Ref(schemas.create),
        response: { 201: Ref(schemas.details) },
      },
      config: {
        access: access.create ?? access.change,
        ...spoken(resource),
        idempotent: resource.createsSecret ? 'secret' : true,
        locates: true,
        ...(resource.ownFaults && { ownFaults: resource.ownFaults }),
        ...refused(refuses?.create),
      },
    },
    async (request, reply) => {
      const given = request.body as CreateBody<Kind>
      const prepared = (await resource.prepare?.create(given)) as Prepared
      return context.creating(request, reply, async (db) => {
        const body = await create({ ...context, db }, callerOf(context, request), given, prepared)
        return { status: 201, id: body.id, location: `${path}/${body.id}`, body }
      })
    },
  )
}

const spoken = ({ speaks }: { speaks?: boolean }) => speaks && { speaks }

const refused = (refuses: Record<number, string> | undefined) => refuses && { refuses }

const idOf = (kind: IdKind, request: { params: unknown }): string => decodeId(kind, (request.params as { id: string }).id)

function readRoute<Deps extends { db: Db }, Kind extends Schemas, Prepared>(
  app: App,
  { kind, path, operation, noun, tags, access, schemas, texts, summaries, moving, ...resource }: Resource<Deps, Kind, Prepared>,
  context: Deps & ChangingRouteDeps,
): void {
  app.get(
    `${path}/:id`,
    {
      schema: {
        operationId: `get${operation[0]}`,
        summary: summaries?.get ?? `Get ${noun[0]}`,
        description: texts.get,
        tags,
        params: schemas.params,
        response: { 200: Ref(schemas.details) },
      },
      config: { hasEtag: true, access: access.read, ...spoken(resource), ...(moving && { moving }) },
    },
    async (request) => {
      const principal = context.principalOf(request)
      return resource.get(context, tenantOf(principal), idOf(kind, request), principal)
    },
  )
}

function changeRoutes<Deps extends { db: Db }, Kind extends Schemas, Prepared>(
  app: App,
  resource: Resource<Deps, Kind, Prepared>,
  context: Deps & ChangingRouteDeps,
): void {
  const { kind, path, operation, noun, tags, access, schemas, texts, summaries, measured, moving, refuses } = resource
  const url = `${path}/:id`
  const { changing, principalOf } = context
  const changedOf = (request: { params: unknown }): ChangedResource => {
    const [principal, id] = [principalOf(request), idOf(kind, request)]
    const tenant = tenantOf(principal)
    return {
      lock: (db) => resource.lock(db, tenant.number, id),
      read: (db) => resource.get({ ...context, db }, tenant, id, principal),
    }
  }

  app.patch(
    url,
    {
      schema: {
        operationId: `update${operation[0]}`,
        summary: summaries?.update ?? `Update ${noun[0]}`,
        description: texts.update,
        tags,
        params: schemas.params,
        body: Ref(schemas.patch),
        response: { 200: Ref(schemas.details) },
      },
      config: {
        hasEtag: true,
        access: access.change,
        ...spoken(resource),
        ...(measured && { measured }),
        ...(moving && { moving }),
        ...(resource.ownChangeFaults && {
          ownFaults: (body: object, isRefused: IsRefused, request: FastifyRequest) =>
            resource.ownChangeFaults?.(
              context,
              principalOf(request),
              idOf(kind, request),
              body as Static<Kind['patch']>,
              isRefused,
            ) ?? [],
        }),
        ...refused(refuses?.update),
      },
    },
    async (request, reply) => {
      const [id, given] = [idOf(kind, request), request.body as Static<Kind['patch']>]
      const prepared = (await resource.prepare?.patch(context, principalOf(request), id, given)) as Prepared
      return changing(request, reply, changedOf(request), (db) =>
        resource.patch({ ...context, db }, callerOf(context, request), id, given, prepared),
      )
    },
  )

  app.delete(
    url,
    {
      schema: {
        operationId: `delete${operation[0]}`,
        summary: summaries?.delete ?? `Delete ${noun[0]}`,
        description: texts.delete,
        tags,
        params: schemas.params,
        response: { 204: NoContent },
      },
      config: { hasEtag: true, access: access.delete ?? access.change, ...(moving && { moving }), ...refused(refuses?.delete) },
    },
    async (request, reply) => {
      const remove = (db: Db) => resource.delete({ ...context, db }, callerOf(context, request), idOf(kind, request))
      return noContent(reply, changing(request, reply, changedOf(request), remove))
    },
  )
}
