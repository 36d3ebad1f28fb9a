export { checkFeature } from './feature.ts'
export { type ComputedComposite, computeComposites, followStatuses, levelsOf, refreshComposites } from './composites/refresh.ts'
export { announceComposites, findCompositesOf, listComposites, lockComposites } from './composites/store.ts'
export { deleteChecks, endChecks } from './delete-store.ts'
export { type Engine, startEngine, startProber } from './engine.ts'
export { decodeText, evaluateAssertions, validatePatterns } from './evaluation/index.ts'
export { createPolicyConnect } from './policy/connect.ts'
export { parseTargetPolicy, type PolicyProber } from './policy/prober.ts'
export { arePrivateTargetsAllowed, readTargetPolicy } from './policy/store.ts'
export { cutText, readable } from './probe/excerpt.ts'
export { examinePing, startProberThread } from './probe/index.ts'
export { type CompletedCheck, seenCertificates } from './results/completed-check.ts'
export {
  type Exclusions,
  NOTHING_EXCLUDED,
  readExclusions,
  type Reclassified,
} from './reclassified/exclusions.ts'
export { readSaid, toReclassification } from './reclassified/said.ts'
export { findSaid, listSaidOf, type SaidRow } from './reclassified/said-store.ts'
export {
  type CheckFilter,
  type CheckRow,
  listChecks,
  readRecentChecks,
  readRegionStates,
  readScheduleSummaries,
} from './results/history-store.ts'
export { hasRawChecks, keepCheckPartitions, LATE_RESULTS_DAYS, singleChecksFromMs } from './results/partitions.ts'
export { type LockingTransaction, recordChecks, recordLockedChecks } from './results/record.ts'
export { findStoredChecks, onTransaction } from './results/store.ts'

export { claimChecks, type ClaimRow, readHangingLoad, releaseClaims } from './schedule/claim-store.ts'
export {
  changeIntervals,
  checkAtOnce,
  type MonitorSchedule,
  pauseChecks,
  resumeChecks,
  scheduleMonitors,
  startMonitors,
  wakeChecks,
} from './schedule/schedule-store.ts'
export { compactChecks } from './stats/compact.ts'
export { readBasis, readProgress as readCheckProgress } from './stats/progress-store.ts'
export { recountOwnWeek, settleNewReclassified } from './stats/settle-reclassified.ts'
export { avgResponseMs, type CountedGroup, type Counts, NO_CHECKS, toMs, uptimePercent } from './stats/counts.ts'
export { listRegions } from './stats/monitor-store.ts'
export { readDayCounts, readHourlyMeans, readPeriodCounts } from './stats/read.ts'
export {
  CHECK_UNIT_MS,
  type CheckUnit,
  countChecks,
  readUnitPercentiles,
  readUnitSums,
} from './stats/units.ts'
export { readUptime, readWindowFigures } from './stats/uptime.ts'
export {
  countGood,
  countGoodDays,
  countWindow,
  exactBounds,
  MAX_EXACT_LATENCIES,
  NO_WINDOW_COUNTS,
  readCoverage,
  type WindowCounts,
} from './stats/window-counts.ts'
export { widenToDays, windowOf } from './stats/window.ts'
export type { Window } from './stats/window-plan.ts'
export { recountWeek, weekHour } from './stats/week.ts'
export { inconclusiveResult } from './status/inconclusive.ts'
export { countedState } from './status/monitor-status.ts'
export {
  changeStatus,
  insertStatus,
  listLastPaused,
  listTransitions,
  lockStatus,
  readStatuses,
  type StatusRow,
  type TransitionRow,
} from './status/store.ts'
export { optionPatternFaults } from './probe/kinds/pattern-faults.ts'
export { createControl, PROVE_EVERY_MS } from './worker/control.ts'
export { type ControlSetting, findControlTargets, reachControlTarget } from './worker/control-targets.ts'
export { type CheckRequest, decryptRequest, EMPTY_REQUEST, encryptRequest } from './worker/encrypted-request.ts'
export { decryptDefinition } from './worker/local-check.ts'
export { readResponses, storeResponses } from './results/response-store.ts'
export { concluded } from './status/inverted.ts'
export { concurrencyLimit, createRunner, type PlannedCheck } from './worker/runner.ts'
export { recordHeartbeat } from './worker/worker-store.ts'
