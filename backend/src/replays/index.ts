export { replayRoutes } from './routes.ts'
export { runReplay } from './service.ts'
