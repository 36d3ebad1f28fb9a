import {
  CreateIdentityProviderBody,
  PatchIdentityProviderBody,
  Ref,
  IdentityProvider,
  IdentityProviderList,
  IdentityProviderListQuery,
  IdentityProviderParams,
} from '@vedette/shared'
import { Type } from 'typebox'
import { type ChangingRouteDeps, tenantOf } from '../auth/index.ts'
import { type App, type ChangedResource, pageOf } from '../platform/http/index.ts'
import { decodeId } from '../platform/ids.ts'
import {
  createIdentityProvider,
  deleteIdentityProvider,
  getIdentityProvider,
  listIdentityProviders,
  patchIdentityProvider,
  type IdentityProviderDeps,
} from './service.ts'
import type { Db } from '../platform/db/index.ts'
import { lockProvider } from './store.ts'

const tags = ['organizations']

export function identityProviderRoutes(
  app: App,
  { principalOf, creating, changing, ...deps }: IdentityProviderDeps & ChangingRouteDeps,
): void {
  const actorOf = (request: { ip: string }) => ({ principal: principalOf(request), ip: request.ip })
  const providerId = (request: { params: { id: string } }): string => decodeId('identityProvider', request.params.id)
  const providerOf = (request: { params: { id: string } }): ChangedResource => {
    const [tenant, id] = [tenantOf(principalOf(request)), providerId(request)]
    return {
      lock: (db) => lockProvider(db, tenant.number, id),
      read: (db) => getIdentityProvider({ ...deps, db }, tenant, id),
    }
  }

  app.get(
    '/v1/identity-providers',
    {
      schema: {
        operationId: 'listIdentityProviders',
        summary: 'List identity providers',
        description: 'By which members of the organization sign in; newest first. Client secrets are never returned.',
        tags,
        querystring: IdentityProviderListQuery,
        response: { 200: Ref(IdentityProviderList) },
      },
      config: { access: 'org:update' },
    },
    async (request) => listIdentityProviders(deps, tenantOf(principalOf(request)), pageOf(request.query)),
  )

  app.post(
    '/v1/identity-providers',
    {
      schema: {
        operationId: 'createIdentityProvider',
        summary: 'Create an identity provider',
        description:
          'Members whose e-mail has one of its domains can sign in by it from now on. Enter `callback_url` of the response at the provider.',
        tags,
        body: Ref(CreateIdentityProviderBody),
        response: { 201: Ref(IdentityProvider) },
      },
      config: {
        access: 'org:update',
        idempotent: true,
        locates: true,
        refuses: { 404: 'The organization was deleted while the request ran' },
      },
    },
    async (request, reply) =>
      creating(request, reply, async (db) => {
        const body = await createIdentityProvider({ ...deps, db }, actorOf(request), request.body)
        return { status: 201, id: body.id, location: `/v1/identity-providers/${body.id}`, body }
      }),
  )

  app.get(
    '/v1/identity-providers/:id',
    {
      schema: {
        operationId: 'getIdentityProvider',
        summary: 'Get an identity provider',
        description: 'As in the list.',
        tags,
        params: IdentityProviderParams,
        response: { 200: Ref(IdentityProvider) },
      },
      config: { hasEtag: true, access: 'org:update' },
    },
    async (request) => getIdentityProvider(deps, tenantOf(principalOf(request)), providerId(request)),
  )

  app.patch(
    '/v1/identity-providers/:id',
    {
      schema: {
        operationId: 'updateIdentityProvider',
        summary: 'Update an identity provider',
        description: 'Changes only the fields that are given. Disabling it ends its sessions.',
        tags,
        params: IdentityProviderParams,
        body: Ref(PatchIdentityProviderBody),
        response: { 200: Ref(IdentityProvider) },
      },
      config: { hasEtag: true, access: 'org:update' },
    },
    async (request, reply) =>
      changing(request, reply, providerOf(request), (db) =>
        patchIdentityProvider({ ...deps, db }, actorOf(request), providerId(request), request.body),
      ),
  )

  app.delete(
    '/v1/identity-providers/:id',
    {
      schema: {
        operationId: 'deleteIdentityProvider',
        summary: 'Delete an identity provider',
        description: 'Ends its sessions. Accounts and memberships stay.',
        tags,
        params: IdentityProviderParams,
        response: { 204: Type.Null({ description: 'Done' }) },
      },
      config: { hasEtag: true, access: 'org:update' },
    },
    async (request, reply) => {
      const remove = (db: Db) => deleteIdentityProvider({ ...deps, db }, actorOf(request), providerId(request))
      await changing(request, reply, providerOf(request), remove)
      return reply.code(204).send(null)
    },
  )
}
