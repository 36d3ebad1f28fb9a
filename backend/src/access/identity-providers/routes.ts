import {
  CreateIdentityProviderBody,
  IdentityProvider,
  IdentityProviderList,
  IdentityProviderListQuery,
  IdentityProviderParams,
  PatchIdentityProviderBody,
} from '@vedette/shared'
import { ORGANIZATION_DELETED, defineResource, resourceRoutes } from '../auth/index.ts'
import {
  createIdentityProvider,
  deleteIdentityProvider,
  getIdentityProvider,
  listIdentityProviders,
  patchIdentityProvider,
  restoreIdentityProvider,
} from './service.ts'
import { deletedProviders, lockProvider } from './store.ts'
import { providerConfiguration } from './configuration.ts'

export const providerResource = defineResource({
  kind: 'identityProvider',
  path: '/v1/identity-providers',
  operation: ['IdentityProvider', 'IdentityProviders'],
  noun: ['an identity provider', 'identity providers'],
  tags: ['organizations'],
  access: { read: 'org:update', change: 'org:update' },
  schemas: {
    params: IdentityProviderParams,
    query: IdentityProviderListQuery,
    list: IdentityProviderList,
    details: IdentityProvider,
    create: CreateIdentityProviderBody,
    patch: PatchIdentityProviderBody,
  },
  texts: {
    list: 'By which members of the organization sign in; newest first. Client secrets are never returned.',
    create:
      'Members whose e-mail has one of its domains can sign in by it from now on. Enter `callback_url` of the response at the provider.',
    get: 'As in the list.',
    update: 'Changes only the fields that are given. Disabling it ends its sessions.',
    delete: 'Ends its sessions. Accounts and memberships stay. It can be restored for 30 days.',
  },
  refuses: { create: ORGANIZATION_DELETED },
  lock: lockProvider,
  list: listIdentityProviders,
  get: getIdentityProvider,
  create: createIdentityProvider,
  patch: patchIdentityProvider,
  delete: deleteIdentityProvider,
  configuration: providerConfiguration,
  restore: {
    restore: restoreIdentityProvider,
    text: 'With its client secret and the identities of its people, who sign in again. Its domains are looked up at once.',
    refuses: { 409: 'The organization has too many identity providers' },
    deleted: deletedProviders,
  },
})

export const identityProviderRoutes = resourceRoutes(providerResource)
