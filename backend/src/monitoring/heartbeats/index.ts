export { heartbeatFeature } from './feature.ts'
export { createPingStore } from './ingest.ts'
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
export { deleteHeartbeats, listExpected, stopAwaiting } from './store.ts'
