export { apiKeyFeature } from './feature.ts'
export { remindOfEndingKeys } from './ending-keys.ts'
export { createApiKey, revokeApiKey, revokeKeysOf } from './lifecycle.ts'

export { findApiKeyCreation } from './store.ts'
export { createKeyUsage, recordKeyUse } from './usage.ts'
