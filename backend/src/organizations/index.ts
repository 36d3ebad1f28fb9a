export { createOrganization } from './service.ts'
export { findFirstOrganization, insertMembership } from './store.ts'
