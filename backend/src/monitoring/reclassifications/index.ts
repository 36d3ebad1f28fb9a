export { reclassificationFeature } from './feature.ts'
