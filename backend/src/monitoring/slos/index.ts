export { sloFeature } from './feature.ts'
export { evaluateSlos } from './evaluate.ts'
export { sloResource } from './routes.ts'
