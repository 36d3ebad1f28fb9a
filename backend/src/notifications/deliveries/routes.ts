import { ChannelParams, ChannelTest, CreateChannelBody, Ref } from '@vedette/shared'
import { type RouteDeps, tenantOf } from '../../auth/index.ts'
import { createConcurrencyBound } from '../../platform/concurrency/concurrency-bound.ts'
import type { App } from '../../platform/http/index.ts'
import { decodeId } from '../../platform/ids.ts'
import { type ChannelTestDeps, testChannel, testDraft } from './test-channel.ts'

/** Each may wait 10 s for the service. */
const TESTS_AT_ONCE = 5

export function channelTestRoutes(app: App, { principalOf, ...deps }: ChannelTestDeps & RouteDeps): void {
  const tests = createConcurrencyBound('tests of channels', 'organization', TESTS_AT_ONCE)
  app.post(
    '/v1/channels/test',
    {
      schema: {
        operationId: 'testNewChannel',
        summary: 'Send a test message to a channel before it is created',
        description: 'Takes the body that would create the channel, sends one message at once and stores nothing.',
        tags: ['alerts'],
        body: Ref(CreateChannelBody),
        response: { 200: Ref(ChannelTest) },
      },
      config: { access: 'integrations:manage', idempotent: false },
    },
    async (request) => {
      const caller = { principal: principalOf(request), ip: request.ip }
      return tests.run(tenantOf(caller.principal).number, () => testDraft(deps, caller, request.body))
    },
  )
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
    async (request) => {
      const caller = { principal: principalOf(request), ip: request.ip }
      const id = decodeId('channel', request.params.id)
      return tests.run(tenantOf(caller.principal).number, () => testChannel(deps, caller, id))
    },
  )
}
