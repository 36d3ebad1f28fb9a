export { findOnDuty } from './on-duty.ts'
export { scheduleCalendarRoutes } from './calendar-routes.ts'
export { scheduleRoutes } from './routes.ts'
export { findMemberEmails } from './store.ts'
