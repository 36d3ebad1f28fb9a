export { cleanUserAgent, recordSecurityAudit, recordSecurityEvent, type SecurityEventType } from './record.ts'
export { securityLogRoutes } from './routes.ts'
export { deleteOldSecurityEvents } from './service.ts'
