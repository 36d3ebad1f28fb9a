// What the overview shows below what is looked at first: one file, since a phone waits for each.
export { auditActions } from './audit-actions.ts'
export { escalation } from './escalation.ts'
export { slos } from './slos.ts'
export { wall } from './wall.ts'
