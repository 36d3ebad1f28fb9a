export { organizationFeature } from './feature.ts'

export { createOrganization } from './service.ts'
export { findFirstOrganization } from './store.ts'
