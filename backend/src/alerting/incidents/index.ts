export { incidentFeature, WHILE_NONE_IS_OPEN } from './feature.ts'
export { changeFlapping, openIncident, resolveIncident, resolveIncidentsOf, resolveIncidentsOfRule } from './lifecycle.ts'

export { acknowledgeStory } from './acknowledge.ts'
export { countBeyond, moveEnds } from './external-store.ts'
export { addEnded, type EndedStory, prepareMonths } from './history/add.ts'
export { openIncidents, type OpeningExternal } from './open-many.ts'
export { type EndingIncident, resolveIncidents } from './resolve-many.ts'

export { isAction, takeActionOnce } from './actions/service.ts'

export { notifyOfStep } from './notify.ts'
export { readOpenIncidents } from './overview.ts'

export { getIncident, readIncidentItem } from './service.ts'
export {
  countIncidents,
  findFlappingSeries,
  findLastChanges,
  hasOpenIncidents,
  isOfSeries,
  insertIncidentEvent,
  listOpenKeys,
  listOpenOfTargets,
  lockFamilies,
  lockOpenIncidents,
  lockOpenIncidentsOfRule,
  type OpenIncident,
} from './store.ts'
export { SUBJECT_EVIDENCE } from './stories/store.ts'
export { saysTheSame, type SubjectEvidence, subjectsOf } from './stories/subjects.ts'
export {
  listSuppressed,
  markUnsuppressed,
  type ParentState,
  readParents,
  recordParents,
  type SuppressedIncident,
} from './suppressed-store.ts'
