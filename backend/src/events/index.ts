export { keepEventPartitions, readEventPartitions } from './partitions.ts'
export { deleteOrganizationEvents, insertEvent, type NewEvent } from './store.ts'
