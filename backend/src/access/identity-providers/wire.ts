import { type IdentityProvider, toTimestamp } from '@vedette/shared'
import { encodeId } from '../../platform/ids.ts'
import type { IdentityProviderRow } from './store.ts'

/** Where the provider sends the browser back to. */
export const callbackUrl = (publicUrl: string, id: string): string => `${routesUrl(publicUrl, id)}/callback`

const routesUrl = (publicUrl: string, id: string): string =>
  `${publicUrl.replace(/\/$/, '')}/v1/auth/oidc/${encodeId('identityProvider', id)}`

export function toIdentityProvider(row: IdentityProviderRow, publicUrl: string): IdentityProvider {
  return {
    id: encodeId('identityProvider', row.id),
    name: row.name,
    kind: row.kind,
    issuer: row.issuer,
    client_id: row.client_id,
    email_domains: row.email_domains,
    creates_accounts: row.creates_accounts,
    default_role: row.default_role,
    role_claim: row.role_claim,
    role_mapping: row.role_mapping,
    enabled: row.enabled,
    domain_token: row.domain_token,
    domains: row.email_domains.map((name) => ({ name, proved_at: row.domain_proofs[name]?.proved_at ?? null })),
    callback_url: callbackUrl(publicUrl, row.id),
    back_channel_logout_url: row.kind === 'oidc' ? `${routesUrl(publicUrl, row.id)}/back-channel-logout` : null,
    managed: row.managed,
    created_at: toTimestamp(row.created_at.getTime()),
    updated_at: toTimestamp(row.updated_at.getTime()),
  }
}
