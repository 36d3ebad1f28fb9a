export { makeDataFolder } from './data-folder.ts'
export { takeOwnerLock } from './owner-lock.ts'
export { type EmbeddedPostgres, type EmbeddedPostgresOptions, findRunningUrl, startEmbeddedPostgres } from './start.ts'
