import { Ref, SecurityEventList, SecurityEventQuery } from '@vedette/shared'
import type { Db } from '../../platform/db/index.ts'
import type { App } from '../../platform/http/index.ts'
import { listSecurityEvents } from './service.ts'

export interface SecurityLogRouteDeps {
  db: Db
  /** A parameter, because `auth` depends on this feature. */
  organizationOf(request: object): number
}

export function securityLogRoutes(app: App, { db, organizationOf }: SecurityLogRouteDeps): void {
  app.get(
    '/v1/security-events',
    {
      schema: {
        operationId: 'listSecurityEvents',
        summary: 'List security events',
        description:
          'Of the organization, and of the accounts of its members since they joined. Newest first; kept for 400 days. `from` is inclusive, `to` is exclusive.',
        tags: ['audit'],
        querystring: SecurityEventQuery,
        response: { 200: Ref(SecurityEventList) },
      },
      config: { access: 'audit:read' },
    },
    async (request) => listSecurityEvents(db, organizationOf(request), request.query),
  )
}
