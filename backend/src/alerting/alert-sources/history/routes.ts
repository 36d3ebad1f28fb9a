import { AddAlertHistoryBody, AlertHistoryAnswer, AlertSourceParams, Ref } from '@vedette/shared'
import { callerOf, type RouteDeps } from '../../../access/auth/index.ts'
import type { App } from '../../../platform/http/index.ts'
import { decodeId } from '../../../platform/ids.ts'
import type { SourceDeps } from '../service.ts'
import { addHistory } from './service.ts'

export function historyRoutes(app: App, deps: SourceDeps & RouteDeps): void {
  app.post(
    '/v1/alert-sources/:id/history',
    {
      schema: {
        operationId: 'addAlertHistory',
        summary: 'Add alerts of another tool that are over',
        description:
          'Each becomes a resolved incident with its timeline. The same alert is added once. Nobody is notified, and nothing escalates.',
        tags: ['alerts'],
        params: AlertSourceParams,
        body: Ref(AddAlertHistoryBody),
        response: { 200: Ref(AlertHistoryAnswer) },
      },
      config: { access: 'integrations:manage', idempotent: false },
    },
    async (request) => addHistory(deps, callerOf(deps, request), decodeId('alertSource', request.params.id), request.body),
  )
}
