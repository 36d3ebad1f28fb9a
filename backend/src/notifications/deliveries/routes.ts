import { ChannelParams, ChannelTest, Ref } from '@vedette/shared'
import type { RouteDeps } from '../../auth/index.ts'
import type { App } from '../../platform/http/index.ts'
import { decodeId } from '../../platform/ids.ts'
import { type ChannelTestDeps, testChannel } from './test-channel.ts'

export function channelTestRoutes(app: App, { principalOf, ...deps }: ChannelTestDeps & RouteDeps): void {
  app.post(
    '/v1/channels/:id/test',
    {
      schema: {
        operationId: 'testChannel',
        summary: 'Send a test message',
        description: 'Sends one message at once, also to a disabled channel, and returns the answer of the service.',
        tags: ['alerts'],
        params: ChannelParams,
        response: { 200: Ref(ChannelTest) },
      },
      config: { access: 'integrations:manage', idempotent: false },
    },
    async (request) =>
      testChannel(deps, { principal: principalOf(request), ip: request.ip }, decodeId('channel', request.params.id)),
  )
}
