export { healthRoutes, livenessRoute } from './routes.ts'
