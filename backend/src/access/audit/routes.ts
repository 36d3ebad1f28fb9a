import { AuditList, AuditQuery, Ref } from '@vedette/shared'
import type { Db } from '../../platform/db/index.ts'
import type { App } from '../../platform/http/index.ts'
import { listAuditEvents } from './service.ts'

export interface AuditRouteDeps {
  db: Db
  /** A parameter, because `auth` depends on this feature. */
  organizationOf(request: object): number
}

export function auditRoutes(app: App, { db, organizationOf }: AuditRouteDeps): void {
  app.get(
    '/v1/audit-events',
    {
      schema: {
        operationId: 'listAuditEvents',
        summary: 'List audit events',
        description: 'Newest first; kept for 400 days. `from` is inclusive, `to` is exclusive.',
        tags: ['audit'],
        querystring: AuditQuery,
        response: { 200: Ref(AuditList) },
      },
      config: { access: 'audit:read' },
    },
    async (request) => listAuditEvents(db, organizationOf(request), request.query),
  )
}
