export { replayFeature } from './feature.ts'

export { runReplay } from './service.ts'
