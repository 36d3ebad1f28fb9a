export { createApiKey, revokeApiKey } from './lifecycle.ts'
export { apiKeyRoutes } from './routes.ts'
export { findApiKeyCreation } from './store.ts'
export { createKeyUsage, recordKeyUse } from './usage.ts'
