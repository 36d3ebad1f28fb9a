export { createPingStore } from './ingest.ts'
export { createWatch } from './missed.ts'
export { PINGS } from './partitions.ts'
export { pingRoutes } from './ping-routes.ts'
export { pingKeyEncrypter } from './encrypter.ts'
export { heartbeatRoutes } from './routes.ts'
export {
  awaitPings,
  freeSlug,
  type HeartbeatDraft,
  newPingToken,
  refuseTakenAddresses,
  restoreSlugs,
  saveHeartbeats,
} from './service.ts'
export type { Absence } from './state.ts'
export { deleteHeartbeats, deleteOrganizationPings, stopAwaiting } from './store.ts'
