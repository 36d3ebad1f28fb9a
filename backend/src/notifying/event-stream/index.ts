export { eventFeature } from './feature.ts'
export { createFeed } from './feed.ts'

export { listNewestEvents } from './service.ts'

export { insertEvent, insertEvents, type NewEvent } from './store.ts'
export { eventsKeptSince } from './partitions.ts'
