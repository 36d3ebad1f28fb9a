import { CreateIdentityProviderBody, MASK } from '@vedette/shared'
import { type Configuration, pickFields, toConfigured } from '../auth/index.ts'
import { storedSecretOf } from './secret.ts'
import { GITHUB, type IdentityProviderDeps } from './service.ts'
import { readProviders } from './store.ts'
import { toIdentityProvider } from './wire.ts'

const SECRETS = ['client_secret']

export const providerConfiguration: Configuration<IdentityProviderDeps> = {
  kind: 'identity_provider',
  table: 'identity_provider',
  read: async ({ db, encrypter, publicUrl }, tenant, ids) =>
    (await readProviders(db, tenant.number, ids)).map((row) => {
      const secret = storedSecretOf(encrypter, row)
      const spec = pickFields(CreateIdentityProviderBody, toIdentityProvider(row, publicUrl()))
      return toConfigured(
        row,
        { ...spec, ...(secret !== undefined && { client_secret: secret }) },
        secret === undefined ? SECRETS : [],
      )
    }),
  keepOmitted: (spec, before) => ({
    ...(before.client_secret !== undefined && { client_secret: before.client_secret }),
    ...spec,
  }),
  complete: (spec) => ({
    kind: 'oidc',
    ...(spec.kind === 'github' && { issuer: GITHUB }),
    creates_accounts: false,
    default_role: 'viewer',
    role_claim: null,
    role_mapping: [],
    enabled: true,
    ...spec,
  }),
  secretsIn: () => SECRETS,
  mask: (spec) => ({ ...spec, ...(spec.client_secret !== undefined && { client_secret: MASK }) }),
}
