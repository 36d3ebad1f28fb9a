export { sloFeature } from './feature.ts'
export { evaluateSlos } from './evaluate.ts'
