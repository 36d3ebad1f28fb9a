export { createReleases } from './release.ts'
export { releaseRoutes } from './routes.ts'
