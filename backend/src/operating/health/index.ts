export { healthFeature } from './feature.ts'
export { livenessRoute } from './routes.ts'
