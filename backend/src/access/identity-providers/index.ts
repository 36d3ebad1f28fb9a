export { identityProviderFeature } from './feature.ts'
export { examineProvider } from './examine.ts'

export { createProviderFetch, PROVIDER_LIMITS } from './provider-fetch.ts'

export { type IdentityProviderRow, listAllProviders } from './store.ts'
export { providerResource } from './routes.ts'
export { identityEncrypter } from './secret.ts'
