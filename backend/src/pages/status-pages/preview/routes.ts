import { Ref, StatusPageParams, StatusPagePreview } from '@vedette/shared'
import { type RouteDeps, tenantOf } from '../../../access/auth/index.ts'
import type { App } from '../../../platform/http/index.ts'
import { decodeId } from '../../../platform/ids.ts'
import { type PreviewDeps, previewPage } from './preview.ts'

export function statusPagePreviewRoutes(app: App, { principalOf, ...deps }: PreviewDeps & RouteDeps): void {
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
}
