export { createApiKey, revokeApiKey } from './life.ts'
export { apiKeyRoutes } from './routes.ts'
export { findApiKeyCreation } from './store.ts'
export { createKeyUsage, noteKeyUse } from './usage.ts'
