export { auditFeature } from './feature.ts'
export { AUDIT_EVENTS } from './partitions.ts'
export { type Acting, type Actor, actorOf, type AuditEntry, auditEntry, recordAudit, recordAudits, SYSTEM } from './record.ts'
export { refuseTooMany } from './refuse-too-many.ts'

export { countAuditDays, listAuditEvents, parseLogFilter } from './service.ts'
export { deleteAuditEvents, type LogFilter } from './store.ts'
export { parseAnyId, toActor } from './wire.ts'
