export { securityLogFeature } from './feature.ts'
export { createOriginRecorder, type OriginCaller, recordSignInOrigin } from './origins.ts'
export { cleanUserAgent, recordSecurityAudit, recordSecurityEvent, type SecurityEventType } from './record.ts'
export { createRefusalCounter, type Refusal } from './refusals.ts'

export { deleteOldSecurityEvents, readInstallationEvents } from './service.ts'

export type { InstallationSecurityEvent } from './wire.ts'
