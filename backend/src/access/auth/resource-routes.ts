import { Ref } from '@vedette/shared'
import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import type { Db, PageRequest } from '../../platform/db/index.ts'
import {
  type App,
  type ChangedResource,
  type IsRefused,
  noContent,
  NoContent,
  pageOf,
  writeWithoutSchema,
} from '../../platform/http/index.ts'
import { decodeId } from '../../platform/ids.ts'
import { tenantOf } from './principal.ts'
import { recorded } from './recorded.ts'
import type { CreateBody, Created, Resource, ResourceDeps, Schemas } from './resource.ts'
import { restoreRoutes } from './restore-routes.ts'
import { callerOf, type ChangingRouteDeps, idOf, spoken } from './route-deps.ts'

/** The resource as it is, typed. */
export const defineResource = <Deps extends ResourceDeps, Kind extends Schemas, Prepared = undefined>(
  resource: Resource<Deps, Kind, Prepared> & Created<Deps, Kind, Prepared>,
) => resource

export const ORGANIZATION_DELETED = { 404: 'The organization was deleted while the request ran' }

/** The routes of a resource. Routes that only it has are registered next to them. */
export function resourceRoutes<Deps extends ResourceDeps, Kind extends Schemas, Prepared = undefined>(
  resource: Resource<Deps, Kind, Prepared> & Created<Deps, Kind, Prepared>,
): (app: App, context: Deps & ChangingRouteDeps) => void {
  return (app, context) => {
    listRoute(app, resource, context)
    createRoute(app, resource, context)
    readRoute(app, resource, context)
    changeRoute(app, resource, context)
    deleteRoute(app, resource, context)
    if (resource.restore) restoreRoutes(app, resource, resource.restore, context)
  }
}

function listRoute<Deps extends ResourceDeps, Kind extends Schemas, Prepared>(
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

function createRoute<Deps extends ResourceDeps, Kind extends Schemas, Prepared>(
  app: App,
  whole: Resource<Deps, Kind, Prepared>,
  context: Deps & ChangingRouteDeps,
): void {
  const { kind, path, operation, noun, tags, access, schemas, texts, summaries, refuses, ...resource } = whole
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
        const caller = callerOf(context, request)
        const body = await recorded(
          whole,
          { ...context, db },
          caller,
          { id: undefined, work: (deps) => create(deps, caller, given, prepared) },
          (created) => decodeId(kind, created.id),
        )
        return { status: 201, id: body.id, location: `${path}/${body.id}`, body }
      })
    },
  )
}

const refused = (refuses: Record<number, string> | undefined) => refuses && { refuses }

function readRoute<Deps extends ResourceDeps, Kind extends Schemas, Prepared>(
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

function changeRoute<Deps extends ResourceDeps, Kind extends Schemas, Prepared>(
  app: App,
  resource: Resource<Deps, Kind, Prepared>,
  context: Deps & ChangingRouteDeps,
): void {
  const { kind, path, operation, noun, tags, access, schemas, texts, summaries, measured, moving, refuses } = resource
  const { changing, principalOf } = context

  app.patch(
    `${path}/:id`,
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
      const caller = callerOf(context, request)
      return changing(request, reply, changedOf(resource, context, request), (db) =>
        recorded(resource, { ...context, db }, caller, {
          id,
          work: (deps) => resource.patch(deps, caller, id, given, prepared),
        }),
      )
    },
  )
}

/** The resource that a request names. */
function changedOf<Deps extends ResourceDeps, Kind extends Schemas, Prepared>(
  resource: Resource<Deps, Kind, Prepared>,
  context: Deps & ChangingRouteDeps,
  request: { params: unknown },
): ChangedResource {
  const [principal, id] = [context.principalOf(request), idOf(resource.kind, request)]
  const tenant = tenantOf(principal)
  return {
    lock: (db) => resource.lock(db, tenant.number, id),
    read: (db) => resource.get({ ...context, db }, tenant, id, principal),
  }
}

function deleteRoute<Deps extends ResourceDeps, Kind extends Schemas, Prepared>(
  app: App,
  resource: Resource<Deps, Kind, Prepared>,
  context: Deps & ChangingRouteDeps,
): void {
  const { kind, path, operation, noun, tags, access, schemas, texts, summaries, moving, refuses } = resource

  app.delete(
    `${path}/:id`,
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
      const [caller, id] = [callerOf(context, request), idOf(kind, request)]
      const remove = (db: Db) =>
        recorded(resource, { ...context, db }, caller, { id, work: (deps) => resource.delete(deps, caller, id) })
      return noContent(reply, context.changing(request, reply, changedOf(resource, context, request), remove))
    },
  )
}
