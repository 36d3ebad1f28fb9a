export { regionFeature } from './feature.ts'

export { addRegion, listRegions, rotateRegionToken } from './service.ts'
export { ensureRegion, findRegionNumbers } from './store.ts'
