import { Channel, ChannelList, ChannelListQuery, ChannelParams, CreateChannelBody, PatchChannelBody, Ref } from '@vedette/shared'
import { Type } from 'typebox'
import { type ChangingRouteDeps, tenantOf } from '../../../access/auth/index.ts'
import { type App, type ChangedResource, pageOf } from '../../../platform/http/index.ts'
import { decodeId } from '../../../platform/ids.ts'
import {
  type ChannelDeps,
  createChannel,
  deleteChannel,
  getChannel,
  listChannels,
  patchChannel,
  tryChangedTemplates,
  tryNewTemplates,
} from './service.ts'
import type { Db } from '../../../platform/db/index.ts'
import { lockChannel } from './store.ts'

const tags = ['alerts']

/** What checks, pushes and others change meanwhile. */
const MEASURED = ['last_error', 'last_test']

export function channelRoutes(app: App, { principalOf, creating, changing, ...deps }: ChannelDeps & ChangingRouteDeps): void {
  const actorOf = (request: { ip: string }) => ({ principal: principalOf(request), ip: request.ip })
  const channelId = (request: { params: { id: string } }): string => decodeId('channel', request.params.id)
  const channelOf = (request: { params: { id: string } }): ChangedResource => {
    const [tenant, id] = [tenantOf(principalOf(request)), channelId(request)]
    return {
      lock: (db) => lockChannel(db, tenant.number, id),
      read: (db) => getChannel({ ...deps, db }, principalOf(request), id),
    }
  }

  app.get(
    '/v1/channels',
    {
      schema: {
        operationId: 'listChannels',
        summary: 'List channels',
        description:
          'Newest first. Secrets are shown as `•••`; so are the `url` of a webhook and the `topic` of ntfy to callers who may not change channels.',
        tags,
        querystring: ChannelListQuery,
        response: { 200: Ref(ChannelList) },
      },
      config: { access: 'read' },
    },
    async (request) => listChannels(deps, principalOf(request), pageOf(request.query)),
  )

  app.post(
    '/v1/channels',
    {
      schema: {
        operationId: 'createChannel',
        summary: 'Create a channel',
        description:
          'A generated webhook secret is returned only once, in this response. The first channel of an organization is added to the rules that have none.',
        tags,
        body: Ref(CreateChannelBody),
        response: { 201: Ref(Channel) },
      },
      config: {
        access: 'integrations:manage',
        idempotent: 'secret',
        locates: true,
        refuses: { 404: 'The organization was deleted while the request ran' },
      },
    },
    async (request, reply) => {
      const trials = await tryNewTemplates(request.body)
      return creating(request, reply, async (db) => {
        const body = await createChannel({ ...deps, db }, actorOf(request), request.body, trials)
        return { status: 201, id: body.id, location: `/v1/channels/${body.id}`, body }
      })
    },
  )

  app.get(
    '/v1/channels/:id',
    {
      schema: {
        operationId: 'getChannel',
        summary: 'Get a channel',
        description: 'As in the list. Secrets are shown as `•••`.',
        tags,
        params: ChannelParams,
        response: { 200: Ref(Channel) },
      },
      config: { hasEtag: true, access: 'read' },
    },
    async (request) => getChannel(deps, principalOf(request), channelId(request)),
  )

  app.patch(
    '/v1/channels/:id',
    {
      schema: {
        operationId: 'updateChannel',
        summary: 'Update a channel',
        description:
          'Changes only the fields that are given, within `config` too. `•••` keeps a secret; null removes a field. A null webhook secret is replaced by a generated one, returned only once, in this response.',
        tags,
        params: ChannelParams,
        body: Ref(PatchChannelBody),
        response: { 200: Ref(Channel) },
      },
      config: { hasEtag: true, measured: MEASURED, access: 'integrations:manage' },
    },
    async (request, reply) => {
      const trials = await tryChangedTemplates(deps, principalOf(request), channelId(request), request.body)
      return changing(request, reply, channelOf(request), (db) =>
        patchChannel({ ...deps, db }, actorOf(request), channelId(request), request.body, trials),
      )
    },
  )

  app.delete(
    '/v1/channels/:id',
    {
      schema: {
        operationId: 'deleteChannel',
        summary: 'Delete a channel',
        description: 'Removes it from the rules and escalation policies that use it.',
        tags,
        params: ChannelParams,
        response: { 204: Type.Null({ description: 'Done' }) },
      },
      config: { hasEtag: true, access: 'integrations:manage' },
    },
    async (request, reply) => {
      const remove = (db: Db) => deleteChannel({ ...deps, db }, actorOf(request), channelId(request))
      await changing(request, reply, channelOf(request), remove)
      return reply.code(204).send(null)
    },
  )
}
