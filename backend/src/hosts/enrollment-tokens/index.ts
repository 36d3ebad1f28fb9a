export { enrollmentTokenFeature } from './feature.ts'

export { consumeEnrollmentToken } from './store.ts'
