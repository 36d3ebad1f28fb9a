import {
  ChannelParams,
  ChannelPreview,
  ChannelPreviewBody,
  ChannelTest,
  CreateChannelBody,
  type IncidentItem,
  Ref,
} from '@vedette/shared'
import { languageOfOrganization, type RouteDeps, type Tenant, tenantOf } from '../../../access/auth/index.ts'
import { createConcurrencyBound } from '../../../platform/concurrency/concurrency-bound.ts'
import { invalid } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/index.ts'
import { decodeId } from '../../../platform/ids.ts'
import { ownChannelFaults } from '../channels/config.ts'
import { findChannel } from '../channels/store.ts'
import { previewMessage } from '../messages/preview.ts'
import { type ChannelTestDeps, testChannel, testDraft } from './test-channel.ts'

/** Each may wait 10 s for the service. */
const TESTS_AT_ONCE = 5

export interface ChannelTestRouteDeps extends ChannelTestDeps, RouteDeps {
  /** Without an id the newest incident. Undefined for one that is not of this organization. */
  readIncident(tenant: Tenant, id: string | undefined): Promise<IncidentItem | undefined>
}

export function channelTestRoutes(app: App, { principalOf, readIncident, ...deps }: ChannelTestRouteDeps): void {
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
      config: { access: 'integrations:manage', speaks: true, idempotent: false, ownFaults: ownChannelFaults },
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
      config: { access: 'integrations:manage', speaks: true, idempotent: false },
    },
    async (request) => {
      const caller = { principal: principalOf(request), ip: request.ip }
      const [id, { number }] = [decodeId('channel', request.params.id), tenantOf(caller.principal)]
      return tests.run(number, async () => testChannel(deps, caller, await findChannel(deps.db, number, id)))
    },
  )
  app.post(
    '/v1/channels/preview',
    {
      schema: {
        operationId: 'previewChannel',
        summary: 'Preview the templates of a channel',
        description: 'Renders the templates for the opening of an incident, sends nothing and stores nothing.',
        tags: ['alerts'],
        body: Ref(ChannelPreviewBody),
        response: { 200: Ref(ChannelPreview) },
      },
      config: { access: 'integrations:manage', idempotent: false },
    },
    async (request) => {
      const { incident_id: id, ...templates } = request.body
      const tenant = tenantOf(principalOf(request))
      const incident = await readIncident(tenant, id)
      if (id !== undefined && !incident)
        throw invalid({ path: 'incident_id', message: 'is not an incident of this organization' })
      const language = await languageOfOrganization(deps.db, tenant.number)
      return previewMessage(templates, incident, { publicUrl: deps.publicUrl(), language })
    },
  )
}
