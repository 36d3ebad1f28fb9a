export { deleteChecks, deleteOrganizationChecks } from './delete-store.ts'
export { type CheckFilter, type CheckRow, listChecks, readRecentChecks, readScheduleFacts } from './history-store.ts'
export { compileFaults } from './judge/index.ts'
export { keepCheckPartitions } from './partitions.ts'
export { checkRoutes } from './routes.ts'
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
