export { dueAfter, nextStep } from './next-step.ts'
export { findRecipients } from './recipients.ts'
export { escalationRoutes } from './routes.ts'
export { findPolicy, findPolicyFor, type PolicyRow } from './store.ts'
