import { CheckList, CheckListQuery, MonitorParams, Ref, TransitionList, TransitionListQuery } from '@vedette/shared'
import { type RouteDeps, tenantOf } from '../../access/auth/index.ts'
import { type App, pageOf } from '../../platform/http/index.ts'
import { decodeId } from '../../platform/ids.ts'
import type { MonitorDeps } from './deps.ts'
import { listMonitorChecks, listMonitorTransitions } from './history.ts'

export function monitorHistoryRoutes(app: App, { principalOf, ...deps }: MonitorDeps & RouteDeps): void {
  const tenant = (request: object) => tenantOf(principalOf(request))
  const monitorId = (request: { params: { id: string } }): string => decodeId('monitor', request.params.id)

  app.get(
    '/v1/monitors/:id/checks',
    {
      schema: {
        operationId: 'listMonitorChecks',
        summary: 'List checks of a monitor',
        description: 'Newest first; checks are kept for 35 days. `from` is inclusive, `to` exclusive.',
        tags: ['monitors'],
        params: MonitorParams,
        querystring: CheckListQuery,
        response: { 200: Ref(CheckList) },
      },
      config: { access: 'read', speaks: true },
    },
    async (request) => listMonitorChecks(deps, tenant(request), monitorId(request), pageOf(request.query)),
  )

  app.get(
    '/v1/monitors/:id/transitions',
    {
      schema: {
        operationId: 'listMonitorTransitions',
        summary: 'List status transitions of a monitor',
        description: 'Newest first. `from` is inclusive, `to` exclusive.',
        tags: ['monitors'],
        params: MonitorParams,
        querystring: TransitionListQuery,
        response: { 200: Ref(TransitionList) },
      },
      config: { access: 'read', speaks: true },
    },
    async (request) => listMonitorTransitions(deps, tenant(request), monitorId(request), pageOf(request.query)),
  )
}
