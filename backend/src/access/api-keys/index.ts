export { apiKeyFeature } from './feature.ts'
export { remindOfEndingKeys } from './ending-keys.ts'
export { createApiKey, revokeApiKey, revokeKeysOf } from './lifecycle.ts'

export { findApiKeyCreation, leadOrFindLeader } from './store.ts'
export { createKeyUsage, recordKeyUse } from './usage.ts'
