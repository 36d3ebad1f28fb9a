import { Ref, StatusPage, StatusPageParams } from '@vedette/shared'
import type { RouteDeps } from '../../../access/auth/index.ts'
import { createConcurrencyBound } from '../../../platform/concurrency/concurrency-bound.ts'
import type { App } from '../../../platform/http/index.ts'
import { decodeId } from '../../../platform/ids.ts'
import type { PageDeps } from '../pages/service.ts'
import { type DomainDeps, verifyDomain } from './service.ts'

/** Each may wait some seconds for a name server. */
const LOOKUPS_AT_ONCE = 5

export function pageDomainRoutes(app: App, { principalOf, ...deps }: DomainDeps & PageDeps & RouteDeps): void {
  const lookups = createConcurrencyBound('lookups of domains', 'organization', LOOKUPS_AT_ONCE)

  app.post(
    '/v1/status-pages/:id/verify-domain',
    {
      schema: {
        operationId: 'verifyStatusPageDomain',
        summary: 'Verify the domain of a status page',
        description:
          'Looks up the TXT record `domain_record` now. Without this call it is looked up within a minute after a change.',
        tags: ['status pages'],
        params: StatusPageParams,
        response: { 200: Ref(StatusPage) },
      },
      config: {
        access: 'monitors:update',
        idempotent: false,
        refuses: { 409: 'The record was not found, or another status page has proven the domain' },
      },
    },
    async (request) => {
      const principal = principalOf(request)
      const id = decodeId('statusPage', request.params.id)
      return lookups.run(principal.tenant?.number ?? 0, () => verifyDomain(deps, { principal, ip: request.ip }, id))
    },
  )
}
