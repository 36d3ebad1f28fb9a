export { channelRoutes } from './channels/routes.ts'
export { insertDefaultRules } from './rules/defaults.ts'
export { readOpenIncidents } from './incidents/overview.ts'
export { incidentRoutes } from './incidents/routes.ts'
export { deleteOrganizationIncidents } from './incidents/store.ts'
export { resolveIncidentsOf } from './incidents/service.ts'
export { keepIncidentPartitions, readIncidentPartitions } from './incidents/partitions.ts'
export { channelSealer, resealChannels } from './channels/reseal.ts'
export { alertRuleRoutes } from './rules/routes.ts'
export { deleteRulesOf } from './rules/store.ts'
export { rulesOfMonitors } from './rules/service.ts'
export { insertSignal } from './judging/store.ts'
export { lookAgain } from './judging/look-again.ts'
export { createCheckJudge } from './judging/checks.ts'
export { createServerJudge } from './judging/servers.ts'
export { judgeSignals } from './judging/signals.ts'
export { createSilenceEnds } from './judging/silence.ts'
export { maintenanceWindowRoutes } from './windows/routes.ts'
export { deleteWindowsOf } from './windows/store.ts'
export {
  CHANNEL_KINDS,
  type Connect,
  createRequester,
  createSender,
  publish,
  remindOfIncidents,
  tellOfCertificates,
  tellOfRefusedToken,
  tellOperator,
} from './telling/index.ts'
