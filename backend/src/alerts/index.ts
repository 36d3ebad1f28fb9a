export { deleteOrganizationIncidents } from './incident-store.ts'
export { keepIncidentPartitions, readIncidentPartitions } from './partitions.ts'
