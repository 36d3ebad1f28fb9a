import { AlertRulePreview, CreateAlertRuleBody, Ref } from '@vedette/shared'
import { type RouteDeps, tenantOf } from '../../auth/index.ts'
import type { App } from '../../platform/http/index.ts'
import { type PreviewDeps, previewRule } from './service.ts'

export function alertRulePreviewRoutes(app: App, { principalOf, ...deps }: PreviewDeps & RouteDeps): void {
  app.post(
    '/v1/alert-rules/preview',
    {
      schema: {
        operationId: 'previewAlertRule',
        summary: 'Preview an alert rule',
        description:
          'Returns the incidents that the rule would have opened in the last seven days. Stores nothing and notifies nobody.',
        tags: ['alerts'],
        body: Ref(CreateAlertRuleBody),
        response: { 200: Ref(AlertRulePreview) },
      },
      config: { access: 'monitors:update', idempotent: false },
    },
    async (request) => previewRule(deps, tenantOf(principalOf(request)), request.body),
  )
}
