export { ensureRegion, findRegionNumbers } from './store.ts'
