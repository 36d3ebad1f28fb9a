export { type DerivedHealth, evaluateHealth } from './evaluate.ts'
