export type { App } from './app.ts'
export { publishOpenApi } from './openapi.ts'
export { createServer, pathOf } from './server.ts'
export { createRateLimiter, type LimitGroup, limitGroup, limitHeaders, type LimitState, type RateLimiter } from './rate-limit.ts'
