export { type PrometheusDeps, prometheusRoutes } from './routes.ts'
