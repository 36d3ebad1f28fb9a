import {
  CreateMaintenanceWindowBody,
  MaintenanceWindow,
  MaintenanceWindowList,
  MaintenanceWindowListQuery,
  MaintenanceWindowParams,
  PatchMaintenanceWindowBody,
  Ref,
} from '@vedette/shared'
import { Type } from 'typebox'
import { type ChangingRouteDeps, tenantOf } from '../../auth/index.ts'
import { type App, type ChangedResource, pageOf } from '../../platform/http/index.ts'
import { decodeId } from '../../platform/ids.ts'
import { createWindow, deleteWindow, getWindow, listWindows, patchWindow, type WindowDeps } from './service.ts'
import type { Db } from '../../platform/db/index.ts'
import { lockWindow } from './store.ts'

const tags = ['alerts']

export function maintenanceWindowRoutes(
  app: App,
  { principalOf, creating, changing, ...deps }: WindowDeps & ChangingRouteDeps,
): void {
  const actorOf = (request: { ip: string }) => ({ principal: principalOf(request), ip: request.ip })
  const windowId = (request: { params: { id: string } }): string => decodeId('maintenanceWindow', request.params.id)
  const windowOf = (request: { params: { id: string } }): ChangedResource => {
    const [tenant, id] = [tenantOf(principalOf(request)), windowId(request)]
    return {
      lock: (db) => lockWindow(db, tenant.number, id),
      read: (db) => getWindow({ ...deps, db }, tenant, id),
    }
  }

  app.get(
    '/v1/maintenance-windows',
    {
      schema: {
        operationId: 'listMaintenanceWindows',
        summary: 'List maintenance windows',
        description: 'Newest first, including past ones.',
        tags,
        querystring: MaintenanceWindowListQuery,
        response: { 200: Ref(MaintenanceWindowList) },
      },
      config: { access: 'read' },
    },
    async (request) => listWindows(deps, tenantOf(principalOf(request)), pageOf(request.query)),
  )

  app.post(
    '/v1/maintenance-windows',
    {
      schema: {
        operationId: 'createMaintenanceWindow',
        summary: 'Create a maintenance window',
        description:
          'Notifications of incidents that open during the window are suppressed, and sent when it ends if the incident is still open.',
        tags,
        body: Ref(CreateMaintenanceWindowBody),
        response: { 201: Ref(MaintenanceWindow) },
      },
      config: {
        access: 'monitors:update',
        idempotent: true,
        locates: true,
        refuses: { 404: 'The organization was deleted while the request ran' },
      },
    },
    async (request, reply) =>
      creating(request, reply, async (db) => {
        const body = await createWindow({ ...deps, db }, actorOf(request), request.body)
        return { status: 201, id: body.id, location: `/v1/maintenance-windows/${body.id}`, body }
      }),
  )

  app.get(
    '/v1/maintenance-windows/:id',
    {
      schema: {
        operationId: 'getMaintenanceWindow',
        summary: 'Get a maintenance window',
        description: 'As in the list.',
        tags,
        params: MaintenanceWindowParams,
        response: { 200: Ref(MaintenanceWindow) },
      },
      config: { hasEtag: true, access: 'read' },
    },
    async (request) => getWindow(deps, tenantOf(principalOf(request)), windowId(request)),
  )

  app.patch(
    '/v1/maintenance-windows/:id',
    {
      schema: {
        operationId: 'updateMaintenanceWindow',
        summary: 'Update a maintenance window',
        description: 'Changes only the fields that are given; `target` is replaced as a whole.',
        tags,
        params: MaintenanceWindowParams,
        body: Ref(PatchMaintenanceWindowBody),
        response: { 200: Ref(MaintenanceWindow) },
      },
      config: { hasEtag: true, access: 'monitors:update' },
    },
    async (request, reply) =>
      changing(request, reply, windowOf(request), (db) =>
        patchWindow({ ...deps, db }, actorOf(request), windowId(request), request.body),
      ),
  )

  app.delete(
    '/v1/maintenance-windows/:id',
    {
      schema: {
        operationId: 'deleteMaintenanceWindow',
        summary: 'Delete a maintenance window',
        description: 'Sends the suppressed notifications of incidents that are still open.',
        tags,
        params: MaintenanceWindowParams,
        response: { 204: Type.Null({ description: 'Done' }) },
      },
      config: { hasEtag: true, access: 'monitors:update' },
    },
    async (request, reply) => {
      const remove = (db: Db) => deleteWindow({ ...deps, db }, actorOf(request), windowId(request))
      await changing(request, reply, windowOf(request), remove)
      return reply.code(204).send(null)
    },
  )
}
