export { createDatabaseClock, type DatabaseClock, sharedClock } from './database-clock.ts'
export { removeOldCounts, type SharedLimiter, startSharedLimiter } from './limiter.ts'
export { createLimitStore, type LimitStore, readDatabaseTime } from './store.ts'
