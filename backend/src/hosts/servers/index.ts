export { serverFeature } from './feature.ts'
export type { HostCertificateRecorder, SampleSource, ServerDeps } from './deps.ts'
export { registerServer } from './register.ts'
export { hasRecentEvent, insertEvent } from './event-store.ts'
export {
  type Finding,
  type GrowingCounter,
  type HealthMemory,
  type HeldCondition,
  toServerHealth,
  toWireFinding,
} from './health-wire.ts'
export { startHeartbeat } from './heartbeat.ts'
export { absenceOf, offlineAfterMs, onlineAfter, type Uptime } from './presence.ts'
export { findUpSince, markAlive } from './instance-store.ts'
export {
  lockPresence,
  listPushedSince,
  listServersAfter,
  listServersRegisteredAfter,
  noteEmptyPush,
  type ServerIdentity,
  recordOffline,
  readPresence,
  type MeasuredServer,
  type ServerPresence,
  sumServers,
} from './last-seen-store.ts'
export {
  findNearestProcesses,
  insertProcessLists,
  type ProcessList,
  type ProcessListRow,
} from './process-store.ts'
export { PROCESS_RETENTION_MS } from './processes.ts'
export { readServerOverview, readServerStates, type ServerOverviewDeps } from './overview.ts'

export { createSourceSwitches, type SourceSwitches } from './source-switches.ts'
export {
  type FreshState,
  readState,
  type ServerState,
  STATE_PARTS,
  type StateChange,
  type StatePart,
  upsertStates,
} from './state-store.ts'
export {
  findOrganizationOfServer,
  findServerNumber,
  findServerOfMachine,
  firstRegistration,
  isCurrentToken,
  lockServer,
  lockServers,
  type ServerBoots,
  type ServerName,
  updateBoots,
  updateServer,
} from './store.ts'
export type { ItemExtras, Snapshot } from './wire.ts'
export { serverResource } from './routes.ts'
