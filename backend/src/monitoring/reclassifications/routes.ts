import {
  CreateReclassificationBody,
  MonitorParams,
  Reclassification,
  ReclassificationList,
  ReclassificationListQuery,
  ReclassificationParams,
  Ref,
} from '@vedette/shared'
import { callerOf, type CreatingRouteDeps, tenantOf } from '../../access/auth/index.ts'
import { type App, noContent, NoContent, pageOf } from '../../platform/http/index.ts'
import { decodeId } from '../../platform/ids.ts'
import { createReclassification, deleteReclassification, listReclassifications, type ReclassificationDeps } from './service.ts'

export function reclassificationRoutes(app: App, deps: ReclassificationDeps & CreatingRouteDeps): void {
  const { principalOf, creating } = deps
  const monitorId = ({ params }: { params: { id: string } }): string => decodeId('monitor', params.id)

  app.get(
    '/v1/monitors/:id/reclassifications',
    {
      schema: {
        operationId: 'listReclassifications',
        summary: 'List the reclassified intervals of a monitor',
        description: 'The last in time first.',
        tags: ['monitors'],
        params: MonitorParams,
        querystring: ReclassificationListQuery,
        response: { 200: Ref(ReclassificationList) },
      },
      config: { access: 'read' },
    },
    async (request) => listReclassifications(deps, tenantOf(principalOf(request)), monitorId(request), pageOf(request.query)),
  )

  app.post(
    '/v1/monitors/:id/reclassifications',
    {
      schema: {
        operationId: 'createReclassification',
        summary: 'Reclassify an interval of a monitor',
        description:
          'Makes the checks of the interval count as maintenance, not at all, or though a maintenance window covers them: in stats, ' +
          'reports, objectives, status pages and badges, which say so. The checks stay as they are. Intervals of a monitor do not overlap.',
        tags: ['monitors'],
        params: MonitorParams,
        body: Ref(CreateReclassificationBody),
        response: { 201: Ref(Reclassification) },
      },
      config: {
        access: 'monitors:update',
        idempotent: true,
        refuses: {
          409: 'The monitor has 100 of them, or the request contradicts an earlier one with its Idempotency-Key',
        },
      },
    },
    async (request, reply) =>
      creating(request, reply, async (db) => {
        const body = await createReclassification({ ...deps, db }, callerOf(deps, request), monitorId(request), request.body)
        return { status: 201, id: body.id, body }
      }),
  )

  app.delete(
    '/v1/monitors/:id/reclassifications/:reclassificationId',
    {
      schema: {
        operationId: 'deleteReclassification',
        summary: 'Take a reclassification back',
        description: 'The checks of the interval count as they did.',
        tags: ['monitors'],
        params: ReclassificationParams,
        response: { 204: NoContent },
      },
      config: { access: 'monitors:update' },
    },
    async (request, reply) => {
      const id = decodeId('reclassification', request.params.reclassificationId)
      return noContent(reply, deleteReclassification(deps, callerOf(deps, request), monitorId(request), id))
    },
  )
}
