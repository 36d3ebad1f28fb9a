import { Overview, Ref } from '@vedette/shared'
import type { RouteDeps } from '../auth/index.ts'
import type { App } from '../platform/http/index.ts'
import { type OverviewDeps, readOverview } from './service.ts'

export function overviewRoutes(app: App, { principalOf, ...deps }: OverviewDeps & RouteDeps): void {
  app.get(
    '/v1/overview',
    {
      schema: {
        operationId: 'getOverview',
        summary: 'Get active problems and the changes of the last day',
        description: '`audit_events` is null without permission to read the audit log; events of members need `org:read`.',
        tags: ['alerts'],
        response: { 200: Ref(Overview) },
      },
      config: { access: 'read' },
    },
    async (request) => readOverview(deps, principalOf(request)),
  )
}
