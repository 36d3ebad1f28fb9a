import { AlertRulePreview, CreateAlertRuleBody, Ref } from '@vedette/shared'
import { type RouteDeps, tenantOf } from '../../../access/auth/index.ts'
import { createConcurrencyBound } from '../../../platform/concurrency/concurrency-bound.ts'
import type { App } from '../../../platform/http/index.ts'
import { type PreviewDeps, previewRule } from './service.ts'

/** Each reads seven days of up to 50 targets. */
const PREVIEWS_AT_ONCE = 4

export function alertRulePreviewRoutes(app: App, { principalOf, ...deps }: PreviewDeps & RouteDeps): void {
  const bound = createConcurrencyBound('previews of alert rules', 'organization', PREVIEWS_AT_ONCE)
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
      config: { access: 'monitors:update', speaks: true, idempotent: false },
    },
    async (request) => {
      const tenant = tenantOf(principalOf(request))
      return bound.run(tenant.number, () => previewRule(deps, tenant, request.body))
    },
  )
}
