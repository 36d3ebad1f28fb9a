export { invitationRoutes } from './invitation-routes.ts'
export { deleteExpiredInvitations } from './invite.ts'
export { memberRoutes } from './routes.ts'
export { countMembers, insertMembership } from './store.ts'
