export { prometheusExportRoutes } from './export/routes.ts'
export { type PrometheusDeps, prometheusRoutes } from './routes.ts'
