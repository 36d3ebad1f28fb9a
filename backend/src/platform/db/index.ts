export { foldCase } from './fold-case.ts'
export { binaryArray } from './binary-array.ts'
export {
  announceChange,
  announcement,
  announcementOf,
  announcementText,
  type Changes,
  createRereading,
  type Rereading,
  watchChanges,
} from './changes.ts'
export { NODE_LIMIT_MS, queryByOrganization } from './by-organization.ts'
export { copyRows } from './copy-rows.ts'
export { distribute } from './citus.ts'
export { DISTRIBUTED, isDistributed } from './distributed.ts'
export { dropLease, takeLease } from './lease-store.ts'
export {
  isCanceled,
  isLostConnection,
  isMissingPartition,
  isNodeAway,
  isRolledBack,
  isUniqueViolation,
} from './lost-connection.ts'
export {
  addPartitions,
  lockPartitions,
  keepPartitions,
  keepTables,
  partitionOf,
  type PartitionPlan,
  type PartitionState,
  readPartitions,
  vacuum,
} from './partitions.ts'
export { createPool, type Db, type Pool, type Statement } from './pool.ts'
export { isMigrated, listMigrations, migrate, migrateTo, type OnMigration, originOf } from './migrate.ts'
export { materialized } from './materialized.ts'
export { type PageRequest, readPage, type RowClass, selectByClass } from './page.ts'
export { createNodeFinder, isOfNode, NODE_REST_MS } from './nodes.ts'
export { createNodeLanes, type NodeLanes } from './node-lanes.ts'
export { createProgressStore, type Progress } from './progress-store.ts'
export type { Database, ServerFacts, StartedRun, TableRow } from './schema.ts'
export type { StoredRoute } from './schema/alert-sources.ts'
export type { ExternalAlert, StoredIcal, StoredOverride, StoredSilence } from './schema/alerts.ts'
export type { Loss, Losses } from './schema/exports.ts'
export type { RestorableTable } from './schema/columns.ts'
export {
  createResourceRows,
  createResourceStore,
  type DeletedResources,
  type DeletedRow,
  type ManagedTable,
  removeDeletedBefore,
  setManaged,
} from './resource-store.ts'
export { createReader, readFrom, type Reader, type ReadSource, sourceOf } from './reader.ts'
export { ALL_SLICES, SLICES, type Slices } from './slices.ts'
export { literals } from './literals.ts'
export { transactionLimits, withLongStatements } from './statement-limit.ts'
export { inTransaction, joinTransaction } from './transaction.ts'
export {
  createWaitingBudget,
  currentBudget,
  MANY_STEPS,
  outsideRequest,
  type WaitingBudget,
  withBudget,
  withFreshBudget,
  withinBudget,
} from '../concurrency/waiting-budget.ts'
