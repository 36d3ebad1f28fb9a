export { changeFlapping, openIncident, resolveIncident, resolveIncidentsOf, resolveIncidentsOfRule } from './lifecycle.ts'
export { incidentActionRoutes } from './actions/routes.ts'
export { isAction, takeActionOnce } from './actions/service.ts'
export { deleteUsedLinks } from './actions/store.ts'
export { escalateDueIncidents } from './escalate.ts'
export { notifyOfStep } from './notify.ts'
export { readOpenIncidents } from './overview.ts'
export { INCIDENT_TABLES, keepIncidentPartitions } from './partitions.ts'
export { notifyOverdueIncidents } from './reminders.ts'
export { incidentRoutes } from './routes.ts'
export { getIncident, readIncidentItem } from './service.ts'
export {
  countIncidents,
  deleteOrganizationIncidents,
  hasOpenIncidents,
  insertIncidentEvent,
  listOpenKeys,
  listOpenOfTargets,
  lockOpenIncidents,
  type OpenIncident,
  wasOpenedSince,
} from './store.ts'
export {
  listSuppressed,
  lockParents,
  markUnsuppressed,
  type ParentState,
  readParents,
  recordParents,
  type SuppressedIncident,
} from './suppressed-store.ts'
