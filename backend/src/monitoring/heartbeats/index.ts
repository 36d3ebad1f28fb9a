export { heartbeatFeature } from './feature.ts'
export { createPingStore, type PingStore } from './ingest.ts'
export { createWatch } from './missed.ts'

export {
  awaitPings,
  freeSlug,
  newPingToken,
  refuseTakenAddresses,
  restoreSlugs,
  saveHeartbeats,
} from './service.ts'
export type { Absence } from './state.ts'
export { deleteHeartbeats, listExpected, listTargetsByName, stopAwaiting } from './store.ts'
