import {
  CreatedSubscriber,
  CreateSubscriberBody,
  Ref,
  StatusPageParams,
  SubscriberList,
  SubscriberListQuery,
  SubscriberParams,
} from '@vedette/shared'
import { callerOf, type CreatingRouteDeps } from '../../../access/auth/index.ts'
import { type App, noContent, NoContent, pageOf } from '../../../platform/http/index.ts'
import { decodeId } from '../../../platform/ids.ts'
import { createSubscriber, deleteSubscriber, listSubscribers, type SubscriberDeps } from './service.ts'

const tags = ['status pages']

export function subscriberRoutes(app: App, deps: SubscriberDeps & CreatingRouteDeps): void {
  const { principalOf, creating } = deps
  const pageId = (request: { params: { id: string } }): string => decodeId('statusPage', request.params.id)

  app.get(
    '/v1/status-pages/:id/subscribers',
    {
      schema: {
        operationId: 'listSubscribers',
        summary: 'List subscribers',
        description: 'Newest first. E-mail addresses are shown only to who may change the page.',
        tags,
        params: StatusPageParams,
        querystring: SubscriberListQuery,
        response: { 200: Ref(SubscriberList) },
      },
      config: { access: 'read' },
    },
    async (request) => listSubscribers(deps, principalOf(request), pageId(request), pageOf(request.query)),
  )

  app.post(
    '/v1/status-pages/:id/subscribers',
    {
      schema: {
        operationId: 'createSubscriber',
        summary: 'Add a subscriber',
        description: 'A webhook, or a chat of Slack or Teams. Visitors subscribe on the page itself.',
        tags,
        params: StatusPageParams,
        body: Ref(CreateSubscriberBody),
        response: { 201: Ref(CreatedSubscriber) },
      },
      config: { access: 'monitors:update', idempotent: 'secret' },
    },
    async (request, reply) =>
      creating(request, reply, async (db) => {
        const body = await createSubscriber({ ...deps, db }, callerOf(deps, request), pageId(request), request.body)
        return { status: 201, id: body.id, body }
      }),
  )

  app.delete(
    '/v1/status-pages/:id/subscribers/:subscriberId',
    {
      schema: {
        operationId: 'deleteSubscriber',
        summary: 'Delete a subscriber',
        description: 'Nothing more is sent to it.',
        tags,
        params: SubscriberParams,
        response: { 204: NoContent },
      },
      config: { access: 'monitors:update' },
    },
    async (request, reply) => {
      const id = decodeId('subscriber', request.params.subscriberId)
      return noContent(reply, deleteSubscriber(deps, callerOf(deps, request), pageId(request), id))
    },
  )
}
