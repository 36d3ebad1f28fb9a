export { alertSourceFeature } from './feature.ts'
export { createIntake } from './intake.ts'
export { createReceipts } from './receipts.ts'
export { sourceResource } from './routes.ts'
