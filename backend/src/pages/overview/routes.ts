import { Overview, Ref, States } from '@vedette/shared'
import type { RouteDeps } from '../../access/auth/index.ts'
import type { App } from '../../platform/http/index.ts'
import { type OverviewDeps, readOverview, readStates } from './service.ts'

export function overviewRoutes(app: App, { principalOf, ...deps }: OverviewDeps & RouteDeps): void {
  app.get(
    '/v1/overview',
    {
      schema: {
        operationId: 'getOverview',
        summary: 'Get active problems and the changes of the last day',
        description:
          '`audit_events` is null without permission to read the audit log, `last_export_at` without `integrations:manage`; events of members need `org:read`.',
        tags: ['alerts'],
        response: { 200: Ref(Overview) },
      },
      config: { access: 'read', speaks: true },
    },
    async (request) => readOverview(deps, principalOf(request)),
  )

  app.get(
    '/v1/overview/states',
    {
      schema: {
        operationId: 'getStates',
        summary: 'Get the status of all monitors and servers',
        description: 'At most 5,000 of each, the worst first, without figures: for maps, groups and wallboards.',
        tags: ['alerts'],
        response: { 200: Ref(States) },
      },
      config: { access: 'read', speaks: true },
    },
    async (request) => readStates(deps, principalOf(request)),
  )
}
