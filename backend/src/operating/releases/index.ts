export { releaseFeature } from './feature.ts'
export { createReleases } from './release.ts'

export { isOutdated } from './version.ts'
