export { handoverFeature } from './feature.ts'
