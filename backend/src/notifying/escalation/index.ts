export { choosePeople, choosePolicy } from './choose.ts'
export { escalationFeature } from './feature.ts'
export { dueAfter, nextStep } from './next-step.ts'
export { findRecipients } from './recipients.ts'

export { changedPolicy } from './service.ts'
export { findPolicy, findPolicyFor, listByAge as listPoliciesByAge, type PolicyRow } from './store.ts'
export { policyResource } from './routes.ts'
