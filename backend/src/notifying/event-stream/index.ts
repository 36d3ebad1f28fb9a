export { eventFeature } from './feature.ts'
export { createFeed } from './feed.ts'

export { listNewestEvents } from './service.ts'

export { insertEvent, type NewEvent } from './store.ts'
