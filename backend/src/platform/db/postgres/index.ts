export { makeDataFolder } from './data-folder.ts'
export { type EmbeddedPostgres, type EmbeddedPostgresOptions, findRunningUrl, startEmbeddedPostgres } from './start.ts'
