export { alertFeature } from './feature.ts'

export { listLateWindows, type MaintenanceSpan, mergeSpans, readMaintenance } from './evaluation/maintenance.ts'
export type { Evaluator } from './evaluation/evaluator.ts'

export { deriveFlapping, FLAPPING_CHANGES } from './evaluation/flapping.ts'
export { replayStatuses, type StatusStep } from './evaluation/replay.ts'
export { isWindowOf, listUnderMaintenance, suppressExternal } from './evaluation/suppression.ts'
export { RECHECK_MS } from './evaluation/suppression-store.ts'
export {
  dependsOnHost,
  EVALUATION_MS,
  FLAPPING_MS,
  hostRecoveryMs,
  lastingMs,
  MAX_WAIT_MS,
  REPEAT_SECONDS,
  waitsForParents,
} from './evaluation/suppression-rules.ts'
export type { Subject } from './evaluation/suppression-store.ts'

export { isSilenceOf } from './maintenance-windows/silence.ts'
export {
  endSilence,
  listSilences,
  saveSilence,
  type SilenceChange,
  type SilenceColumns,
  type SilenceRow,
} from './maintenance-windows/silences.ts'

export { publishRefusedToken } from './events/refused-token.ts'

export { evaluateMembersDown, type MembersDown } from './evaluation/members-down.ts'

export { readFound, readHealthEvents, readStatuses as readStatusHistory } from './preview/store.ts'

export { insertDefaultRules, renameDefaultRules } from './rules/defaults.ts'

export {
  deleteSloRules,
  insertSloRules,
  listSloRules,
  restoreSloRules,
  type SloAlerts,
  type SloRule,
  updateSloRule,
} from './rules/slo-rules.ts'
export { collectEvidence, type EvidenceTarget } from './evaluation/evidence.ts'
export { findSubjects, type SeriesSubject } from './series/store.ts'
export {
  changeSourceRule,
  insertSourceRule,
  markSourceRule,
  type Recipients,
} from './rules/source-rules.ts'
export { countFailingRules } from './series/store.ts'
export { coversComposites, type RuleColumns } from './rules/rule.ts'
export { changedRule, lockChannels, lockPolicy, rulesOfMonitors } from './rules/service.ts'
export { insertSignal, requestReevaluation } from './signals/store.ts'
export { deleteRulesAndWindowsOf, restoreRulesAndWindows, type TargetAlerts } from './target-store.ts'
export { listWindowsBetween, type WindowRow } from './maintenance-windows/store.ts'
export { windowResource } from './maintenance-windows/routes.ts'
export { ruleResource } from './rules/routes.ts'
