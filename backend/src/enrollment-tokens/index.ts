export { enrollmentTokenRoutes } from './routes.ts'
export { deleteOldTokens } from './service.ts'
export { consumeEnrollmentToken } from './store.ts'
