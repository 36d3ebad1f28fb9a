import type {
  CreateIdentityProviderBody,
  IdentityProvider,
  IdentityProviderChoices,
  IdentityProviderList,
  PatchIdentityProviderBody,
} from '../access/identity-providers.ts'
import { PAGE } from './common.ts'

const id = 'idp_01m7z5b2dqf4s8y3v6k9x0c1wh'
const roles = { role_claim: 'groups', role_mapping: [{ value: 'operations', role: 'admin' as const }] }
const routes = `https://vedette.example.com/v1/auth/oidc/${id}`
const provider: IdentityProvider = {
  id,
  name: 'Example login',
  kind: 'oidc',
  issuer: 'https://login.example.com',
  client_id: 'vedette',
  email_domains: ['example.com'],
  creates_accounts: true,
  default_role: 'viewer',
  ...roles,
  enabled: true,
  callback_url: `${routes}/callback`,
  back_channel_logout_url: `${routes}/back-channel-logout`,
  created_at: '2026-11-21T09:31:12.000Z',
  updated_at: '2026-11-21T09:31:12.000Z',
}

export const IDENTITY_PROVIDER_EXAMPLES = {
  CreateIdentityProviderBody: {
    example: {
      name: 'Example login',
      issuer: 'https://login.example.com',
      client_id: 'vedette',
      client_secret: 'as the provider shows it',
      email_domains: ['example.com'],
      creates_accounts: true,
      ...roles,
    } satisfies CreateIdentityProviderBody,
    github: {
      name: 'GitHub',
      kind: 'github',
      client_id: 'Iv1.0123456789abcdef',
      client_secret: 'as GitHub shows it',
      email_domains: ['example.com'],
    } satisfies CreateIdentityProviderBody,
  },
  PatchIdentityProviderBody: { example: { creates_accounts: false } satisfies PatchIdentityProviderBody },
  IdentityProvider: { example: provider },
  IdentityProviderList: { example: { identity_providers: [provider], ...PAGE } satisfies IdentityProviderList },
  FindIdentityProvidersBody: { example: { email: 'ada@example.com' } },
  IdentityProviderChoices: {
    example: { identity_providers: [{ id, name: 'Example login' }] } satisfies IdentityProviderChoices,
  },
}
