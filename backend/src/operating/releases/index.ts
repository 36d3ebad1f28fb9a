export { createAgents } from './agents/index.ts'
export { releaseFeature } from './feature.ts'
export { createReleases } from './release.ts'

export { isOutdated } from './version.ts'
