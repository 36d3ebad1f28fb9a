export { createSloEvaluation, evaluateSlos } from './evaluate.ts'
export { sloRoutes } from './routes.ts'
