export { deletionFeature } from './feature.ts'
export { restoreDeleted } from './restore.ts'
