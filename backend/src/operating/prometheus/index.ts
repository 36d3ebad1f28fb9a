export { prometheusFeature } from './feature.ts'

export { createSeriesQueries } from './query/queries.ts'
export { type PrometheusDeps } from './routes.ts'
