import {
  AlertSampleList,
  AlertSource,
  AlertSourceList,
  AlertSourceListQuery,
  AlertSourceParams,
  AlertSourceTest,
  CreateAlertSourceBody,
  PatchAlertSourceBody,
  Ref,
} from '@vedette/shared'
import {
  callerOf,
  type CreatingRouteDeps,
  defineResource,
  ORGANIZATION_DELETED,
  resourceRoutes,
  tenantOf,
} from '../../access/auth/index.ts'
import type { App } from '../../platform/http/index.ts'
import { decodeId } from '../../platform/ids.ts'
import { sourceConfiguration } from './configuration.ts'
import { ownSourceFaults } from './faults.ts'
import {
  type ConfirmDeps,
  confirmTopic,
  createSource,
  deleteSource,
  getSource,
  listSources,
  patchSource,
  readSamples,
  restoreSource,
  rotateToken,
  testSource,
  tryTemplates,
} from './service.ts'
import { deletedSources, lockSource } from './store.ts'

export const sourceResource = defineResource({
  kind: 'alertSource',
  path: '/v1/alert-sources',
  operation: ['AlertSource', 'AlertSources'],
  noun: ['an alert source', 'alert sources'],
  tags: ['alerts'],
  access: { read: 'integrations:manage', change: 'integrations:manage' },
  schemas: {
    params: AlertSourceParams,
    query: AlertSourceListQuery,
    list: AlertSourceList,
    details: AlertSource,
    create: CreateAlertSourceBody,
    patch: PatchAlertSourceBody,
  },
  ownFaults: ownSourceFaults,
  texts: {
    list: 'Newest first, without their tokens.',
    create:
      'Its alerts open incidents from now on. The token is returned only once, in this response, alone and as the end of the address.',
    get: 'As in the list.',
    update:
      'Changes only the fields that are given. Open incidents stay as they are, except that those of a source which is disabled are resolved.',
    delete: 'Resolves its open incidents, and its token is unknown. It can be restored for 30 days.',
  },
  createsSecret: true,
  measured: ['confirm', 'last_received_at', 'received_count'],
  moving: ['confirm', 'last_received_at', 'received_count'],
  refuses: { create: ORGANIZATION_DELETED },
  prepare: { create: tryTemplates, patch: (_deps, _principal, _id, body) => tryTemplates(body) },
  lock: lockSource,
  list: listSources,
  get: getSource,
  create: createSource,
  patch: patchSource,
  delete: deleteSource,
  configuration: sourceConfiguration,
  restore: {
    restore: restoreSource,
    text: 'With its token, and the channels and the escalation policy that are still there.',
    refuses: { 409: 'The organization has too many alert sources' },
    deleted: deletedSources,
  },
})

export const sourceRoutes = resourceRoutes(sourceResource)

const tags = ['alerts']
const sourceId = (request: { params: { id: string } }): string => decodeId('alertSource', request.params.id)

/** What only alert sources have. */
export function furtherSourceRoutes(app: App, deps: ConfirmDeps & CreatingRouteDeps): void {
  const { creating, principalOf } = deps
  app.get(
    '/v1/alert-sources/:id/samples',
    {
      schema: {
        operationId: 'listAlertSamples',
        summary: 'List the last requests of an alert source',
        description: 'The last 10 with what became of them, the newest first. One that changes nothing is kept once a minute.',
        tags,
        params: AlertSourceParams,
        response: { 200: Ref(AlertSampleList) },
      },
      config: { access: 'integrations:manage' },
    },
    async (request) => readSamples(deps, tenantOf(principalOf(request)), sourceId(request)),
  )
  app.post(
    '/v1/alert-sources/:id/confirm',
    {
      schema: {
        operationId: 'confirmAlertSourceTopic',
        summary: 'Confirm a topic of Amazon SNS',
        description:
          'Calls the address that SNS sent for it, of a host in `VEDETTE_SNS_CERTIFICATE_HOSTS`, without redirects. Nothing is called without this request, or where no topic is left to confirm.',
        tags,
        params: AlertSourceParams,
        response: { 200: Ref(AlertSource) },
      },
      config: {
        access: 'integrations:manage',
        idempotent: false,
        refuses: { 409: 'SNS did not confirm the topic' },
      },
    },
    async (request) => confirmTopic(deps, callerOf(deps, request), sourceId(request)),
  )
  app.post(
    '/v1/alert-sources/:id/rotate-token',
    {
      schema: {
        operationId: 'rotateAlertSourceToken',
        summary: 'Replace the token of an alert source',
        description: 'The old token is unknown at once. The new one is returned only once, in this response.',
        tags,
        params: AlertSourceParams,
        response: { 200: Ref(AlertSource) },
      },
      config: { access: 'integrations:manage', idempotent: 'secret' },
    },
    async (request, reply) =>
      creating(request, reply, async (db) => {
        const body = await rotateToken({ ...deps, db }, callerOf(deps, request), sourceId(request))
        return { status: 200, id: body.id, body }
      }),
  )
  app.post(
    '/v1/alert-sources/:id/test',
    {
      schema: {
        operationId: 'testAlertSource',
        summary: 'Try an alert source',
        description: 'Opens and resolves an incident of the severity `info`, which notifies as an alert of the sender would.',
        tags,
        params: AlertSourceParams,
        response: { 200: Ref(AlertSourceTest) },
      },
      config: { access: 'integrations:manage', idempotent: false },
    },
    async (request, reply) =>
      creating(request, reply, async (db) => {
        const body = await testSource({ ...deps, db }, callerOf(deps, request), sourceId(request))
        return { status: 200, id: body.incident_id, body }
      }),
  )
}
