import { Channel, ChannelList, ChannelListQuery, ChannelParams, CreateChannelBody, PatchChannelBody } from '@vedette/shared'
import { ORGANIZATION_DELETED, defineResource, resourceRoutes } from '../../../access/auth/index.ts'
import { ownChannelFaults } from './config.ts'
import {
  channelChangeFaults,
  createChannel,
  deleteChannel,
  getChannel,
  listChannels,
  patchChannel,
  restoreChannel,
  tryChangedTemplates,
  tryNewTemplates,
} from './service.ts'
import { deletedChannels, lockChannel } from './store.ts'
import { channelConfiguration } from './configuration.ts'

export const channelResource = defineResource({
  kind: 'channel',
  path: '/v1/channels',
  operation: ['Channel', 'Channels'],
  noun: ['a channel', 'channels'],
  tags: ['alerts'],
  access: { read: 'read', change: 'integrations:manage' },
  schemas: {
    params: ChannelParams,
    query: ChannelListQuery,
    list: ChannelList,
    details: Channel,
    create: CreateChannelBody,
    patch: PatchChannelBody,
  },
  texts: {
    list: 'Newest first. Secrets are shown as `•••`; so are the `url` of a webhook and the `topic` of ntfy to callers who may not change channels.',
    create:
      'A generated webhook secret is returned only once, in this response. The first channel of an organization is added to the rules that have none.',
    get: 'As in the list. Secrets are shown as `•••`.',
    update:
      'Changes only the fields that are given, within `config` too. `•••` keeps a secret; null removes a field. A null webhook secret is replaced by a generated one, returned only once, in this response.',
    delete: 'Removes it from the rules and escalation policies that use it. It can be restored for 30 days.',
  },
  speaks: true,
  createsSecret: true,
  ownFaults: ownChannelFaults,
  ownChangeFaults: channelChangeFaults,
  // Checks, pushes and others change them meanwhile.
  measured: ['last_error', 'last_test', 'address_confirmed'],
  refuses: { create: ORGANIZATION_DELETED },
  prepare: { create: tryNewTemplates, patch: tryChangedTemplates },
  lock: lockChannel,
  list: (deps, _, query, principal) => listChannels(deps, principal, query),
  get: (deps, _, id, principal) => getChannel(deps, principal, id),
  create: createChannel,
  patch: patchChannel,
  delete: deleteChannel,
  configuration: channelConfiguration,
  restore: {
    restore: restoreChannel,
    text: 'With its secrets, and in the rules and escalation policies that named it, unless they have changed.',
    refuses: { 409: 'The organization has too many channels' },
    deleted: deletedChannels,
  },
})

export const channelRoutes = resourceRoutes(channelResource)
