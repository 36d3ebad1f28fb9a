export { exportFeature } from './feature.ts'
