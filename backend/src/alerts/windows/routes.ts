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
import { type Principal, tenantOf } from '../../auth/index.ts'
import type { App, Creating } from '../../platform/http/index.ts'
import { decodeId } from '../../platform/ids.ts'
import type { AlertDeps } from '../deps.ts'
import { createWindow, deleteWindow, getWindow, listWindows, patchWindow } from './service.ts'

export interface MaintenanceWindowRouteDeps extends AlertDeps {
  principalOf(request: object): Principal
  creating: Creating
}

const tags = ['alerts']

export function maintenanceWindowRoutes(app: App, { principalOf, creating, ...deps }: MaintenanceWindowRouteDeps): void {
  const actorOf = (request: { ip: string }) => ({ principal: principalOf(request), ip: request.ip })
  const windowId = (request: { params: { id: string } }): string => decodeId('maintenanceWindow', request.params.id)

  app.get(
    '/v1/maintenance-windows',
    {
      schema: {
        operationId: 'listMaintenanceWindows',
        summary: 'List maintenance windows',
        description: 'Newest first, those that are over among them.',
        tags,
        querystring: MaintenanceWindowListQuery,
        response: { 200: Ref(MaintenanceWindowList) },
      },
      config: { access: 'read' },
    },
    async (request) => {
      const { page = 1, limit = 20 } = request.query
      return listWindows(deps, tenantOf(principalOf(request)), { page, limit })
    },
  )

  app.post(
    '/v1/maintenance-windows',
    {
      schema: {
        operationId: 'createMaintenanceWindow',
        summary: 'Make a maintenance window',
        description: 'What opens in it is told when it ends, if it is still open then.',
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
        summary: 'One maintenance window',
        description: 'As lists have it.',
        tags,
        params: MaintenanceWindowParams,
        response: { 200: Ref(MaintenanceWindow) },
      },
      config: { access: 'read' },
    },
    async (request) => getWindow(deps, tenantOf(principalOf(request)), windowId(request)),
  )

  app.patch(
    '/v1/maintenance-windows/:id',
    {
      schema: {
        operationId: 'updateMaintenanceWindow',
        summary: 'Change a maintenance window',
        description: 'Only what is named changes; `target` as a whole.',
        tags,
        params: MaintenanceWindowParams,
        body: Ref(PatchMaintenanceWindowBody),
        response: { 200: Ref(MaintenanceWindow) },
      },
      config: { access: 'monitors:update' },
    },
    async (request) => patchWindow(deps, actorOf(request), windowId(request), request.body),
  )

  app.delete(
    '/v1/maintenance-windows/:id',
    {
      schema: {
        operationId: 'deleteMaintenanceWindow',
        summary: 'Delete a maintenance window',
        description: 'What opened in it and is still open is told then.',
        tags,
        params: MaintenanceWindowParams,
        response: { 204: Type.Null({ description: 'Done' }) },
      },
      config: { access: 'monitors:update' },
    },
    async (request, reply) => {
      await deleteWindow(deps, actorOf(request), windowId(request))
      return reply.code(204).send(null)
    },
  )
}
