export { type ExpositionDeps, expositionRoutes } from './routes.ts'
