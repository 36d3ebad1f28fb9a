export { createOrganization } from './service.ts'
export { findFirstOrganization, insertMembership, insertOrganization } from './store.ts'
