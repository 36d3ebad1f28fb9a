export { keepAuditPartitions } from './partitions.ts'
export { type Actor, type AuditEntry, recordAudit, SYSTEM } from './record.ts'
export { auditRoutes } from './routes.ts'
export { deleteAuditEvents } from './store.ts'
