export { deleteChecks, deleteOrganizationChecks } from './delete-store.ts'
export {
  type CheckFilter,
  type CheckRow,
  listChecks,
  readRecentChecks,
  readRegionStates,
  readScheduleFacts,
} from './history-store.ts'
export { compileFaults } from './judge/index.ts'
export { createControl } from './control.ts'
export { type Engine, startEngine, startProber } from './engine.ts'
export { createPolicyConnect } from './policy-connect.ts'
export { policyOf } from './policy-prober.ts'
export { arePrivateTargetsOpen } from './policy-store.ts'
export { keepCheckPartitions, readCheckPartitions, LATE_RESULTS_DAYS } from './partitions.ts'
export { checkTypes, protocolsOf } from './probe/kinds/known.ts'
export type { Observed } from './results/observed.ts'
export { recordChecks } from './results/record.ts'
export { findStored, forgetCheckAnswers } from './results/store.ts'
export { claimChecks, type ClaimRow, readHangingLoad, releaseClaims } from './schedule/claim-store.ts'
export {
  changeIntervals,
  holdChecks,
  insertStatus,
  placeAll,
  type Placement,
  releaseChecks,
} from './schedule/place-store.ts'
export { openRequest, sealRequest } from './sealed-request.ts'
export { avgResponseMs, type Counts, toMs, uptimePercent } from './stats/figures.ts'
export { compactChecks } from './stats/compact.ts'
export { readHourlyMeans, readPeriodCounts } from './stats/read.ts'
export { changeStatus, listTransitions, lockStatus, readStatuses, type StatusRow, type TransitionRow } from './status-store.ts'
export { readUptime } from './stats/uptime.ts'
export { countedState } from './status/monitor-status.ts'
export { readDefinition } from './schedule/plan.ts'
export type { ProberLike } from './policy-prober.ts'
export { startProberThread } from './probe/index.ts'
export { boundOf, createRunner, type Plan } from './schedule/runner.ts'
export { announceWorker } from './schedule/worker-store.ts'
export { unmade } from './status/truth.ts'
export { checkRoutes } from './routes.ts'
