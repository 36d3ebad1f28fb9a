export { findOnDuty } from './on-duty.ts'
export { scheduleRoutes } from './routes.ts'
export { findMemberEmails } from './store.ts'
