export { type DerivedHealth, evaluateHealth, type ForecastOf } from './evaluate.ts'
