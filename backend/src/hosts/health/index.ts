export { DECLARATIONS as HEALTH_DECLARATIONS } from './declarations.ts'
export { type DerivedHealth, evaluateHealth, type ForecastOf } from './evaluate.ts'
