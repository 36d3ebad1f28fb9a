export { createCheckEvaluator } from './evaluation/checks.ts'
export { createServerEvaluator } from './evaluation/servers.ts'
export { type MaintenanceSpan, mergeSpans, readMaintenance } from './evaluation/maintenance.ts'
export type { Evaluator } from './evaluation/evaluator.ts'
export { evaluateSignals } from './evaluation/status-changes.ts'
export { deriveFlapping, FLAPPING_CHANGES } from './evaluation/flapping.ts'
export { replayStatuses, type StatusStep } from './evaluation/replay.ts'
export { isWindowOf, listUnderMaintenance } from './evaluation/suppression.ts'
export type { Subject } from './evaluation/suppression-store.ts'
export { createSuppressionReview } from './evaluation/suppression-review.ts'
export { publishExpiringCertificates } from './events/certificates.ts'
export { publishRefusedToken } from './events/refused-token.ts'
export { alertRulePreviewRoutes } from './preview/routes.ts'
export { insertDefaultRules } from './rules/defaults.ts'
export { alertRuleRoutes } from './rules/routes.ts'
export {
  deleteSloRules,
  insertSloRules,
  listSloRules,
  type SloAlerts,
  type SloRule,
  updateSloRule,
} from './rules/slo-rules.ts'
export type { RuleColumns } from './rules/rule.ts'
export { changedRule, lockPolicy, rulesOfMonitors } from './rules/service.ts'
export { deleteOrganizationSignals, insertSignal, requestReevaluation, SIGNALS } from './signals/store.ts'
export { deleteRulesAndWindowsOf, restoreRulesAndWindows, type TargetAlerts } from './target-store.ts'
export { listWindowsBetween, type WindowRow } from './windows/store.ts'
export { maintenanceWindowRoutes } from './windows/routes.ts'
