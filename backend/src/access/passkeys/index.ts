export { passkeyFeature } from './feature.ts'
