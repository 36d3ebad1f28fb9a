export { evaluateSlos } from './evaluate.ts'
export { sloRoutes } from './routes.ts'
