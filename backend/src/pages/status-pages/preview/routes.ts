import { Ref, StatusPageParams, StatusPagePreview, StatusPagePreviewBody } from '@vedette/shared'
import { type RouteDeps, tenantOf } from '../../../access/auth/index.ts'
import { createConcurrencyBound } from '../../../platform/concurrency/concurrency-bound.ts'
import type { App } from '../../../platform/http/index.ts'
import { decodeId } from '../../../platform/ids.ts'
import { type PreviewDeps, previewDraft, previewPage } from './preview.ts'

/** Each reads 90 days of up to 200 monitors. */
const PREVIEWS_AT_ONCE = 4

export function statusPagePreviewRoutes(
  app: App,
  { principalOf, ...context }: Omit<PreviewDeps, 'lastFigures'> & RouteDeps,
): void {
  const deps: PreviewDeps = { ...context, lastFigures: new Map() }
  const bound = createConcurrencyBound('previews of status pages', 'organization', PREVIEWS_AT_ONCE)
  app.get(
    '/v1/status-pages/:id/preview',
    {
      schema: {
        operationId: 'previewStatusPage',
        summary: 'Preview a status page',
        description: 'The page as visitors would see it now, published or not.',
        tags: ['status pages'],
        params: StatusPageParams,
        response: { 200: Ref(StatusPagePreview) },
      },
      config: { access: 'read' },
    },
    async (request) => previewPage(deps, tenantOf(principalOf(request)), decodeId('statusPage', request.params.id)),
  )

  app.post(
    '/v1/status-pages/preview',
    {
      schema: {
        operationId: 'previewStatusPageDraft',
        summary: 'Preview a status page that is not stored',
        description: 'The page as visitors would see it with these fields. Stores nothing; counts as a read.',
        tags: ['status pages'],
        body: Ref(StatusPagePreviewBody),
        response: { 200: Ref(StatusPagePreview) },
      },
      config: { access: 'read', idempotent: false },
    },
    async (request) => {
      const tenant = tenantOf(principalOf(request))
      return bound.run(tenant.number, () => previewDraft(deps, tenant, request.body))
    },
  )
}
