import { Overview, Ref } from '@vedette/shared'
import type { Principal } from '../auth/index.ts'
import type { App } from '../platform/http/index.ts'
import { type OverviewDeps, readOverview } from './service.ts'

export interface OverviewRouteDeps extends OverviewDeps {
  principalOf(request: object): Principal
}

export function overviewRoutes(app: App, { principalOf, ...deps }: OverviewRouteDeps): void {
  app.get(
    '/v1/overview',
    {
      schema: {
        operationId: 'getOverview',
        summary: 'What is wrong now, and what changed in the last day',
        description:
          'All of it in one request. `audit_events` is null for who may not read the audit log, and events of members need `org:read`.',
        tags: ['alerts'],
        response: { 200: Ref(Overview) },
      },
      config: { access: 'read' },
    },
    async (request) => readOverview(deps, principalOf(request)),
  )
}
