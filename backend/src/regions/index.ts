export { regionRoutes } from './routes.ts'
export { addRegion, listRegions, rotateRegionToken } from './service.ts'
export { ensureRegion, findRegionNumbers } from './store.ts'
