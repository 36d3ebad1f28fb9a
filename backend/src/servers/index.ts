export { startHeartbeat } from './heartbeat.ts'
export type { Uptime } from './presence.ts'
export { type ServerRouteDeps, serverRoutes } from './routes.ts'
export type { SampleSource, ServerDeps } from './service.ts'
export {
  findServerNumber,
  hasRecentEvent,
  insertEvent,
  isLivingToken,
  lockServer,
  type ServerState,
  type StateChange,
  updateServer,
  upsertStates,
} from './store.ts'
export type { ItemExtras, Snapshot } from './wire.ts'
