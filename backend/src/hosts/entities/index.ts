export { entityFeature } from './feature.ts'
export { compactEntities, ENTITY_CHUNKS } from './compact.ts'
export { createEntityRecorder } from './ingest/recorder.ts'
export { type NewestEntities, type PresentEntity, readNewestEntities } from './query/newest.ts'

export { deleteEntities, deleteEntitiesBefore } from './storage/entity-store.ts'
export { findEntities } from './query/list-store.ts'
export { describeEntities, type DescribedEntity, type MeasuredEntities, readMeasured } from './query/measured-store.ts'
export {
  findNamed,
  type NamedEntityRow,
  readRecent,
  type RecentEntities,
  type RecentEntity,
  unitOf,
} from './query/recent-store.ts'
export { type EntityHistory, readHistories } from './query/histories.ts'
export { listSeen, type SeenEntity } from './query/seen-store.ts'
export { readHistory, readSeriesOf } from './query/history.ts'
export { valuesAt } from './storage/readings.ts'
export { readReceivedReadings, type ReceivedReadings } from './storage/received-store.ts'
