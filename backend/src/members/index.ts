export { invitationRoutes } from './invitation-routes.ts'
export { memberRoutes } from './routes.ts'
export { countMembers, insertMembership } from './store.ts'
