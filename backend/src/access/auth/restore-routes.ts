import { DAY_MS, DeletedList, DeletedQuery, type IdKind, Ref, RESTORABLE_DAYS, toTimestamp } from '@vedette/shared'
import { type DeletedResources, type DeletedRow, inTransaction } from '../../platform/db/index.ts'
import { type App, pageOf } from '../../platform/http/index.ts'
import { encodeId } from '../../platform/ids.ts'
import { tenantOf } from './principal.ts'
import { recorded } from './recorded.ts'
import type { DeletedReading, Resource, ResourceDeps, Restore, Schemas } from './resource.ts'
import { callerOf, type ChangingRouteDeps, idOf, spoken } from './route-deps.ts'

/** The routes of a resource that can be restored: the list of the deleted ones, and the restore of one. */
export function restoreRoutes<Deps extends ResourceDeps, Kind extends Schemas, Prepared>(
  app: App,
  { kind, path, operation, noun, tags, access, schemas, ...resource }: Resource<Deps, Kind, Prepared>,
  { deleted, text, refuses, restore }: Restore<Deps, Kind>,
  context: Deps & ChangingRouteDeps,
): void {
  const { schema, read } = 'schema' in deleted ? deleted : readingOf(kind, deleted)
  app.get(
    `${path}/deleted`,
    {
      schema: {
        operationId: `listDeleted${operation[1]}`,
        summary: `List deleted ${noun[1]}`,
        description: 'Those that can still be restored, the last deleted first.',
        tags,
        querystring: DeletedQuery,
        response: { 200: Ref(schema) },
      },
      config: { access: access.read, ...spoken(resource) },
    },
    async (request) => read(context, tenantOf(context.principalOf(request)), pageOf(request.query)),
  )

  app.post(
    `${path}/:id/restore`,
    {
      schema: {
        operationId: `restore${operation[0]}`,
        summary: `Restore a deleted ${noun[0].replace(/^an? /, '')}`,
        description: `${text} Restoring one that is not deleted changes nothing.`,
        tags,
        params: schemas.params,
        response: { 200: Ref(schemas.details) },
      },
      config: { access: access.delete ?? access.change, ...spoken(resource), idempotent: false, refuses },
    },
    async (request) => {
      const [caller, id] = [callerOf(context, request), idOf(kind, request)]
      return inTransaction(context.db, (db) =>
        recorded(resource, { ...context, db }, caller, { id, work: (deps) => restore(deps, caller, id), isRestored: true }),
      )
    },
  )
}

const readingOf = (kind: IdKind, { list }: Pick<DeletedResources, 'list'>): DeletedReading<ResourceDeps> => ({
  schema: DeletedList,
  read: async ({ db, clock }, { number }, page): Promise<DeletedList> => {
    const { total, rows } = await list(db, number, restorableSince(clock.now()), page)
    return { deleted: rows.map((row) => toDeleted(kind, row)), total, page: page.page, limit: page.limit }
  },
})

const RESTORABLE_MS = RESTORABLE_DAYS * DAY_MS

/** What was deleted later can be restored. */
export const restorableSince = (nowMs: number): Date => new Date(nowMs - RESTORABLE_MS)

/** A deleted resource on the wire. */
export const toDeleted = (kind: IdKind, { id, name, deleted_at: at }: DeletedRow) => ({
  id: encodeId(kind, id),
  name,
  deleted_at: toTimestamp(at.getTime()),
  removed_at: toTimestamp(at.getTime() + RESTORABLE_MS),
})
