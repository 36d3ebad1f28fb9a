export { prometheusFeature } from './feature.ts'

export { type PrometheusDeps } from './routes.ts'
