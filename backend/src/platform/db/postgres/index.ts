export { makeDataFolder } from './data-folder.ts'
export { takeOwnerLock } from './owner-lock.ts'
export {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  findRunningUrl,
  hasDatabase,
  startEmbeddedPostgres,
} from './start.ts'
