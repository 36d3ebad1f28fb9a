export { keepAuditPartitions, readAuditPartitions } from './partitions.ts'
export { type Actor, type AuditEntry, recordAudit, recordAudits, SYSTEM } from './record.ts'
export { auditRoutes } from './routes.ts'
export { deleteAuditEvents } from './store.ts'
