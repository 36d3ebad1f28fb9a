import { type IdKind, Ref } from '@vedette/shared'
import { type Static, type TSchema, Type } from 'typebox'
import type { Db, PageRequest } from '../../platform/db/index.ts'
import { type App, type ChangedResource, pageOf } from '../../platform/http/index.ts'
import { decodeId } from '../../platform/ids.ts'
import { type Access, type Principal, type Tenant, tenantOf } from './principal.ts'
import type { ChangingRouteDeps } from './route-deps.ts'

interface Actor {
  principal: Principal
  ip: string
}

/** What the five routes of a resource answer and take. `details` is the answer of all but the list. */
interface Schemas {
  params: TSchema
  query: TSchema
  list: TSchema
  details: TSchema
  create: TSchema
  patch: TSchema
}

/** A resource of an organization that is listed, created, read, changed and deleted by its id. */
export interface Resource<Deps extends { db: Db }, Kind extends Schemas> {
  kind: IdKind
  /** `/v1/slos` */
  path: string
  /** In the ids of operations: `['Slo', 'Slos']`. */
  operation: readonly [one: string, many: string]
  /** In texts, with the article: `['an SLO', 'SLOs']`. */
  noun: readonly [one: string, many: string]
  tags: string[]
  /** Who may read it and who may change it. */
  access: { read: Access; change: Access }
  schemas: Kind
  /** Descriptions of the routes. */
  texts: { list: string; create: string; get: string; update: string; delete: string }
  /** Fields that measurements change: a PATCH may send them back whatever they are now. */
  measured?: readonly string[]
  /** Further statuses with their reasons. */
  refuses?: { create?: Record<number, string>; update?: Record<number, string>; delete?: Record<number, string> }
  /** Locks its row until the transaction ends. */
  lock(db: Db, organization: number, id: string): Promise<unknown>
  /** These throw not_found across organizations; the changing ones join the transaction of `deps.db`. */
  list(deps: Deps, tenant: Tenant, query: Static<Kind['query']> & PageRequest): Promise<Static<Kind['list']>>
  get(deps: Deps, tenant: Tenant, id: string): Promise<Static<Kind['details']>>
  create(deps: Deps, actor: Actor, body: Static<Kind['create']>): Promise<Static<Kind['details']> & { id: string }>
  patch(deps: Deps, actor: Actor, id: string, body: Static<Kind['patch']>): Promise<Static<Kind['details']>>
  delete(deps: Deps, actor: Actor, id: string): Promise<void>
}

export const ORGANIZATION_DELETED = { 404: 'The organization was deleted while the request ran' }

/** The routes of a resource. Routes that only it has are registered next to them. */
export function resourceRoutes<Deps extends { db: Db }, Kind extends Schemas>(
  resource: Resource<Deps, Kind>,
): (app: App, context: Deps & ChangingRouteDeps) => void {
  return (app, context) => {
    listAndCreate(app, resource, context)
    readAndChange(app, resource, context)
  }
}

const actorOf = ({ principalOf }: ChangingRouteDeps, request: { ip: string }): Actor => ({
  principal: principalOf(request),
  ip: request.ip,
})

function listAndCreate<Deps extends { db: Db }, Kind extends Schemas>(
  app: App,
  { path, operation, noun, tags, access, schemas, texts, refuses, ...resource }: Resource<Deps, Kind>,
  context: Deps & ChangingRouteDeps,
): void {
  app.get(
    path,
    {
      schema: {
        operationId: `list${operation[1]}`,
        summary: `List ${noun[1]}`,
        description: texts.list,
        tags,
        querystring: schemas.query,
        response: { 200: Ref(schemas.list) },
      },
      config: { access: access.read },
    },
    // The schema has filled in the defaults of the page.
    async (request) =>
      resource.list(context, tenantOf(context.principalOf(request)), pageOf(request.query as Partial<PageRequest>) as never),
  )

  app.post(
    path,
    {
      schema: {
        operationId: `create${operation[0]}`,
        summary: `Create ${noun[0]}`,
        description: texts.create,
        tags,
        body: Ref(schemas.create),
        response: { 201: Ref(schemas.details) },
      },
      config: { access: access.change, idempotent: true, locates: true, ...(refuses?.create && { refuses: refuses.create }) },
    },
    async (request, reply) =>
      context.creating(request, reply, async (db) => {
        const body = await resource.create({ ...context, db }, actorOf(context, request), request.body as Static<Kind['create']>)
        return { status: 201, id: body.id, location: `${path}/${body.id}`, body }
      }),
  )
}

function readAndChange<Deps extends { db: Db }, Kind extends Schemas>(
  app: App,
  { kind, path, operation, noun, tags, access, schemas, texts, measured, refuses, ...resource }: Resource<Deps, Kind>,
  context: Deps & ChangingRouteDeps,
): void {
  const url = `${path}/:id`
  const { changing, principalOf } = context
  const { params } = schemas
  const idOf = (request: { params: unknown }): string => decodeId(kind, (request.params as { id: string }).id)
  const changedOf = (request: { params: unknown }): ChangedResource => {
    const [tenant, id] = [tenantOf(principalOf(request)), idOf(request)]
    return {
      lock: (db) => resource.lock(db, tenant.number, id),
      read: (db) => resource.get({ ...context, db }, tenant, id),
    }
  }

  app.get(
    url,
    {
      schema: {
        operationId: `get${operation[0]}`,
        summary: `Get ${noun[0]}`,
        description: texts.get,
        tags,
        params,
        response: { 200: Ref(schemas.details) },
      },
      config: { hasEtag: true, access: access.read },
    },
    async (request) => resource.get(context, tenantOf(principalOf(request)), idOf(request)),
  )

  app.patch(
    url,
    {
      schema: {
        operationId: `update${operation[0]}`,
        summary: `Update ${noun[0]}`,
        description: texts.update,
        tags,
        params,
        body: Ref(schemas.patch),
        response: { 200: Ref(schemas.details) },
      },
      config: {
        hasEtag: true,
        access: access.change,
        ...(measured && { measured }),
        ...(refuses?.update && { refuses: refuses.update }),
      },
    },
    async (request, reply) =>
      changing(request, reply, changedOf(request), (db) =>
        resource.patch({ ...context, db }, actorOf(context, request), idOf(request), request.body as Static<Kind['patch']>),
      ),
  )

  app.delete(
    url,
    {
      schema: {
        operationId: `delete${operation[0]}`,
        summary: `Delete ${noun[0]}`,
        description: texts.delete,
        tags,
        params,
        response: { 204: Type.Null({ description: 'Done' }) },
      },
      config: { hasEtag: true, access: access.change, ...(refuses?.delete && { refuses: refuses.delete }) },
    },
    async (request, reply) => {
      const remove = (db: Db) => resource.delete({ ...context, db }, actorOf(context, request), idOf(request))
      await changing(request, reply, changedOf(request), remove)
      return reply.code(204).send(null)
    },
  )
}
