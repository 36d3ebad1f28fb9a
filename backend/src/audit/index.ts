export { type Actor, type AuditEntry, recordAudit } from './record.ts'
