import {
  ApiKey,
  ApiKeyList,
  ApiKeyListQuery,
  CreateApiKeyBody,
  ApiKeyParams,
  NewApiKey,
  PatchApiKeyBody,
  Ref,
} from '@vedette/shared'
import type { FastifyRequest } from 'fastify'
import { callerOf, type ChangingRouteDeps, tenantOf } from '../auth/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { type App, noContent, NoContent, pageOf } from '../../platform/http/index.ts'
import { decodeId } from '../../platform/ids.ts'
import { type ApiKeyDeps, getKey, listKeys, makeKey, patchKey, revokeKey } from './service.ts'
import { lockApiKey } from './store.ts'

export function apiKeyRoutes(app: App, deps: ApiKeyDeps & ChangingRouteDeps): void {
  const { principalOf, creating } = deps

  app.get(
    '/v1/api-keys',
    {
      schema: {
        operationId: 'listApiKeys',
        summary: 'List API keys',
        description: 'Newest first, including revoked and expired keys, without their secrets.',
        tags: ['api keys'],
        querystring: ApiKeyListQuery,
        response: { 200: Ref(ApiKeyList) },
      },
      config: { access: 'integrations:manage' },
    },
    async (request) => listKeys(deps, tenantOf(principalOf(request)), pageOf(request.query)),
  )

  app.post(
    '/v1/api-keys',
    {
      schema: {
        operationId: 'createApiKey',
        summary: 'Create an API key',
        description:
          '`key` is the secret; it is shown only in this response. Only an owner can grant the scope `admin`. The key belongs to the organization and stays valid when its creator leaves.',
        tags: ['api keys'],
        body: Ref(CreateApiKeyBody),
        response: { 201: Ref(NewApiKey) },
      },
      config: {
        access: 'integrations:manage',
        idempotent: 'secret',
        refuses: {
          403: 'The caller may not create keys, or may not grant the scope',
          404: 'The organization was deleted while the request ran',
        },
      },
    },
    async (request, reply) =>
      creating(request, reply, async (db) => {
        const body = await makeKey({ ...deps, db }, callerOf(deps, request), request.body)
        return { status: 201, id: body.id, body }
      }),
  )

  keyRoutes(app, deps)
}

function keyRoutes(app: App, deps: ApiKeyDeps & ChangingRouteDeps): void {
  const { principalOf, changing } = deps
  const keyOf = (request: FastifyRequest<{ Params: { id: string } }>) => {
    const [tenant, id] = [tenantOf(principalOf(request)), decodeId('apiKey', request.params.id)]
    return { lock: (db: Db) => lockApiKey(db, tenant.number, id), read: (db: Db) => getKey({ db }, tenant, id) }
  }

  app.get(
    '/v1/api-keys/:id',
    {
      schema: {
        operationId: 'getApiKey',
        summary: 'Get an API key',
        description: 'As in the list, without its secret.',
        tags: ['api keys'],
        params: ApiKeyParams,
        response: { 200: Ref(ApiKey) },
      },
      config: { hasEtag: true, access: 'integrations:manage' },
    },
    async (request) => getKey(deps, tenantOf(principalOf(request)), decodeId('apiKey', request.params.id)),
  )

  app.patch(
    '/v1/api-keys/:id',
    {
      schema: {
        operationId: 'updateApiKey',
        summary: 'Update an API key',
        description: 'Changes what happens to series that come with the key; nothing else of a key can be changed.',
        tags: ['api keys'],
        params: ApiKeyParams,
        body: Ref(PatchApiKeyBody),
        response: { 200: Ref(ApiKey) },
      },
      config: { hasEtag: true, access: 'integrations:manage', measured: ['last_used_at'] },
    },
    async (request, reply) => {
      const id = decodeId('apiKey', request.params.id)
      return changing(request, reply, keyOf(request), (db) =>
        patchKey({ ...deps, db }, callerOf(deps, request), id, request.body),
      )
    },
  )

  app.delete(
    '/v1/api-keys/:id',
    {
      schema: {
        operationId: 'revokeApiKey',
        summary: 'Revoke an API key',
        description: 'The key is refused from the next request on and stays in the list. Revoking it again changes nothing.',
        tags: ['api keys'],
        params: ApiKeyParams,
        response: { 204: NoContent },
      },
      config: { hasEtag: true, access: 'integrations:manage', measured: ['last_used_at'] },
    },
    async (request, reply) => {
      const [caller, id] = [callerOf(deps, request), decodeId('apiKey', request.params.id)]
      return noContent(
        reply,
        changing(request, reply, keyOf(request), (db) => revokeKey({ ...deps, db }, caller, id)),
      )
    },
  )
}
