export { createReleases } from './release.ts'
export { releaseRoutes } from './routes.ts'
export { isOutdated } from './version.ts'
