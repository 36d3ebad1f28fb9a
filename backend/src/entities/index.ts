export { compactEntities, ENTITY_CHUNKS } from './compact.ts'
export { createEntityRecorder } from './ingest/recorder.ts'
export { entityRoutes } from './routes.ts'
export { deleteEntities, deleteEntitiesBefore } from './storage/entity-store.ts'
