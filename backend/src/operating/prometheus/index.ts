export { prometheusFeature } from './feature.ts'

export { createSeriesQueries } from './query/queries.ts'
export { type HostFigure, figuresOf } from './export/host-figures.ts'
export { labelsOf } from './export/hosts.ts'
export { type PrometheusDeps } from './routes.ts'
export { findHosts, type HostRow } from './export/store.ts'
export { type EntitySeries, isOfSensor, seriesOfEntity } from './export/entity-figures.ts'
