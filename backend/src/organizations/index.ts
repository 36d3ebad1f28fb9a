export { organizationRoutes } from './routes.ts'
export { createOrganization } from './service.ts'
export { findFirstOrganization } from './store.ts'
